import { readExactJson } from '@spandrel/contract/browser';
import type { EventOutline, EventPayload, SpanOutline, SpanResource } from '@spandrel/contract';
import type { ClientCall } from '../client-command.js';
import { followEvents } from '../events/follow-events.js';
import { UsageFault } from '../exit-codes.js';
import { SessionOfTraces } from './session-of-traces.js';
import { tailLines } from './tail-line.js';

/** Options of `traces tail`. */
export interface TailOptions {
  failed?: boolean;
  model?: string;
  session?: string;
  trace?: string;
  since?: string;
  view?: 'full' | 'outline';
}

type TailedEvent = EventPayload | EventOutline;
type TailedSpan = SpanResource | SpanOutline;

/** Shows spans as they end, until it is interrupted. A connection that is lost is made again, without a gap. */
export async function tailTraces({ api, out, io, options }: ClientCall<TailOptions>): Promise<void> {
  const { failed, model, session, trace, since, view = 'outline' } = options;
  if (since !== undefined && !/^\d{1,15}$/.test(since)) throw new UsageFault('--since: must be the number of an event');
  const sessions = new SessionOfTraces(api, io.signal);
  let begun: Date | undefined;
  let isCut = false;
  const events = followEvents(api, {
    query: {
      types: [
        'span_failed',
        ...(failed ? [] : ['span_completed']),
        ...(session === undefined ? [] : ['trace_created']),
      ].join(','),
      view,
      ...(trace !== undefined && { trace_id: trace }),
    },
    after: since === undefined ? undefined : Number(since),
    signal: io.signal,
    onOpen: (time) => {
      begun ??= time;
      if (isCut || out.isTerminal) out.note(isCut ? 'connected again' : 'waiting for spans to end; Ctrl-C stops');
      isCut = false;
    },
    onCut: (reason) => {
      isCut = true;
      out.note(`the connection was lost (${reason}); trying again`);
    },
  });
  for await (const { id, json, mayBeOld } of events) {
    const event = readExactJson(json) as unknown as TailedEvent;
    if (event.type === 'trace_created') sessions.note(event.trace.id, event.trace.session_id);
    if (!('span' in event) || !(await isWanted(event.span, mayBeOld))) continue;
    if (out.json) await out.jsonLine({ id, ...event });
    else await out.lines(tailLines(event.span, out));
  }

  async function isWanted(span: TailedSpan, mayBeOld: boolean): Promise<boolean> {
    if (mayBeOld && begun && span.ended_at !== null && Date.parse(span.ended_at) < begun.getTime()) return false;
    if (model !== undefined && span.kind['model'] !== model) return false;
    return session === undefined || (await sessions.of(span.trace_id)) === session;
  }
}
