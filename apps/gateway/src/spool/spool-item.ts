/** A recording on its way to the API, already JSON. */
export interface SpoolItem {
  /** Id of the span; a later item of the same id replaces this one. */
  readonly id: string;
  /** JSON of its trace; `null` when the API has told that it has it. */
  readonly trace: string | null;
  /** JSON of its span. */
  readonly span: string;
  /** Whether the call is over; only these count when they are lost. */
  readonly finished: boolean;
  /** The API has it. */
  delivered: boolean;
  /** Is in a delivery under way. */
  inFlight: boolean;
  /** Has been cut down because the API would not take it. */
  readonly reduced: boolean;
}

/** Memory an item takes, as the spool counts it. */
export const sizeOf = ({ trace, span }: SpoolItem): number => (trace?.length ?? 0) + span.length;

export function spoolItem(id: string, trace: string | null, span: string, finished: boolean, reduced = false): SpoolItem {
  return { id, trace, span, finished, delivered: false, inFlight: false, reduced };
}
