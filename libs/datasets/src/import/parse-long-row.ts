import { exactJsonInPieces, JsonSyntaxError, TooManyValues, type JsonValue } from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import { mayBeJson, rowFaultOf } from './datapoint-of-row.js';
import type { Column, SourceRow } from './source-row.js';

/** UTF-16 units of a row, or of a cell, that are parsed or written at once. */
const SHORT = 65_536;

/** Whether a row has a text that would hold up others while it is parsed or written. */
export const isLongRow = (row: SourceRow): boolean =>
  'json' in row ? row.json.length > SHORT : 'cells' in row && Object.values(row.cells).some(isLong);

/** Whether a row has JSON that would hold up others while it is parsed. */
export const hasLongJson = (row: SourceRow): boolean =>
  'cells' in row ? Object.values(row.cells).some(isLongJson) : isLongRow(row);

const isLong = (cell: string): boolean => cell.length > SHORT;
const isLongJson = (cell: string): boolean => isLong(cell) && mayBeJson(cell);

/**
 * Parses what is long of a row, and lets others have their turn meanwhile.
 * @param valuesMax values that a row, or a cell, may have.
 * @returns the row with what was parsed, or with what is wrong with it.
 */
export async function parseLongRow(row: SourceRow, valuesMax: number): Promise<SourceRow> {
  const { line } = row;
  try {
    if ('json' in row) return { line, value: await inTurns(exactJsonInPieces(row.json, valuesMax)) };
    if (!('cells' in row)) return row;
    const values: Partial<Record<Column, JsonValue>> = {};
    for (const [column, cell] of Object.entries(row.cells) as [Column, string][]) {
      if (isLongJson(cell)) values[column] = await cellValue(cell, valuesMax);
    }
    return { ...row, values };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { line, fault: rowFaultOf(error) };
    throw error;
  }
}

/** A cell that is not the JSON that it begins as is text. */
async function cellValue(cell: string, valuesMax: number): Promise<JsonValue> {
  try {
    return await inTurns(exactJsonInPieces(cell, valuesMax));
  } catch (error) {
    if (error instanceof JsonSyntaxError && !(error instanceof TooManyValues)) return cell;
    throw error;
  }
}
