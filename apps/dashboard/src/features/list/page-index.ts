/** What is remembered of a page of a list, whether its rows are in memory or not. */
export interface KnownPage {
  /** Cursor that it is asked for by; `null` for the first. */
  cursor: string | null;
  /** Rows on it. */
  count: number;
  /** Cursor of the page behind it; `null` where it is the last. */
  next: string | null;
}

/** The pages of a list that were read, first to last, without a gap. */
export type PageIndex = readonly KnownPage[];

/**
 * Notes a page that was read. A page that ends elsewhere than before takes what was behind it along.
 * @returns the very same index where nothing changed.
 */
export function recordPage(index: PageIndex, page: KnownPage): PageIndex {
  const at = index.findIndex(({ cursor }) => cursor === page.cursor);
  const known = index[at];
  if (known === undefined) {
    const expected = index.length === 0 ? null : index.at(-1)!.next;
    return page.cursor === expected && (index.length === 0 || expected !== null) ? [...index, page] : index;
  }
  if (known.next === page.next) {
    return known.count === page.count ? index : [...index.slice(0, at), page, ...index.slice(at + 1)];
  }
  return [...index.slice(0, at), page];
}

/** Rows of all pages that were read. */
export function countRows(index: PageIndex): number {
  return index.reduce((sum, { count }) => sum + count, 0);
}

/** Whether the last page of the list was read. */
export function isComplete(index: PageIndex): boolean {
  return index.at(-1)?.next === null;
}

/** Where a row is: the cursor of its page and its place there; `null` beyond what was read. */
export function locateRow(index: PageIndex, row: number): { cursor: string | null; offset: number } | null {
  let before = 0;
  for (const { cursor, count } of index) {
    if (row < before + count) return row < 0 ? null : { cursor, offset: row - before };
    before += count;
  }
  return null;
}

/**
 * The pages that are to be in memory.
 * @param first and @param last rows on screen.
 * @param ahead rows from the end at which the page behind is asked for.
 */
export function wantedPages(index: PageIndex, first: number, last: number, ahead: number): (string | null)[] {
  if (index.length === 0) return [null];
  let before = 0;
  const wanted: (string | null)[] = [];
  for (const { cursor, count } of index) {
    if (before <= last && before + count > first) wanted.push(cursor);
    before += count;
  }
  const { cursor, next } = index.at(-1)!;
  // An empty list, or one that lost the rows on screen, is looked at all the same.
  if (wanted.length === 0) wanted.push(cursor);
  if (next !== null && last >= before - ahead) wanted.push(next);
  return wanted;
}
