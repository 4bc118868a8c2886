import type { Found } from '@spandrel/plugin-api';
import type { PreparedRule } from './prepare-rules.js';
import { BEGUN_MARK_MIN, begunMarks, type ValueHashes } from './value-hashes.js';

/** What stands in the place of a text whose rules failed. */
export const MASKED_WHOLE = '[masked]';

/** How long the rules of a field may look at one text; a text that takes longer is masked as a whole. */
const TEXT_MS_MAX = 1_000;

/** UTF-16 units of a text that is looked at on the spot, and steps of rules for all of it, some 10 ms; others go to a thread. */
const INLINE_LENGTH = 65_536;
const INLINE_STEPS = 400_000;

/** Values between two looks at the clock. */
const VALUES_A_LOOK = 16;

class Late extends Error {}

/** Where values were found, and which rule found them. */
interface Hit extends Found {
  readonly rule: PreparedRule;
  /** What was found, as it is shown; kept where the rule hashes. */
  readonly value: string;
  /** The hash that a gateway has begun, where the value is masked already. */
  readonly begun?: string;
}

export interface TextMaskerParts {
  /** What makes the hashes; `null`: there is no key to be had, and rules that hash put labels. */
  readonly hashes: ValueHashes | null;
  /** Is called with a rule that failed; never of the text. */
  readonly onFailure: (masker: string) => void;
  /** Is called with each value that was replaced. */
  readonly onReplaced?: (rule: PreparedRule) => void;
  /** Milliseconds on a clock that never goes back. */
  readonly tick?: () => number;
}

/** Masks the texts of one field by its rules, in their order. */
export class TextMasker {
  /** UTF-16 units of the shortest text that any rule looks at. */
  readonly lengthMin: number;
  /** Whether a rule looks at numbers of JSON. */
  readonly masksNumbers: boolean;
  private readonly numberRules: readonly PreparedRule[];
  private readonly tick: () => number;
  /** Steps that all rules take for a character. */
  readonly work: number;
  /** Whether hashes that gateways have begun are finished here, or, without a key, taken out. */
  private readonly finishes: boolean;

  constructor(
    private readonly rules: readonly PreparedRule[],
    private readonly parts: TextMaskerParts,
  ) {
    const { hashes } = parts;
    this.finishes = rules.some((rule) => rule.hashes) && (hashes === null || hashes.finish !== undefined);
    const lengths = rules.map(({ finder }) => finder?.lengthMin ?? 1);
    this.lengthMin = Math.min(...lengths, this.finishes ? BEGUN_MARK_MIN : Infinity);
    this.numberRules = rules.filter(({ finder }) => finder === null || finder.numbers === true);
    this.masksNumbers = this.numberRules.length > 0;
    this.tick = parts.tick ?? (() => performance.now());
    const worked = rules.map(({ finder }) => (finder?.work ?? 1) * (finder?.written ? 2 : 1));
    this.work = worked.reduce((sum, steps) => sum + steps, 0);
  }

  /** Whether a text may take so long that it is not to be looked at on the spot. */
  isLong(text: string): boolean {
    return text.length > INLINE_LENGTH || text.length * this.work > INLINE_STEPS;
  }

  /** The text without the values; the same text when there are none. Never throws. */
  mask(text: string): string {
    return this.attempt(text, TEXT_MS_MAX) ?? this.maskWhole();
  }

  /** Masks a text that would be masked by {@link mask}, or gives up. @returns `undefined` when it takes longer than `msMax`. */
  attempt(text: string, msMax: number): string | undefined {
    if (text.length < this.lengthMin) return text;
    let { masker } = this;
    try {
      const until = this.tick() + msMax;
      const hits: Hit[] = [];
      const shown = shownText(text);
      for (const rule of this.rules) {
        ({ masker } = rule);
        this.find(rule, shown?.text ?? text, hits, until, shown);
        if (shown && rule.finder?.written) this.find(rule, text, hits, until);
        this.assertTime(until);
      }
      if (this.finishes) for (const hit of begunHits(text)) hits.push(hit);
      return hits.length > 0 ? this.replaced(text, hits, until) : text;
    } catch (error) {
      if (error instanceof Late) {
        this.masker = masker;
        return undefined;
      }
      this.parts.onFailure(masker);
      return MASKED_WHOLE;
    }
  }

  /** What stands in the place of a text that took too long. */
  maskWhole(): string {
    this.parts.onFailure(this.masker);
    return MASKED_WHOLE;
  }

  /** The masker that was at work when a text took too long. */
  private masker = '';

  /** What stands in the place of a number of JSON, as it is written; `undefined` when it stays. */
  maskNumber(written: string): string | undefined {
    try {
      const hits: Hit[] = [];
      for (const rule of this.numberRules) this.find(rule, written, hits, Infinity);
      return hits.length === 0 ? undefined : this.markOf(longest(hits));
    } catch {
      this.parts.onFailure(this.numberRules[0]!.masker);
      return MASKED_WHOLE;
    }
  }

  private assertTime(until: number): void {
    if (this.tick() > until) throw new Late();
  }

  /** Adds what a rule finds. @throws Error when the finder throws, answers nonsense, or there is none; Late. */
  private find(rule: PreparedRule, text: string, hits: Hit[], until: number, shown?: ShownText): void {
    const { finder } = rule;
    if (finder === null) throw new Error('this rule cannot be kept here');
    if (text.length < finder.lengthMin) return;
    for (const { start, end } of finder.find(text)) {
      const isPlace =
        Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= text.length;
      if (!isPlace) throw new Error('named a place that is not in the text');
      const value = rule.hashes ? text.slice(start, end) : '';
      if (shown) hits.push({ ...shown.placeOf(start, end), rule, value });
      else hits.push({ start, end, rule, value });
      if (hits.length % VALUES_A_LOOK === 0) this.assertTime(until);
    }
  }

  /** @throws Late when it takes until then. */
  private replaced(text: string, hits: Hit[], until: number): string {
    hits.sort((a, b) => a.start - b.start);
    const numbers = new NumberPlaces(text);
    let masked = '';
    let at = 0;
    let marks = 0;
    for (let first = 0; first < hits.length;) {
      const { start } = hits[first]!;
      let { end } = hits[first]!;
      let next = first + 1;
      for (; next < hits.length && hits[next]!.start < end; next++) end = Math.max(end, hits[next]!.end);
      const mark = this.markOf(next === first + 1 ? hits[first]! : longest(hits.slice(first, next)));
      masked += text.slice(at, start) + (numbers.has(start, end) ? `"${mark}"` : mark);
      at = end;
      first = next;
      if (++marks % VALUES_A_LOOK === 0) this.assertTime(until);
    }
    return masked + text.slice(at);
  }

  private markOf({ rule, value, begun }: Hit): string {
    const { hashes } = this.parts;
    if (begun === undefined) this.parts.onReplaced?.(rule);
    if (!rule.hashes || !hashes) return `[${rule.label}]`;
    if (begun !== undefined) return `[${rule.label}:${hashes.finish!(rule.label, begun)}]`;
    return `[${rule.label}:${hashes.of(rule.label, rule.finder!.canonical?.(value) ?? value)}]`;
  }
}

/** The marks of a gateway as if a rule had found them. */
const begunHits = (text: string): Hit[] =>
  begunMarks(text).map(({ start, end, label, hash }) => {
    return { start, end, value: '', begun: hash, rule: { masker: label, label, hashes: true, finder: null } };
  });

/** Among equals the first rule's. */
const longest = (hits: readonly Hit[]): Hit =>
  hits.reduce((most, hit) => (hit.end - hit.start > most.end - most.start ? hit : most));

const NUMBER = /^\d[\d ]*$/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a number of JSON stands at a place of a text: its mark gets quotes. To be asked from the front to the back. */
class NumberPlaces {
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

/** How deep JSON in texts of JSON is read: arguments of a tool, in a message, in a body. */
const DEPTH_MAX = 3;

const ESCAPE = /\\(?:u[0-9a-f]{4}|["\\/bfnrt])/gi;
const SIGNS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Blanks, hyphens, characters without width, and the wide forms of ASCII. */
const UNUSUAL = /[\u00a0\u00ad\u2000-\u2015\u202f\u2060\u3000\ufeff\uff01-\uff5e]/g;
/** Unusual characters that V8 need not look for in a text of Latin letters alone. */
const UNUSUAL_BEYOND_LATIN = /[\u2000-\u2015\u202f\u2060\u3000\ufeff\uff01-\uff5e]/;
/** What a wide character is behind its usual one. */
const WIDE = 0xfee0;

/** A text as somebody reads it who is shown it, and where its characters are written. */
interface ShownText {
  readonly text: string;
  /** Where the text is written that is shown from `start` to `end`. */
  placeOf(start: number, end: number): { start: number; end: number };
}

/**
 * The text without escapes of JSON (`\n`, `\u002b`), with usual blanks, hyphens, letters and digits. In it finders see values that
 * look otherwise where JSON stands in a text, or where they were pasted.
 * @returns `undefined` when it is shown as it is written.
 */
export function shownText(text: string): ShownText | undefined {
  let shown: ShownText | undefined;
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const outer = shown;
    if (!(outer?.text ?? text).includes('\\')) break;
    const inner = replaced(outer?.text ?? text, ESCAPE, meaningOf);
    if (!inner) break;
    shown = outer ? within(outer, inner) : inner;
  }
  const outer = shown?.text ?? text;
  if (!hasUnusual(outer)) return shown;
  const usual = replaced(outer, UNUSUAL, usualOf)!;
  return shown ? within(shown, usual) : usual;
}

const hasUnusual = (text: string): boolean =>
  text.includes('\u00a0') || text.includes('\u00ad') || UNUSUAL_BEYOND_LATIN.test(text);

const within = (outer: ShownText, inner: ShownText): ShownText => ({
  text: inner.text,
  placeOf(start, end) {
    const place = inner.placeOf(start, end);
    return outer.placeOf(place.start, place.end);
  },
});

function meaningOf(escape: string): string {
  const sign = escape[1]!;
  if (escape.length > 2) return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  return SIGNS[sign] ?? sign;
}

function usualOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xff01) return code === 0xfeff ? '' : String.fromCharCode(code - WIDE);
  if (code >= 0x2010 && code <= 0x2015) return '-';
  return code === 0xad || code === 0xfeff || code === 0x2060 || (code >= 0x200b && code <= 0x200f) ? '' : ' ';
}

/** The text with what a pattern matches replaced by one character or none; `undefined` when it matches nothing. */
function replaced(text: string, pattern: RegExp, by: (match: string) => string): ShownText | undefined {
  /** Places of replacements that are shorter than what was there, in the order of the text: begin and end where shown and where written. */
  const shorter: { shown: number; shownEnd: number; written: number; writtenEnd: number }[] = [];
  let isChanged = false;
  let lost = 0;
  const shownText = text.replace(pattern, (match: string, written: number) => {
    isChanged = true;
    const meaning = by(match);
    if (meaning.length < match.length) {
      const shown = written - lost;
      const writtenEnd = written + match.length;
      shorter.push({ shown, shownEnd: shown + meaning.length, written, writtenEnd });
      lost += match.length - meaning.length;
    }
    return meaning;
  });
  if (!isChanged) return undefined;
  const beginOf = (at: number): { start: number; end: number } => {
    let low = 0;
    for (let high = shorter.length; low < high;) {
      const middle = (low + high) >> 1;
      if (shorter[middle]!.shown <= at) low = middle + 1;
      else high = middle;
    }
    const before = shorter[low - 1];
    if (!before) return { start: at, end: at + 1 };
    if (at < before.shownEnd) return { start: before.written, end: before.writtenEnd };
    const start = before.writtenEnd + at - before.shownEnd;
    return { start, end: start + 1 };
  };
  return {
    text: shownText,
    placeOf: (start, end) => ({ start: beginOf(start).start, end: beginOf(end - 1).end }),
  };
}
