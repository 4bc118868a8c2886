/** The list of traces that a trace was opened from: how it was asked for, and its ids as far as they were read. */
export interface TraceList {
  /** Search parameters of the page of traces, for the way back. */
  search: Readonly<Record<string, unknown>>;
  /** Ids in the order of the list. */
  ids: readonly string[];
}

let last: TraceList | null = null;
/** Where the list is among the entries of the history; the router numbers them. */
let entry: number | undefined;

/** Notes the list of traces that is on screen, for `Previous trace` and `Next trace`. */
export function rememberTraceList(list: TraceList): void {
  last = list;
  // While a trace is being fetched the list is still drawn, and the address is already that of the trace.
  if (location.pathname === '/traces') entry = currentEntry();
}

/** The list of traces that was on screen last; `null` where there was none in this tab. */
export function lastTraceList(): TraceList | null {
  return last;
}

/**
 * How many entries of the history lie between here and the list, as a number to go by (below 0), so that the list has its
 * scroll and its focus again; `null` where it is not behind.
 */
export function stepsToTraceList(): number | null {
  const now = currentEntry();
  return entry === undefined || now === undefined || entry >= now ? null : entry - now;
}

const currentEntry = (): number | undefined => (history.state as { __TSR_index?: number } | null)?.__TSR_index;
