import { isSpace, JsonNesting, RowText, FileFault } from '@spandrel/uploads';
import { type SourceRow } from './source-row.js';

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Where in the file the scanner is. */
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
export async function* jsonArrayRows(texts: AsyncIterable<string>, rowBytesMax: number): AsyncGenerator<SourceRow[]> {
  const scanner = new JsonArrayScanner(rowBytesMax);
  for await (const text of texts) yield scanner.push(text);
  scanner.end();
}
