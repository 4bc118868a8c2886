import { keptInTab } from './kept-in-tab.js';
import { rememberList } from './list-memory.js';

/** The list that a trace was opened from: of traces, of spans, or a session. */
export interface TraceList {
  /** Path of its page, encoded as in addresses. */
  path: string;
  /** The search parameters of the page, for the way back. */
  search: Readonly<Record<string, unknown>>;
  /** Ids of the traces in the order of the list, as far as it was read, each once. */
  ids: readonly string[];
}

/** Ids of a list that are kept over a reload, from its first one on. */
const KEPT_IDS_MAX = 5_000;

let last: TraceList | null = null;

const kept = keptInTab<TraceList>(
  'spandrel.trace-list',
  () => last && { ...last, ids: last.ids.slice(0, KEPT_IDS_MAX) },
);
if (Array.isArray(kept?.ids) && typeof kept.path === 'string') {
  last = { path: kept.path, search: kept.search ?? {}, ids: kept.ids };
}

/** Notes the list that is on screen, for `Previous trace` and `Next trace` and for the way back. */
export function rememberTraceList(list: TraceList): void {
  last = list;
  rememberList(list.path, list.search);
}

/** The list of traces that was on screen last; `null` where there was none in this tab. */
export function lastTraceList(): TraceList | null {
  return last;
}
