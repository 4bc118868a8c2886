import type { JsonValue } from '@spandrel/contract';

/** Names of the expected output, in a header row or an object; the first that a row has counts. */
export const EXPECTED_COLUMNS = ['expected_output', 'expected', 'target', 'output'] as const;

/** Columns of a CSV file that mean something, as they stand in its header row. */
export const COLUMNS = ['input', ...EXPECTED_COLUMNS, 'metadata', 'messages', 'actual_output', 'score'] as const;

export type Column = (typeof COLUMNS)[number];

const KNOWN: ReadonlySet<string> = new Set(COLUMNS);

export const isColumn = (name: string): name is Column => KNOWN.has(name);

/** A row of cells. */
export interface CellRow {
  line: number;
  cells: Partial<Record<Column, string>>;
  /** Names of other columns that have a cell which is not empty; left out when there are none. */
  others?: readonly string[];
  /** What was parsed of cells that are long. */
  values?: Partial<Record<Column, JsonValue>>;
}

/**
 * One row of an imported file, with the line it begins in: JSON text, what was parsed of a long one, the cells of known
 * columns, or what is wrong.
 */
export type SourceRow =
  | { line: number; json: string }
  | { line: number; value: JsonValue }
  | CellRow
  | { line: number; fault: string };
