const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** White space of JSON (RFC 8259, 2). @param code a UTF-16 unit. */
export const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Follows the brackets and strings of JSON text, character by character, without reading its values. */
export class JsonNesting {
  depth = 0;
  /** Whether the next character belongs to a string. */
  inString = false;
  private escaped = false;

  /** Whether only a quote or a backslash means anything here: {@link PlainRuns} finds the next one. */
  get isPlain(): boolean {
    return this.inString && !this.escaped;
  }

  /** Takes the next character. @param code its UTF-16 unit. */
  follow(code: number): void {
    if (this.inString) {
      if (this.escaped) this.escaped = false;
      else if (code === BACKSLASH) this.escaped = true;
      else if (code === QUOTE) this.inString = false;
    } else if (code === QUOTE) {
      this.inString = true;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      this.depth++;
    } else if ((code === CLOSE_LIST || code === CLOSE_OBJECT) && this.depth > 0) {
      this.depth--;
    }
  }
}

/** Finds the next quote or backslash, a hundred times as fast as by each character: strings of exports are long. */
export class PlainRuns {
  private quote = -1;
  private backslash = -1;

  constructor(private readonly text: string) {}

  /** Where the characters end that mean nothing within a string. @param from never less than at the call before. */
  endOf(from: number): number {
    if (this.quote < from) this.quote = this.find('"', from);
    if (this.backslash < from) this.backslash = this.find('\\', from);
    return Math.min(this.quote, this.backslash);
  }

  private find(character: string, from: number): number {
    const at = this.text.indexOf(character, from);
    return at === -1 ? this.text.length : at;
  }
}

/** Gathers the text of one row from pieces of a file, up to a limit; what is beyond is not kept. */
export class RowText {
  private text = '';
  private tooLong = false;

  /** @param bytesMax longest row in bytes of UTF-8. */
  constructor(private readonly bytesMax: number) {}

  add(piece: string): void {
    if (this.tooLong) return;
    if (this.text.length + piece.length > this.bytesMax) {
      this.tooLong = true;
      this.text = '';
    } else {
      this.text = this.text === '' ? piece : this.text + piece;
    }
  }

  /** Whether there is nothing but white space. */
  get isBlank(): boolean {
    return !this.tooLong && this.text.trim() === '';
  }

  /** Starts the next row. @returns this one with the line that it begins in, or why it cannot be had. */
  take(line: number): { line: number; json: string } | { line: number; fault: string } {
    const { text, bytesMax } = this;
    // A UTF-16 unit is at most three bytes of UTF-8.
    const tooLong = this.tooLong || (text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax);
    this.clear();
    return tooLong ? { line, fault: `the row is larger than ${bytesMax} bytes` } : { line, json: text };
  }

  clear(): void {
    this.text = '';
    this.tooLong = false;
  }
}
