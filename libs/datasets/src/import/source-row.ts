/** Columns of a CSV file that mean something, as they stand in its header row. */
export const COLUMNS = [
  'input',
  'expected_output',
  'expected',
  'target',
  'output',
  'metadata',
  'messages',
  'actual_output',
  'score',
] as const;

export type Column = (typeof COLUMNS)[number];

/** One row of an imported file, with the line it begins in: JSON text, the cells of known columns, or what is wrong. */
export type SourceRow =
  | { line: number; json: string }
  | { line: number; cells: Partial<Record<Column, string>> }
  | { line: number; fault: string };
