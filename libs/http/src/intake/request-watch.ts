import type { Socket } from 'node:net';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { logMs, pathOf, type AccessLog } from '../access-log.js';
import type { ClientAddresses } from '@spandrel/kernel';
import { UNMATCHED, type HttpMetrics } from '../metrics.js';
import type { RefusedBytes } from './malformed-http.js';

/** Marks a route whose answer is a stream of events that lasts as long as its client likes. */
export const EventStreamRoute = (): MethodDecorator => RouteConfig({ eventStream: true });

/** Routes that programs ask all the time: their lines are `debug`. */
const QUIET: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/api/health']);

/** What clients get that left before an answer began, in the log alone. */
const CLIENT_GONE = 499;

interface Beginning {
  route: string;
  isStream: boolean;
  /** When it began, on the clock of `performance.now()`. */
  startedAt: number;
  remoteAddress: string | undefined;
}

/** Sees every request from its head to the end of its answer: for metrics and for the access log. */
export class RequestWatch {
  /** What is to end with a connection. One listener on each: a client may send any number of requests at once. */
  private readonly ends = new WeakMap<Socket, Set<() => void>>();

  constructor(
    private readonly metrics: HttpMetrics,
    private readonly addresses: ClientAddresses,
    private readonly log: AccessLog | undefined,
  ) {}

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now();
    const { url, config } = request.routeOptions;
    const route = url ?? UNMATCHED;
    const isStream = (config as { eventStream?: boolean } | undefined)?.eventStream === true;
    if (!isStream) this.metrics.began();
    // Known for as long as the connection is there.
    const remoteAddress = this.log && this.addresses.of(request.raw);
    const answer = reply.raw;
    // A pipelined request, whose answer waits for the one before it: only the connection says that its client is gone.
    const pipelined = answer.socket === null ? request.raw.socket : undefined;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      if (pipelined) this.ends.get(pipelined)?.delete(end);
      this.end(request, reply, { route, isStream, startedAt, remoteAddress });
    };
    answer.once('close', end);
    if (pipelined) this.endWith(pipelined, end);
  }

  private endWith(socket: Socket, end: () => void): void {
    let ends = this.ends.get(socket);
    if (!ends) {
      const all = (ends = new Set());
      this.ends.set(socket, all);
      socket.once('close', () => all.forEach((each) => each()));
    }
    ends.add(end);
  }

  malformed({ id, status }: RefusedBytes, socket: Socket): void {
    this.metrics.malformed(status);
    this.log?.request({ request_id: id, route: UNMATCHED, status, remote_address: socket.remoteAddress }, false);
  }

  private end(
    request: FastifyRequest,
    reply: FastifyReply,
    { route, isStream, startedAt, remoteAddress }: Beginning,
  ): void {
    const answer = reply.raw;
    const ms = performance.now() - startedAt;
    const aborted = !answer.writableFinished;
    const status = aborted && !answer.headersSent ? CLIENT_GONE : answer.statusCode;
    const { method } = request;
    this.metrics.ended({ method, route, status, aborted, isStream, seconds: ms / 1_000 });
    if (!this.log) return;
    const isWholeStream = isStream && status === 200;
    this.log.request(
      {
        request_id: request.id,
        method,
        route,
        path: route === UNMATCHED ? undefined : pathOf(route, (request.params ?? {}) as Record<string, unknown>),
        status,
        duration_ms: logMs(ms),
        bytes_in: lengthOf(request.headers['content-length']),
        bytes_out: lengthOf(reply.getHeader('content-length')),
        remote_address: remoteAddress,
        stream: isWholeStream ? true : undefined,
        aborted: aborted && !isWholeStream ? true : undefined,
      },
      QUIET.has(route),
    );
  }
}

function lengthOf(header: number | string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const length = Number(header);
  return Number.isSafeInteger(length) ? length : undefined;
}
