/** The text of a row with the line that it begins in, or why it cannot be had. */
export type TakenRow = { line: number; json: string } | { line: number; fault: string };

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

  /** The row, and starts the next one. */
  take(line: number): TakenRow {
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
