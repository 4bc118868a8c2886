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
export interface ShownText {
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
