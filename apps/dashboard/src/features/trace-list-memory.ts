/** The list of traces that a trace was opened from: how it was asked for, and its ids as far as they were read. */
export interface TraceList {
  /** Search parameters of the page of traces, for the way back. */
  search: Readonly<Record<string, unknown>>;
  /** Ids in the order of the list. */
  ids: readonly string[];
}

let last: TraceList | null = null;

/** Notes the list of traces that is on screen, for `Previous trace` and `Next trace`. */
export function rememberTraceList(list: TraceList): void {
  last = list;
}

/** The list of traces that was on screen last; `null` where there was none in this tab. */
export function lastTraceList(): TraceList | null {
  return last;
}
