import { pipeline } from 'node:stream';
import { CsvError, parse, type Options } from 'csv-parse';
import { Turn } from '@spandrel/kernel';
import { FileFault } from '@spandrel/uploads';
import { isColumn, type Column, type SourceRow } from './source-row.js';
import { describeHeader, EXPECTED_NAMES } from './unknown-columns.js';

/** Rows handed over at once. */
const ROWS_AT_ONCE = 256;

/** Cells of one row: a row of millions would hold up everybody. */
const CELLS_MAX = 100_000;

/**
 * Rows of a CSV file (RFC 4180, any line ends). The first is the header; its names are trimmed and their case ignored.
 * A quote inside a cell that is not quoted means itself.
 * @throws FileFault for a file without a header, a header without a column to import, a quote that is never closed, a
 *   row beyond the limit.
 */
export async function* csvRows(texts: AsyncIterable<string>, rowBytesMax: number): AsyncGenerator<SourceRow[]> {
  let header: Header | undefined;
  const lines = new RecordLines();
  const toRow = (record: string[], info: { lines: number }): SourceRow | null => {
    if (record.length > CELLS_MAX) throw new FileFault(info.lines, `a row has more than ${CELLS_MAX} cells`);
    const line = lines.startOf(record, info.lines);
    if (header) return header.row(record, line);
    header = new Header(record);
    return null;
  };
  const parser = parse({
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: rowBytesMax,
    // Called for the records before a fault too. Its types know no rows but lists of text.
    on_record: toRow as unknown as NonNullable<Options['on_record']>,
  });
  // What goes wrong on the way is thrown by the loop.
  pipeline(inSlices(texts), parser, () => undefined);
  let rows: SourceRow[] = [];
  try {
    for await (const row of parser as AsyncIterable<SourceRow>) {
      rows.push(row);
      if (rows.length >= ROWS_AT_ONCE) {
        yield rows;
        rows = [];
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? new FileFault(lines.next, faultOf(error, rowBytesMax)) : error;
  }
  if (!header) throw new FileFault(1, NO_HEADER);
  yield rows;
}

/** UTF-16 units that the parser takes at once: a thousand rows of one character take it some milliseconds. */
const SLICE = 2_048;

/** Text in short slices; others have their turn in between. */
async function* inSlices(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const turn = new Turn();
  for await (const text of texts) {
    for (let start = 0; start < text.length; start += SLICE) {
      yield text.slice(start, start + SLICE);
      if (turn.isOver()) await turn.next();
    }
  }
}

const NO_HEADER = `the file is empty; expected is a header row with the columns ${EXPECTED_NAMES}`;

/** Shows the lines that records begin in. */
class RecordLines {
  /** The parser counts a CRLF inside a cell as two lines. */
  private countedTwice = 0;
  /** The line behind the last record. */
  next = 1;

  /** @param end the line a record ends in, as the parser counts. */
  startOf(record: readonly string[], end: number): number {
    this.next = end - this.countedTwice + 1;
    let breaks = 0;
    for (const cell of record) {
      if (!/[\r\n]/.test(cell)) continue;
      breaks += cell.match(/\r\n|\n|\r/g)!.length;
      const twice = cell.match(/\r\n/g)?.length ?? 0;
      this.countedTwice += twice;
      this.next -= twice;
    }
    return this.next - 1 - breaks;
  }
}

/** What the columns of a file mean. */
class Header {
  private readonly columns: (Column | undefined)[];

  constructor(private readonly names: readonly string[]) {
    this.columns = names.map((name) => {
      const column = name.trim().toLowerCase();
      return isColumn(column) ? column : undefined;
    });
    const named = this.columns.filter((column) => column !== undefined);
    const twice = named.find((column, index) => named.indexOf(column) !== index);
    if (twice) throw new FileFault(1, `the header row names the column ${twice} twice`);
    if (!named.includes('input') && !named.includes('messages')) {
      throw new FileFault(1, describeHeader(names));
    }
  }

  row(record: readonly string[], line: number): SourceRow {
    const expected = this.columns.length;
    if (record.length !== expected) {
      return { line, fault: `the row has ${record.length} cells, the header row has ${expected}` };
    }
    const cells: Partial<Record<Column, string>> = {};
    let others: string[] | undefined;
    for (const [index, column] of this.columns.entries()) {
      if (record[index] === '') continue;
      if (column === undefined) (others ??= []).push(this.names[index]!);
      else cells[column] = record[index]!;
    }
    return others ? { line, cells, others } : { line, cells };
  }
}

function faultOf({ code }: CsvError, rowBytesMax: number): string {
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return `the row that begins here is larger than ${rowBytesMax} bytes; a quote may be missing`;
  }
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'the row that begins here has a quote that is never closed'
    : 'not valid CSV';
}
