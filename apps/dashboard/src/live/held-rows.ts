/** Rows that came and are not shown yet. */
export interface HeldRows {
  count: number;
  /** Whether there are more than were counted. */
  isMore: boolean;
}

/**
 * Counts the rows at the beginning of a list that are not on screen.
 * @param shown ids of the rows that are.
 * @param fresh ids of the first page as it is now; what comes behind the last one that is shown belongs to the next page.
 * @param hasMore whether the fresh page is not the last one.
 */
export function countNew(shown: ReadonlySet<string>, fresh: readonly string[], hasMore: boolean): HeldRows {
  const lastShown = fresh.findLastIndex((id) => shown.has(id));
  if (lastShown === -1) return { count: fresh.length, isMore: hasMore && fresh.length > 0 };
  const count = fresh.slice(0, lastShown).filter((id) => !shown.has(id)).length;
  return { count, isMore: false };
}

/** The words of the button above a list: `1 new trace`, `12 new traces`, `200+ new traces`. */
export function describeHeld({ count, isMore }: HeldRows, one: string): string {
  return `${count}${isMore ? '+' : ''} new ${one}${count === 1 && !isMore ? '' : 's'}`;
}
