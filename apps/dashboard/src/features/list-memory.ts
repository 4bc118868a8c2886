import { useNavigate } from '@tanstack/react-router';
import { useShortcuts } from '../components/shortcuts/use-shortcuts.js';
import { keptInTab } from './kept-in-tab.js';

/** A list that was on screen: its search parameters, and where it is among the entries of the history. */
interface RememberedList {
  search: Readonly<Record<string, unknown>>;
  /** The router numbers the entries; `undefined` before the list had one. */
  entry: number | undefined;
}

/** Lists that are kept over a reload; the last to be noted are. */
const KEPT_MAX = 20;

const lists = new Map<string, RememberedList>();

const kept = keptInTab<{ lists: [string, RememberedList][] }>('spandrel.lists', () => ({
  lists: [...lists].slice(-KEPT_MAX),
}));
for (const [path, list] of Array.isArray(kept?.lists) ? kept.lists : []) lists.set(path, list);

/** Notes the list that is on screen, for the way back to it. @param path of its page, encoded as in addresses. */
export function rememberList(path: string, search: Readonly<Record<string, unknown>>): void {
  // While another page is being fetched the list is still drawn, and the address is already that of the other page.
  const isHere = decoded(location.pathname) === decoded(path);
  const entry = isHere ? currentEntry() : lists.get(path)?.entry;
  lists.delete(path);
  lists.set(path, { search, entry });
}

/** Escape leads up to a list, with its filters and at the row one came from. @param pathOf where the list is, at that moment. */
export function useWayUp(pathOf: () => string, group: string): void {
  const navigate = useNavigate();
  const goUp = (): void => {
    const path = pathOf();
    const steps = stepsTo(path);
    if (steps === null) void navigate({ to: path, search: lists.get(path)?.search ?? {} } as never);
    else history.go(steps);
  };
  useShortcuts([{ keys: 'Escape', label: 'Back to the list', group, run: goUp }]);
}

/**
 * How many entries of the history lie between here and a list, as a number to go by (below 0), so that the list has its
 * scroll and its focus again; `null` where it is not behind.
 */
function stepsTo(path: string): number | null {
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
