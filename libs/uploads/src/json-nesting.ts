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
  /** Lists and objects that are open. */
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
