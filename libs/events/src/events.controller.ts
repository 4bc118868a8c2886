import type { OutgoingHttpHeaders } from 'node:http';
import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import {
  eventIdSchema,
  eventInViewSchema,
  EVENT_STREAM_MEDIA_TYPE,
  listenSchema,
  type Listen,
} from '@spandrel/contract';
import { CurrentScope, EventStreamRoute, Operation } from '@spandrel/http';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventFilter } from './stream/event-filter.js';
import { EventStreams } from './stream/event-streams.js';

/** `GET /api/events` (docs/spec/events.md). */
@Controller('api/events')
export class EventsController {
  constructor(private readonly streams: EventStreams) {}

  @Get()
  @EventStreamRoute()
  @Operation({
    summary: 'Stream of live events',
    description:
      'Events from now on, or behind the number given by `Last-Event-ID` or `since`. The stream goes on until one side ends it.',
    answer: {
      mediaTypes: [EVENT_STREAM_MEDIA_TYPE],
      schema: eventInViewSchema,
      description:
        'Server-Sent Events: `id` is the number of the event in its project, `event` is `message`, `data` is one line of JSON with the type of the event in `type`.',
    },
    problems: ['unavailable'],
    access: 'read',
    tokenInQuery: true,
  })
  async listenToEvents(
    @CurrentScope() scope: Scope,
    @Query({ schema: listenSchema }) { since, types, view, trace_id: traceId }: Listen,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const sinceSeq = lastEventId === undefined ? since : lastEventIdOf(lastEventId);
    if (request.method === 'HEAD') {
      sendHeaders(reply);
      reply.raw.end();
      return;
    }
    const filter = new EventFilter({ types, view, traceId });
    await this.streams.open(reply.raw, { scope, filter, sinceSeq }, () => sendHeaders(reply));
  }
}

function lastEventIdOf(text: string): number {
  const parsed = eventIdSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  const message = 'must be the number of an event, or 0';
  throw invalidRequest([{ path: 'Last-Event-ID', message }]);
}

/**
 * Takes the answer out of Fastify's hands. The end of the body is that of the connection (RFC 9112, 6.3): without
 * chunks around it the same bytes can go to every client.
 */
function sendHeaders(reply: FastifyReply): void {
  reply.hijack();
  const { raw } = reply;
  raw.useChunkedEncodingByDefault = false;
  raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': `${EVENT_STREAM_MEDIA_TYPE}; charset=utf-8`,
    'cache-control': 'no-store, no-transform',
    connection: 'close',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
}
