/**
 * What a queue knows of a trace. The trace holds it and not the other way round, so that of a trace that the application has
 * let go of nothing else waits.
 */
export interface QueuedTrace {
  /** The queue that knows this: what two instances of the SDK record within one trace waits in two queues. */
  readonly queue: object;
  /** What another queue knows of the same trace. */
  readonly next: QueuedTrace | undefined;
  json: string;
  bytes: number;
  /** Rises with each change, so that the answer to an older form settles no newer one. */
  version: number;
  /** Items of the queue that need it. */
  items: number;
  /** Whether one of them is the trace itself. */
  waits: boolean;
  /** The server refused its members: its id alone is sent, so that its spans arrive. */
  isRefused: boolean;
}
