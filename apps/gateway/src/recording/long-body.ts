import type { Endpoint } from '@spandrel/plugin-api';

/** What all body buffers together hold. */
export class BodyBudget {
  used = 0;

  constructor(readonly max: number) {}

  /** Whether so many bytes more may be held. */
  fits(bytes: number): boolean {
    return this.used + bytes <= this.max;
  }
}

export interface BodyForm {
  /** One JSON value, or events as {@link Endpoint.framing} cuts them. */
  framing: Endpoint['framing'] | 'json';
  /** What an event says to a reader that sees it alone. */
  weightOf(event: Buffer): EventWeight;
}

/** A part of the answer's text and no more; nothing that a recording has (a part of an image); or a call, a reason, tokens, an error, the end. */
export type EventWeight = 'text' | 'nothing' | 'more';

export const JSON_FORM: BodyForm = Object.freeze({ framing: 'json', weightOf: () => 'more' });

/** What is missing between what was kept of a body and its end: nothing, values of one member of the body's object, or who knows what. */
export type Gap = 'none' | 'in-member' | 'unknown';

/** The most that is kept, and how much of that events of each weight may fill. */
const REST_BYTES = 2 * 1024 * 1024;
const FILLED_BYTES = { text: REST_BYTES / 2, nothing: 0.75 * REST_BYTES, more: REST_BYTES } as const;

/** What is kept of a string, and what where so much was kept of its event (of the JSON value) already. */
const STRING_BYTES = 16 * 1024;
const SHORT_STRING_BYTES = 1024;
const LONG_EVENT_BYTES = 256 * 1024;

const ROOM_MIN = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

const bytesOf = (...codes: number[]): Uint8Array => {
  const table = new Uint8Array(256);
  for (const code of codes) table[code] = 1;
  return table;
};
const ENDS_PLAIN = bytesOf(QUOTE, LINE_FEED, RETURN, OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET);
const ENDS_RUN_OF_STRING = [QUOTE, BACKSLASH, LINE_FEED, RETURN];
const ENDS_SHORT_RUN = bytesOf(...ENDS_RUN_OF_STRING);

/** Bytes of a string that are looked at one by one, and those of a longer one that are searched at a time. */
const SHORT_RUN_BYTES = 64;
const SEARCHED_BYTES = 4 * 1024;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The value of a hexadecimal digit; of other bytes anything. */
const hexOf = (byte: number): number => (byte & 0x0f) + (byte > 0x40 ? 9 : 0);

/** `\` and what is open of it: `u` or another, and the digits that `u` has. */
const AFTER_BACKSLASH = 5;
const DIGITS = 4;

/**
 * Reads what passes of a body that is too long to keep, and keeps what a reader needs: long strings are cut, all else stays while
 * there is room. Events of a stream are kept or left out as a whole, the lighter ones first. Each byte is looked at once, and
 * what comes out does not depend on where the pieces end.
 */
export class LongBody {
  private rest = Buffer.alloc(0);
  private length = 0;
  private eventStart = 0;
  /** Bytes before those that are being read, and where the first stood that there was no room for; of events the one under way. */
  private position = 0;
  private lostAt = Infinity;

  private inString = false;
  private stringLength = 0;
  private stringMax = STRING_BYTES;
  /** The rest of the string is left out. */
  private isSkipping = false;
  /** What is still to come of an escape; 0 outside of one. */
  private escape = 0;
  private codeUnit = 0;
  /** The last character was the first half of a surrogate pair, written as an escape. */
  private isHalf = false;

  private depth = 0;
  /** Where the member of the outermost object begins in which the reader is. */
  private memberAt = 0;
  private isLineEmpty = true;
  private wasReturn = false;

  constructor(
    private readonly form: BodyForm,
    private readonly budget: BodyBudget,
  ) {}

  get kept(): Buffer {
    return this.rest.subarray(0, this.length);
  }

  /** What is missing between {@link kept} and what follows of the body. */
  get gap(): Gap {
    if (this.lostAt === Infinity) return 'none';
    return this.form.framing === 'json' && this.depth > 1 && this.memberAt <= this.lostAt ? 'in-member' : 'unknown';
  }

  /** Reads the beginning, which is kept elsewhere. */
  follow(data: Buffer): void {
    this.read(data, false);
  }

  /** Reads what comes behind the beginning, and keeps what it can of it. */
  push(data: Buffer): void {
    this.read(data, true);
  }

  /** Whether a byte that comes next belongs to what is left out: what is kept would go on with a part of a character. */
  isMidCharacter(next: number): boolean {
    return this.isSkipping && this.lostAt === Infinity && (this.escape > 0 || this.isHalf || isContinuation(next));
  }

  release(): void {
    this.budget.used -= this.rest.length;
    this.rest = Buffer.alloc(0);
    this.length = 0;
  }

  private read(data: Buffer, isKept: boolean): void {
    /** Where the bytes begin that are to be copied; -1 where none are. */
    let from = isKept && !this.isSkipping ? 0 : -1;
    let at = 0;
    while (at < data.length) {
      if (this.inString) {
        const end = this.escape > 0 ? at : endOfStringRun(data, at);
        const cutAt = from === -1 ? -1 : this.cutAt(data, at, end);
        if (cutAt !== -1) {
          this.copy(data, from, cutAt);
          this.isSkipping = true;
          from = -1;
        }
        if (end > at) this.isHalf = false;
        this.stringLength += end - at;
        at = end;
        if (at === data.length) break;
        this.readInString(data[at]!);
        if (!this.inString && this.isSkipping) {
          this.isSkipping = false;
          if (isKept) from = at;
        }
        if (data[at] !== LINE_FEED && data[at] !== RETURN) {
          at++;
          continue;
        }
      }
      const end = endOfRun(data, at, data.length, ENDS_PLAIN);
      if (end > at) this.isLineEmpty = this.wasReturn = false;
      at = end;
      if (at === data.length) break;
      const byte = data[at++]!;
      if (byte !== LINE_FEED && byte !== RETURN) {
        this.readMark(byte, at, from);
      } else if (this.endLine(byte) && isKept) {
        this.copy(data, from, at);
        from = at;
        this.endEvent();
      }
    }
    if (from !== -1) this.copy(data, from, data.length);
    this.position += data.length;
  }

  /** Reads a quote or a bracket outside of strings. @param end where it ends. */
  private readMark(byte: number, end: number, from: number): void {
    this.isLineEmpty = this.wasReturn = false;
    if (byte === QUOTE) {
      const event = this.length - this.eventStart + (from === -1 ? 0 : end - from);
      this.inString = true;
      this.stringLength = 0;
      this.stringMax = event < LONG_EVENT_BYTES ? STRING_BYTES : SHORT_STRING_BYTES;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (this.depth++ <= 1) this.memberAt = this.position + end;
    } else {
      this.depth--;
    }
  }

  /** Reads a byte of a string that is no plain character. A line's end stands in none, so that what was taken for one is over. */
  private readInString(byte: number): void {
    this.stringLength++;
    if (byte === LINE_FEED || byte === RETURN) {
      this.inString = this.isHalf = false;
      this.escape = 0;
    } else if (this.escape === 0) {
      if (byte === QUOTE) this.inString = this.isHalf = false;
      else this.escape = AFTER_BACKSLASH;
    } else if (this.escape === AFTER_BACKSLASH) {
      this.escape = byte === LETTER_U ? DIGITS : 0;
      this.codeUnit = 0;
      if (this.escape === 0) this.isHalf = false;
    } else {
      this.codeUnit = (this.codeUnit << 4) | hexOf(byte);
      if (--this.escape === 0) this.isHalf = (this.codeUnit & 0xfc00) === 0xd800;
    }
  }

  /** Where a string is cut between two places, at the beginning of a character; -1 where it is not. */
  private cutAt(data: Buffer, start: number, end: number): number {
    if (this.escape > 0) return -1;
    let at = Math.max(start, start + this.stringMax - this.stringLength);
    while (at < end && isContinuation(data[at])) at++;
    if (at < end) return at;
    return at === end && data[end] === BACKSLASH && (end > start || !this.isHalf) ? at : -1;
  }

  /** @returns whether an event of a stream ends with the line. */
  private endLine(byte: number): boolean {
    if (byte === LINE_FEED && this.wasReturn) {
      this.wasReturn = false;
      return false;
    }
    const wasEmpty = this.isLineEmpty;
    this.isLineEmpty = true;
    this.wasReturn = byte === RETURN;
    const { framing } = this.form;
    return framing === 'sse' ? wasEmpty : framing === 'ndjson' && !wasEmpty;
  }

  private endEvent(): void {
    // What begins the rest is the end of an event that has begun before it.
    const mayGo = this.lostAt === Infinity && this.eventStart > 0 && this.length > FILLED_BYTES.text;
    const event = this.rest.subarray(this.eventStart, this.length);
    if (mayGo && this.length > FILLED_BYTES[this.form.weightOf(event)]) this.length = this.eventStart;
    this.eventStart = this.length;
    this.lostAt = Infinity;
  }

  private copy(data: Buffer, start: number, end: number): void {
    if (this.lostAt !== Infinity || start === end) return;
    const copied = this.makeRoom(end - start);
    data.copy(this.rest, this.length, start, start + copied);
    this.length += copied;
    if (copied === end - start) return;
    this.lostAt = this.position + start + copied;
    if (this.form.framing === 'json') return;
    this.length = this.eventStart;
    // The event that had begun before the rest ends where it breaks off.
    if (this.length === 0) this.length = this.rest.write('\n\n', 'latin1');
  }

  /** @returns for how many of so many bytes there is room. */
  private makeRoom(bytes: number): number {
    const wanted = this.length + bytes;
    if (wanted > this.rest.length && this.rest.length < REST_BYTES) {
      const size = Math.min(REST_BYTES, Math.max(ROOM_MIN, 2 * wanted));
      const more = size - this.rest.length;
      if (this.budget.fits(more)) {
        this.budget.used += more;
        this.rest = Buffer.concat([this.kept], size);
      }
    }
    return Math.min(bytes, this.rest.length - this.length);
  }
}

/** The next of the bytes that the table has, or the end. */
function endOfRun(data: Buffer, start: number, end: number, table: Uint8Array): number {
  let at = start;
  while (at < end && table[data[at]!] === 0) at++;
  return at;
}

/** The next byte of a string that is no plain character, or the end. Long strings are searched, which takes a tenth of the time. */
function endOfStringRun(data: Buffer, start: number): number {
  let at = endOfRun(data, start, Math.min(data.length, start + SHORT_RUN_BYTES), ENDS_SHORT_RUN);
  if (at < start + SHORT_RUN_BYTES) return at;
  while (at < data.length) {
    const searched = Math.min(data.length, at + SEARCHED_BYTES);
    let end = searched;
    for (const byte of ENDS_RUN_OF_STRING) {
      const found = data.subarray(at, end).indexOf(byte);
      if (found !== -1) end = at + found;
    }
    if (end < searched) return end;
    at = end;
  }
  return at;
}
