import type { EventPayload, SpanResource } from '@spandrel/contract';

/** A span as events carry it: without its texts. */
type SpanInEvent = Omit<SpanResource, 'input' | 'output'>;

/** An event of the stream, by `view=outline`. */
export type LiveEvent =
  | Exclude<EventPayload, { span: unknown }>
  | { type: 'span_created' | 'span_completed' | 'span_failed'; span: SpanInEvent };

/** What the names of streams begin with; the rest is the beginning of their tabs' addresses. */
export const LIVE = 'spandrel.live ';

/** What happened since the batch before. */
export interface LiveBatch {
  /** In the order in which they happened; of one span the last event alone. */
  events: readonly LiveEvent[];
  /** Whether events happened that are not among these: ask for what is on screen. */
  hasMissed: boolean;
}

/** Says that events happened that nobody heard of. */
export const MISSED: LiveBatch = { events: [], hasMissed: true };

export type LiveState = 'live' | 'reconnecting' | 'offline';

/** What the holder of the stream sends to tabs. */
export type LiveMessage =
  | { kind: 'state'; state: LiveState }
  /** The server answered, and gave no stream. */
  | { kind: 'refused' }
  | { kind: 'batch'; batch: LiveBatch };

/** What a tab sends to the worker. */
export type TabMessage =
  | { kind: 'hello'; isVisible: boolean }
  | { kind: 'visibility'; isVisible: boolean }
  | { kind: 'bye' };
