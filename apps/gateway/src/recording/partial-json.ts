import { endOfString, JSON_DEPTH_MAX, parseExactJson } from '@spandrel/contract';

/**
 * Reads what is there of a JSON object whose middle was left out: its beginning, completed where it breaks off, and
 * the members at its end.
 * @param sameMember whether the ending begins in the member in which the beginning breaks off: a list goes on then.
 * @returns the object, or `undefined` when not even a beginning can be read.
 */
export function parsePartialJson(beginning: string, ending: string, sameMember = false): unknown {
  const first = tryParse(completeJson(beginning));
  if (typeof first !== 'object' || first === null || Array.isArray(first)) return first;
  const { members, items } = readEnding(ending);
  const name = Object.keys(first).at(-1);
  const begun = name === undefined ? undefined : (first as Record<string, unknown>)[name];
  const list = sameMember && Array.isArray(begun) ? { [name!]: [...(begun as unknown[]), ...items] } : {};
  return { ...first, ...list, ...members };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const BACKSLASH = 0x5c;
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

/** What can be read of the end of an object. */
interface Ending {
  /** The last of its members, those that stand there whole. */
  members: Record<string, unknown>;
  /** The last items of the list before these. */
  items: unknown[];
}

const NOTHING: Ending = Object.freeze({ members: {}, items: [] });

/** Reads an object's text from its end: seen from there each bracket and quote is known for what it is. */
function readEnding(text: string): Ending {
  let membersAt = -1;
  /** Where the list or object ends that is open in the outermost, and where the first of its values begins that is whole. */
  let valueEnd = -1;
  let itemsAt = -1;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = startOfString(text, at);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth++ === 1) [valueEnd, itemsAt] = [at, -1];
    } else if (depth === 0) {
      if (code > SPACE) return NOTHING;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (--depth === 1) valueEnd = -1;
      if (depth === 0) {
        membersAt = at + 1;
        break;
      }
    } else if (code === COMMA) {
      if (depth === 1) membersAt = at + 1;
      else if (depth === 2) itemsAt = at + 1;
    }
  }
  const members = membersAt === -1 ? undefined : tryParse(`{${text.slice(membersAt)}`);
  const isList = valueEnd !== -1 && itemsAt !== -1 && text.charCodeAt(valueEnd) === CLOSE_BRACKET;
  const items = isList ? tryParse(`[${text.slice(itemsAt, valueEnd)}]`) : undefined;
  return {
    members: (members as Record<string, unknown> | undefined) ?? {},
    items: Array.isArray(items) ? items : [],
  };
}

/** The opening quote of a string. @param end its closing quote. @returns -1 where there is none. */
function startOfString(text: string, end: number): number {
  for (let at = end; ;) {
    at = at === 0 ? -1 : text.lastIndexOf('"', at - 1);
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (at === -1 || backslashes % 2 === 0) return at;
  }
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
