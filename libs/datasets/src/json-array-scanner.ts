import { RowText } from './row-text.js';
import { FileFault, type SourceRow } from './source-row.js';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isSpace = (code: number): boolean => code === 0x20 || code === NEWLINE || code === 0x0d || code === 0x09;

/** Where in the file the scanner is. */
type Place = 'before' | 'first element' | 'next element' | 'element' | 'after';

/**
 * Cuts the text of a JSON array into its elements without reading them: it knows brackets and strings only. Pieces may
 * be cut anywhere; what is held is one element at most.
 */
export class JsonArrayScanner {
  private readonly row: RowText;
  private place: Place = 'before';
  private line = 1;
  private elementLine = 1;
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** @param rowBytesMax of one element; longer ones come as a fault. */
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
      if (this.inString) {
        this.stringGoesOn(code);
      } else if (this.place === 'element') {
        if (this.depth === 0 && (code === COMMA || code === CLOSE_LIST)) {
          this.row.add(text.slice(start, i));
          rows.push(this.row.take(this.elementLine));
          this.place = code === COMMA ? 'next element' : 'after';
        } else {
          this.elementGoesOn(code);
        }
      } else if (!isSpace(code) && this.begins(code)) {
        start = i;
        this.elementLine = this.line;
        this.elementGoesOn(code);
      }
    }
    if (this.place === 'element') this.row.add(text.slice(start));
    return rows;
  }

  /** Says that the text is over. @throws FileFault when the array is not. */
  end(): void {
    if (this.place === 'before') throw new FileFault(this.line, NO_ARRAY);
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

  private elementGoesOn(code: number): void {
    if (code === QUOTE) this.inString = true;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) this.depth++;
    else if ((code === CLOSE_LIST || code === CLOSE_OBJECT) && this.depth > 0) this.depth--;
  }

  private stringGoesOn(code: number): void {
    if (this.escaped) this.escaped = false;
    else if (code === BACKSLASH) this.escaped = true;
    else if (code === QUOTE) this.inString = false;
  }
}

const NO_ARRAY = 'the file is not a JSON array; for one object a line send it as .jsonl';
