import { useRouterState } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { BASE } from '../../api/project-base.js';
import { keptInTab } from '../../components/storage.js';
import type { GridPlace } from '../../components/grid/grid-props.js';

/** A list that was on screen: its search parameters, and where it is among the entries of the history. */
interface RememberedList {
  search: Readonly<Record<string, unknown>>;
  /** The router numbers the entries; `undefined` before the list had one. */
  entry: number | undefined;
}

/** Lists that are kept over a reload; the last to be noted are. */
const KEPT_MAX = 20;

const lists = new Map<string, RememberedList>();

const keptLists = keptInTab<{ lists: [string, RememberedList][] }>(`spandrel.lists${BASE}`, () => ({
  lists: [...lists].slice(-KEPT_MAX),
}));
for (const [path, list] of Array.isArray(keptLists?.lists) ? keptLists.lists : []) lists.set(path, list);

/** Notes the list that is on screen, for the way back to it. @param path of its page, encoded as in addresses. */
export function rememberList(path: string, search: Readonly<Record<string, unknown>>): void {
  // While another page is being fetched the list is still drawn, and the address is already that of the other page.
  const isHere = decoded(location.pathname) === decoded(BASE + path);
  const entry = isHere ? currentEntry() : lists.get(path)?.entry;
  lists.delete(path);
  lists.set(path, { search, entry });
}

/** The search parameters that a list was left with. */
export const searchOfList = (path: string): RememberedList['search'] => lists.get(path)?.search ?? {};

/**
 * How many entries of the history lie between here and a list, as a number to go by (below 0), so that the list has its
 * scroll and its focus again; `null` where it is not behind.
 */
export function stepsToList(path: string): number | null {
  const now = currentEntry();
  const entry = lists.get(path)?.entry;
  return entry === undefined || now === undefined || entry >= now ? null : entry - now;
}

const currentEntry = (): number | undefined => (history.state as { __TSR_index?: number } | null)?.__TSR_index;

/** Addresses of one page may be encoded in more or fewer places. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The list that a trace or a datapoint was opened from: of traces, of spans, a session, or a dataset. */
interface TraceList {
  /** Path of its page, encoded as in addresses. */
  path: string;
  /** The search parameters of the page, for the way back. */
  search: Readonly<Record<string, unknown>>;
  /** Ids of the traces or datapoints in the order of the list, as far as it was read, each once. */
  ids: readonly string[];
}

/** Ids of a list that are kept over a reload, from its first one on. */
const KEPT_IDS_MAX = 5_000;

let last: TraceList | null = null;

const keptTraces = keptInTab<TraceList>(
  `spandrel.trace-list${BASE}`,
  () => last && { ...last, ids: last.ids.slice(0, KEPT_IDS_MAX) },
);
if (Array.isArray(keptTraces?.ids) && typeof keptTraces.path === 'string') {
  last = { path: keptTraces.path, search: keptTraces.search ?? {}, ids: keptTraces.ids };
}

/** Notes the list that is on screen, for the buttons that lead to what stands before and after, and for the way back. */
export function rememberTraceList(list: TraceList): void {
  last = list;
  rememberList(list.path, list.search);
}

/** The list of these that was on screen last; `null` where there was none in this tab. */
export function lastTraceList(): TraceList | null {
  return last;
}

/** Entries of the history whose places are remembered; the oldest are forgotten. */
const PLACES_MAX = 50;
const places = new Map<string, GridPlace>();

/**
 * Where the reader was in the list of this entry of the history, so that Back leads there again.
 * @returns the place to begin at, and what notes the place of now.
 */
export function useListPlace(): { place: GridPlace | undefined; onPlace(place: GridPlace): void } {
  const entry = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' });
  const place = useMemo(() => places.get(entry), [entry]);
  const onPlace = useCallback(
    (now: GridPlace) => {
      places.delete(entry);
      places.set(entry, now);
      if (places.size > PLACES_MAX) places.delete(places.keys().next().value!);
    },
    [entry],
  );
  return { place, onPlace };
}
