import type { Found } from '@spandrel/plugin-api';
import { formOf, TOKEN_START, type Body, type TokenForm } from './tokens.js';

/** Which of the first 128 characters may be in a body. */
const tableOf = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
const TABLES: Readonly<Record<Body | 'digit', Uint8Array>> = {
  word: tableOf(/[\w-]/),
  alphanumeric: tableOf(/[0-9A-Za-z]/),
  upper: tableOf(/[0-9A-Z]/),
  hex: tableOf(/[0-9a-fA-F]/),
  digit: tableOf(/\d/),
};

/** A stretch that was looked at: nothing in it is looked at again, however many tokens may begin in it. */
interface Stretch {
  from: number;
  end: number;
}

/** A run of letters, digits, `-` and `_`, and the tokens in it. Each character is read once for each kind of body. */
export class TokenRun {
  private readonly stretches = new Map<Body, Stretch>();
  private readonly digits: Stretch = { from: 0, end: -1 };
  private readonly solids = new Map<number, Stretch>();

  constructor(private readonly run: string) {}

  /** The tokens. @param start where the run begins in its text. */
  tokens(start: number): Found[] {
    const found: Found[] = [];
    TOKEN_START.lastIndex = 0;
    for (let match = TOKEN_START.exec(this.run); match; match = TOKEN_START.exec(this.run)) {
      const [beginning] = match;
      const end = this.endOf(match.index + beginning.length, formOf(beginning));
      if (end === undefined) {
        TOKEN_START.lastIndex = match.index + 1;
      } else {
        found.push({ start: start + match.index, end: start + end });
        TOKEN_START.lastIndex = end;
      }
    }
    return found;
  }

  private endOf(body: number, { body: kind, min, exact, digit, solid }: TokenForm): number | undefined {
    const end = this.pastBody(body, kind);
    if (end - body < min || (exact && end - body > min)) return undefined;
    if (exact && TABLES.alphanumeric[this.run.charCodeAt(end)] === 1) return undefined;
    if (digit && this.nextDigit(body) >= end) return undefined;
    if (solid !== undefined && this.nextSolid(body, solid) + solid > end) return undefined;
    return end;
  }

  private pastBody(at: number, kind: Body): number {
    const known = this.stretches.get(kind);
    if (known && at >= known.from && at < known.end) return known.end;
    const table = TABLES[kind];
    let end = at;
    while (end < this.run.length && table[this.run.charCodeAt(end)] === 1) end++;
    this.stretches.set(kind, { from: at, end });
    return end;
  }

  private nextDigit(at: number): number {
    if (at >= this.digits.from && at <= this.digits.end) return this.digits.end;
    let end = at;
    while (end < this.run.length && TABLES.digit[this.run.charCodeAt(end)] !== 1) end++;
    this.digits.from = at;
    this.digits.end = end;
    return end;
  }

  /** Where the next so many letters and digits begin that stand together, the end of the run when there are none. */
  private nextSolid(at: number, count: number): number {
    const known = this.solids.get(count);
    if (known && at >= known.from && at <= known.end) return known.end;
    let begins = at;
    let end = at;
    for (; end < this.run.length && end - begins < count; end++) {
      if (TABLES.alphanumeric[this.run.charCodeAt(end)] !== 1) begins = end + 1;
    }
    const place = end - begins < count ? this.run.length : begins;
    this.solids.set(count, { from: at, end: place });
    return place;
  }
}
