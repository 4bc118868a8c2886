import { pipeline } from 'node:stream';
import { decodeUtf8, FileFault, jsonArrayRows, jsonlRows } from '@spandrel/uploads';
import { CsvError, parse, type Options } from 'csv-parse';
import { Turn } from '@spandrel/kernel';
import type { FileFormat } from './file-format.js';
import {
  type MetadataCell,
  type SourceRow,
  isColumn,
  type Column,
  describeHeader,
  EXPECTED_NAMES,
} from './source-row.js';

const ROW = '{"input": …, "expected_output": …}';

const READERS = {
  jsonl: (texts: AsyncIterable<string>, rowBytesMax: number) =>
    jsonlRows(texts, rowBytesMax, `a JSON object a line, ${ROW}`),
  json: (texts: AsyncIterable<string>, rowBytesMax: number) =>
    jsonArrayRows(texts, rowBytesMax, `a JSON array of objects, [${ROW}]`),
  csv: csvRows,
};

/**
 * The rows of a file, some at a time, as they are read; each lot is taken before the next is asked for.
 * @param chunks its bytes, cut anywhere.
 * @param rowBytesMax longer rows come as a fault.
 * @throws FileFault where it cannot be read on.
 */
export const readRows = (
  chunks: AsyncIterable<Buffer>,
  format: FileFormat,
  rowBytesMax: number,
): AsyncIterable<Iterable<SourceRow>> => READERS[format](decodeUtf8(chunks), rowBytesMax);

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
async function* csvRows(texts: AsyncIterable<string>, rowBytesMax: number): AsyncGenerator<SourceRow[]> {
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
  if (!header) {
    throw new FileFault(1, `the file is empty; expected is a header row with the columns ${EXPECTED_NAMES}`);
  }
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

class RecordLines {
  /** The parser counts a CRLF inside a cell as two lines. */
  private countedTwice = 0;
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

const METADATA = 'metadata.';

interface MetadataColumn {
  key: string;
  /** Whether its header is `metadata.KEY`. */
  isExplicit: boolean;
}

/** What a column becomes; `undefined`: nothing. */
function readColumn(header: string): Column | MetadataColumn | undefined {
  const name = header.trim();
  const isExplicit = name.toLowerCase().startsWith(METADATA);
  const key = isExplicit ? name.slice(METADATA.length) : name;
  if (key === '') return undefined;
  const known = name.toLowerCase();
  return isColumn(known) ? known : { key, isExplicit };
}

const isExplicit = (column: ReturnType<typeof readColumn>): boolean => typeof column === 'object' && column.isExplicit;

class Header {
  private readonly columns: ReturnType<typeof readColumn>[];
  /** Indexes of the columns: `metadata.KEY` counts before `KEY`, and so comes behind it. */
  private readonly order: number[];

  constructor(private readonly names: readonly string[]) {
    this.columns = names.map(readColumn);
    const indexes = [...names.keys()];
    this.order = [
      ...indexes.filter((index) => !isExplicit(this.columns[index])),
      ...indexes.filter((index) => isExplicit(this.columns[index])),
    ];
    const named = this.columns.flatMap((column) => {
      if (typeof column !== 'object') return column ?? [];
      return column.isExplicit ? `${METADATA}${column.key}` : column.key;
    });
    const known = new Set<string>();
    for (const name of named) {
      if (known.has(name)) throw new FileFault(1, `the header row names the column ${name} twice`);
      known.add(name);
    }
    if (!known.has('input') && !known.has('messages')) throw new FileFault(1, describeHeader(names));
  }

  row(record: readonly string[], line: number): SourceRow {
    const expected = this.columns.length;
    // Spreadsheets write empty rows with as many cells as they like.
    if (record.length !== expected && record.some((cell) => cell !== '')) {
      return { line, fault: `the row has ${record.length} cells, the header row has ${expected}` };
    }
    const cells: Partial<Record<Column, string>> = {};
    let metadata: MetadataCell[] | undefined;
    let others: string[] | undefined;
    for (const index of this.order) {
      const column = this.columns[index];
      // An empty row may be shorter.
      const cell = record[index] ?? '';
      if (cell === '') continue;
      if (column === undefined) (others ??= []).push(this.names[index]!);
      else if (typeof column === 'string') cells[column] = cell;
      else (metadata ??= []).push({ column: this.names[index]!, key: column.key, cell });
    }
    return { line, cells, ...(metadata && { metadata }), ...(others && { others }) };
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
