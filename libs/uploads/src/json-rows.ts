import { JsonNesting, isSpace, RowText } from './json-nesting.js';
import { FileFault } from './decode-utf8.js';

/** The text of a row of a file with the line that it begins in, or why it cannot be had. */
export type JsonRow = ReturnType<RowText['take']>;

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

type Place = 'before' | 'first element' | 'next element' | 'element' | 'after';

/** Cuts the text of a JSON array, in any pieces, into its elements by brackets and strings; it holds one element. */
class JsonArrayScanner {
  private readonly row: RowText;
  private place: Place = 'before';
  private line = 1;
  private elementLine = 1;
  private readonly nesting = new JsonNesting();

  /** @param rowBytesMax largest element; longer ones come as a fault. @param expected what the file should be. */
  constructor(
    rowBytesMax: number,
    private readonly expected: string,
  ) {
    this.row = new RowText(rowBytesMax);
  }

  /** @returns the elements that end in this piece. @throws FileFault where the text is no array of values. */
  push(text: string): JsonRow[] {
    const rows: JsonRow[] = [];
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
    if (this.place === 'before') throw new FileFault(1, `the file is empty; expected is ${this.expected}`);
    if (this.place !== 'after') throw new FileFault(this.line, 'the file ends before its array does');
  }

  /** Whether a character outside of elements begins one; if not it has its place between them. */
  private begins(code: number): boolean {
    switch (this.place) {
      case 'before':
        if (code !== OPEN_LIST)
          throw new FileFault(this.line, `the file is not ${this.expected}; for one object a line send it as .jsonl`);
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

/** Rows of a file that is one JSON array. @param expected what it should be, for the faults. @throws FileFault */
export async function* jsonArrayRows(
  texts: AsyncIterable<string>,
  rowBytesMax: number,
  expected: string,
): AsyncGenerator<JsonRow[]> {
  const scanner = new JsonArrayScanner(rowBytesMax, expected);
  for await (const text of texts) yield scanner.push(text);
  scanner.end();
}

/** Rows of JSON lines, without empty ones. @param expected left out where a file may be empty. @throws FileFault */
export async function* jsonlRows(
  texts: AsyncIterable<string>,
  rowBytesMax: number,
  expected?: string,
): AsyncGenerator<Iterable<JsonRow>> {
  const lines = new Lines(rowBytesMax);
  for await (const text of texts) yield lines.push(text);
  yield lines.end();
  if (lines.areEmpty && expected !== undefined) throw new FileFault(1, `the file is empty; expected is ${expected}`);
}

class Lines {
  private readonly row: RowText;
  private line = 1;
  /** Whether there has been no row so far. */
  areEmpty = true;

  constructor(rowBytesMax: number) {
    this.row = new RowText(rowBytesMax);
  }

  *push(text: string): Generator<JsonRow> {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.row.add(text.slice(start, end));
      yield* this.end();
      start = end + 1;
    }
    this.row.add(text.slice(start));
  }

  *end(): Generator<JsonRow> {
    if (this.row.isBlank) {
      this.row.clear();
    } else {
      this.areEmpty = false;
      yield this.row.take(this.line);
    }
    this.line++;
  }
}
