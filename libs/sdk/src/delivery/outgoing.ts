import type { QueuedTrace } from './queued-trace.js';

/** A trace as delivery sees it. */
export interface OutgoingTrace {
  readonly id: string;
  /** What queues know of it; theirs to write. */
  queued?: QueuedTrace | undefined;
  /**
   * The JSON of the trace as `POST /api/ingest` takes it: whole where this process opened it, else `{ "id": … }`.
   * Never throws.
   */
  json(): string;
}

/** A span as delivery sees it. */
export interface OutgoingSpan {
  readonly id: string;
  readonly trace: OutgoingTrace;
  /** The JSON of the span as it is now, as `POST /api/ingest` takes it. Never throws. */
  json(): string;
}
