/** Rows that one request for a list asks for. */
export const PAGE_ROWS = 200;
