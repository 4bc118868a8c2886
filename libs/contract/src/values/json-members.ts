/** A member of a JSON object, found in its text. */
export interface JsonMember {
  name: string;
  start: number;
  valueStart: number;
  end: number;
}

/** The members of an object in valid JSON text, in order; their values are jumped over. What is no object has none. */
export function* jsonMembers(text: string, start = 0): Generator<JsonMember> {
  let at = skipBlanks(text, start);
  if (text.charCodeAt(at) !== OPEN_BRACE) return;
  for (;;) {
    at = skipBlanks(text, at + 1);
    if (text.charCodeAt(at) !== QUOTE) return;
    const nameEnd = endOfString(text, at) + 1;
    const valueStart = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    yield { name: nameOf(text.slice(at, nameEnd)), start: at, valueStart, end };
    at = skipBlanks(text, end);
    if (text.charCodeAt(at) !== COMMA) return;
  }
}

const nameOf = (string: string): string =>
  string.includes('\\') ? (JSON.parse(string) as string) : string.slice(1, -1);

/** The member of that name; the last one, as everywhere, where there are several. */
export function findMember(text: string, name: string, start = 0): JsonMember | undefined {
  let found: JsonMember | undefined;
  for (const member of jsonMembers(text, start)) if (member.name === name) found = member;
  return found;
}

/** The JSON of an object with another member behind its own, of which it has some. @param value JSON text. */
export const withMember = (text: string, name: string, value: string): string =>
  `${text.slice(0, -1)},"${name}":${value}}`;

/** The closing quote of a string. @param start its opening quote. @returns -1 where there is none. */
export function endOfString(text: string, start: number): number {
  let from = start + 1;
  for (;;) {
    const end = text.indexOf('"', from);
    if (end === -1) return -1;
    let backslashes = 0;
    while (end - backslashes > from && text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
    // Where one quote is escaped others are, and a search costs more than to look at a few characters.
    from = end + 1;
    for (const near = from + LOOKED_AT; from < near; from++) {
      const char = text.charCodeAt(from);
      if (char === QUOTE) return from;
      if (char === BACKSLASH) from++;
    }
  }
}

/** Characters behind an escaped quote that are looked at one by one. */
const LOOKED_AT = 64;

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start) + 1;
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return endOfWord(text, start);
  let depth = 0;
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
}

function endOfWord(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isBlank(code)) break;
  }
  return at;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

export const code = (character: string): number => character.charCodeAt(0);
export const QUOTE = code('"');
export const BACKSLASH = code('\\');
export const COMMA = code(',');
export const OPEN_BRACE = code('{');
export const CLOSE_BRACE = code('}');
export const OPEN_BRACKET = code('[');
export const CLOSE_BRACKET = code(']');
const [SPACE, NEWLINE, RETURN, TAB] = [code(' '), code('\n'), code('\r'), code('\t')];
/** Compared, not looked up: a look into a set takes longer than all the rest of a character. */
export const isBlank = (unit: number): boolean => unit === SPACE || unit === NEWLINE || unit === RETURN || unit === TAB;
