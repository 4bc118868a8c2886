/** Rows that one request for a list asks for. */
export const PAGE_ROWS = 200;

/** A page of a list. */
export interface ListPage<Row> {
  rows: readonly Row[];
  /** Cursor of the next page; `null` on the last one. */
  next: string | null;
}
