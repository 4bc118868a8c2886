import type { CallerKey } from '../access/caller-key.js';

/** A recording on its way to the API, already JSON. */
export class SpoolItem {
  /** The API has it. */
  delivered = false;
  /** Waits in the spool, perhaps in a delivery under way; the spool's own, as the neighbours are. */
  queued = false;
  inFlight = false;
  before: SpoolItem | null = null;
  after: SpoolItem | null = null;

  constructor(
    /** The caller's key that it is delivered with; `null` for the gateway's own. */
    readonly caller: CallerKey | null,
    /** Id of the span. */
    readonly id: string,
    /** JSON of its trace; `null` when the API is known to have it. */
    readonly trace: string | null,
    /** JSON of its span. */
    readonly span: string,
    /** Whether the call is over; only these count when they are lost. */
    readonly finished: boolean,
    /** Has lost its content because the API would not take it. */
    readonly reduced = false,
  ) {}

  /** Memory it takes, as the spool counts it: UTF-16 units of JSON. */
  get size(): number {
    return (this.trace?.length ?? 0) + this.span.length;
  }
}
