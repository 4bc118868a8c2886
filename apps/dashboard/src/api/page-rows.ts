export const PAGE_ROWS = 200;

/** A row of a list by its id: that of a session has another name. */
export type ListedRow = { id: string } | { session_id: string };

export const rowId = (row: ListedRow): string => ('id' in row ? row.id : row.session_id);
