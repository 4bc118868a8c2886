/** What a reviewer did with the queue of a dataset in this tab. */
export interface ReviewMemory {
  /** Ids of items that were skipped, oldest first. */
  skipped: string[];
  /** Ids of items that were given back, oldest first. */
  released: string[];
  /** Ids of items that were submitted, oldest first. */
  submitted: string[];
  /** Who claims here, as the server has it; `null` before the first claim. */
  reviewer: string | null;
}

/** Items that one request may leave out (docs/spec/queue.md#leaving-items-out). */
const EXCLUDED_MAX = 1_000;
/** Submissions that are remembered: so far does `Back to last` lead. */
const SUBMITTED_MAX = 1_000;

export const newReviewMemory = (): ReviewMemory => ({ skipped: [], released: [], submitted: [], reviewer: null });

/** The items that `next` is to leave out, the newest where they are too many. */
export const excludedOf = ({ skipped, released }: ReviewMemory): string[] =>
  [...released, ...skipped].slice(-EXCLUDED_MAX);

/** Notes an item at the end of a list, once. */
export function note(list: string[], id: string): void {
  const at = list.indexOf(id);
  if (at !== -1) list.splice(at, 1);
  list.push(id);
  if (list.length > SUBMITTED_MAX) list.shift();
}
