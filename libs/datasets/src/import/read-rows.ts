import { pipeline } from 'node:stream';
import { decodeUtf8, FileFault, isSpace, JsonNesting, RowText } from '@spandrel/uploads';
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

const READERS = { jsonl: jsonlRows, json: jsonArrayRows, csv: csvRows };

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

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

type Place = 'before' | 'first element' | 'next element' | 'element' | 'after';

/**
 * Cuts the text of a JSON array into its elements without reading them: it knows brackets and strings only. Pieces may
 * be cut anywhere; what is held is one element at most.
 */
class JsonArrayScanner {
  private readonly row: RowText;
  private place: Place = 'before';
  private line = 1;
  private elementLine = 1;
  private readonly nesting = new JsonNesting();

  /** @param rowBytesMax largest element; longer ones come as a fault. */
  constructor(rowBytesMax: number) {
    this.row = new RowText(rowBytesMax);
  }

  /** @returns the elements that end in this piece. @throws FileFault where the text is no array of values. */
  push(text: string): SourceRow[] {
    const rows: SourceRow[] = [];
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === NEWLINE) this.line++;
      if (this.nesting.inString) {
        this.nesting.follow(code);
      } else if (this.place === 'element') {
        if (this.nesting.depth === 0 && (code === COMMA || code === CLOSE_LIST)) {
          this.row.add(text.slice(start, i));
          rows.push(this.row.take(this.elementLine));
          this.place = code === COMMA ? 'next element' : 'after';
        } else {
          this.nesting.follow(code);
        }
      } else if (!isSpace(code) && this.begins(code)) {
        start = i;
        this.elementLine = this.line;
        this.nesting.follow(code);
      }
    }
    if (this.place === 'element') this.row.add(text.slice(start));
    return rows;
  }

  /** Says that the text is over. @throws FileFault when the array is not. */
  end(): void {
    if (this.place === 'before') throw new FileFault(1, EMPTY);
    if (this.place !== 'after') throw new FileFault(this.line, 'the file ends before its array does');
  }

  /** Whether a character outside of elements begins one; if not it has its place between them. */
  private begins(code: number): boolean {
    switch (this.place) {
      case 'before':
        if (code !== OPEN_LIST) throw new FileFault(this.line, NO_ARRAY);
        this.place = 'first element';
        return false;
      case 'after':
        throw new FileFault(this.line, 'there is more behind the end of the array');
      default:
        if (code === CLOSE_LIST && this.place === 'first element') {
          this.place = 'after';
          return false;
        }
        if (code === COMMA || code === CLOSE_LIST) throw new FileFault(this.line, 'an element of the array is missing');
        this.place = 'element';
        return true;
    }
  }
}

const OBJECTS = '[{"input": …, "expected_output": …}]';
const EMPTY = `the file is empty; expected is a JSON array of objects, ${OBJECTS}`;
const NO_ARRAY = `the file is not a JSON array of objects, ${OBJECTS}; for one object a line send it as .jsonl`;

/** Rows of a file that is one JSON array, read element by element. @throws FileFault when it is no array. */
async function* jsonArrayRows(texts: AsyncIterable<string>, rowBytesMax: number): AsyncGenerator<SourceRow[]> {
  const scanner = new JsonArrayScanner(rowBytesMax);
  for await (const text of texts) yield scanner.push(text);
  scanner.end();
}

/** Rows of JSON lines, made as they are taken; empty lines are passed over. @throws FileFault when all are empty. */
async function* jsonlRows(texts: AsyncIterable<string>, rowBytesMax: number): AsyncGenerator<Iterable<SourceRow>> {
  const lines = new Lines(rowBytesMax);
  for await (const text of texts) yield lines.push(text);
  yield lines.end();
  if (lines.areEmpty) throw new FileFault(1, EMPTY_LINES);
}

const EMPTY_LINES = 'the file is empty; expected is a JSON object a line, {"input": …, "expected_output": …}';

class Lines {
  private readonly row: RowText;
  private line = 1;
  /** Whether there has been no row so far. */
  areEmpty = true;

  constructor(rowBytesMax: number) {
    this.row = new RowText(rowBytesMax);
  }

  *push(text: string): Generator<SourceRow> {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.row.add(text.slice(start, end));
      yield* this.end();
      start = end + 1;
    }
    this.row.add(text.slice(start));
  }

  *end(): Generator<SourceRow> {
    if (this.row.isBlank) {
      this.row.clear();
    } else {
      this.areEmpty = false;
      yield this.row.take(this.line);
    }
    this.line++;
  }
}
