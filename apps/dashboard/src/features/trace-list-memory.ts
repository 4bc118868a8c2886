/** The list of traces that a trace was opened from: how it was asked for, and its ids as far as they were read. */
export interface TraceList {
  /** Search parameters of the page of traces, for the way back. */
  search: Readonly<Record<string, unknown>>;
  /** Ids in the order of the list. */
  ids: readonly string[];
}

const STORAGE_KEY = 'spandrel.trace-list';
/** Ids of a list that are kept over a reload, from its first one on. */
const KEPT_IDS_MAX = 5_000;

/** The list and where it is among the entries of the history, which the router numbers. */
let { last, entry } = kept();

// A tab that is loaded anew goes on where it was.
addEventListener('pagehide', () => {
  if (last === null) return;
  const list = { ...last, ids: last.ids.slice(0, KEPT_IDS_MAX) };
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ last: list, entry }));
  } catch {
    // Without storage the list is forgotten.
  }
});

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

function kept(): { last: TraceList | null; entry: number | undefined } {
  try {
    const { last: list, entry: at } = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<KeptList>;
    if (Array.isArray(list?.ids)) return { last: list, entry: at };
  } catch {
    // What cannot be read counts as nothing.
  }
  return { last: null, entry: undefined };
}

interface KeptList {
  last: TraceList;
  entry: number;
}
