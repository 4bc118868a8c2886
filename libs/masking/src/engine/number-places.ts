const NUMBER = /^\d[\d ]*$/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a number of JSON stands at a place of a text: its mark gets quotes. To be asked from the front to the back. */
export class NumberPlaces {
  private readonly mayBeJson: boolean;
  private at = 0;
  private isInText = false;

  constructor(private readonly text: string) {
    this.mayBeJson = /^\s*[[{]/.test(text);
  }

  /** @param start no place before the one that was asked for last. */
  has(start: number, end: number): boolean {
    if (!this.mayBeJson) return false;
    this.goTo(start);
    if (this.isInText || !NUMBER.test(this.text.slice(start, end))) return false;
    return (
      /[:,[]\s*$/.test(this.text.slice(Math.max(0, start - 64), start)) &&
      /^\s*[,}\]]/.test(this.text.slice(end, end + 64))
    );
  }

  private goTo(place: number): void {
    for (; this.at < place; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) this.isInText = !this.isInText;
      else if (code === BACKSLASH && this.isInText) this.at++;
    }
  }
}
