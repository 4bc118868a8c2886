import { endOfString, JSON_DEPTH_MAX, parseExactJson } from '@spandrel/contract';

/**
 * Reads what is there of a JSON object whose middle was left out: its beginning, completed where it breaks off, and
 * the members at its end.
 * @returns the object, or `undefined` when not even a beginning can be read.
 */
export function parsePartialJson(beginning: string, ending: string): unknown {
  const first = tryParse(completeJson(beginning));
  if (typeof first !== 'object' || first === null || Array.isArray(first)) return first;
  const last = lastMembers(ending);
  return last === undefined ? first : { ...first, ...last };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const SPACE = 0x20;

/** Cuts JSON text that breaks off back to its last whole value and closes what is open. */
function completeJson(text: string): string {
  const open: string[] = [];
  let safe = 0;
  /** The last character outside strings that is no blank. */
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end === -1) {
        const isName = open.at(-1) === '}' && (before === OPEN_BRACE || before === COMMA);
        return (isName ? text.slice(0, safe) : `${withoutBrokenEscape(text)}"`) + closersOf(open);
      }
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      // Deeper text is not read, however it ends.
      if (open.push(code === OPEN_BRACE ? '}' : ']') > JSON_DEPTH_MAX) return text;
      safe = at + 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
      safe = at + 1;
    } else if (code === COMMA) {
      safe = at;
    }
    if (code > SPACE) before = code;
  }
  return text.slice(0, safe) + closersOf(open);
}

const closersOf = (open: readonly string[]): string => open.toReversed().join('');

/** A text that breaks off within a string, without an escape that breaks off. */
function withoutBrokenEscape(text: string): string {
  const broken = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text.slice(-LONGEST_BROKEN_ESCAPE));
  if (!broken) return text;
  const at = text.length - broken[0].length;
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 0 ? text.slice(0, at) : text;
}

/** `\u` and three digits. */
const LONGEST_BROKEN_ESCAPE = 5;

/** How many commas from the end are tried as the start of the last members. */
const CANDIDATES_MAX = 64;

/** The longest run of members the text of an object ends with. */
function lastMembers(ending: string): Record<string, unknown> | undefined {
  let found: Record<string, unknown> | undefined;
  let at = ending.length;
  for (let tries = 0; tries < CANDIDATES_MAX; tries++) {
    at = ending.lastIndexOf(',', at - 1);
    if (at <= 0) break;
    const members = `{${ending.slice(at + 1)}`;
    if (isJson(members)) found = (tryParse(members) as Record<string, unknown> | undefined) ?? found;
  }
  return found;
}

/** The quick way to know: {@link parseExactJson} looks for words that say what is wrong. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
