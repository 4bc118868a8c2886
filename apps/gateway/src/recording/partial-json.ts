import { parseExactJson } from '@spandrel/contract';

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

/** Cuts JSON text that breaks off back to its last whole value and closes what is open. */
function completeJson(text: string): string {
  const open: string[] = [];
  let safe = 0;
  let closers = '';
  let i = 0;
  while (i < text.length) {
    const char = text[i]!;
    if (char === '"') {
      const end = stringEnd(text, i);
      const isKey = open.at(-1) === '}' && /[{,]\s*$/.test(text.slice(Math.max(0, i - 64), i));
      if (end === -1)
        return isKey ? text.slice(0, safe) + closers : `${closeString(text)}"${open.toReversed().join('')}`;
      i = end;
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      safe = i + 1;
      closers = open.toReversed().join('');
    } else if (char === '}' || char === ']') {
      open.pop();
      safe = i + 1;
      closers = open.toReversed().join('');
    } else if (char === ',') {
      safe = i;
      closers = open.toReversed().join('');
    }
    i++;
  }
  return text.slice(0, safe) + closers;
}

function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return -1;
}

/** The text without an escape that breaks off at the end. */
const closeString = (text: string): string => text.replace(/(^|[^\\])((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/, '$1$2');

/** How many commas from the end are tried as the start of the last members. */
const CANDIDATES_MAX = 64;

/** The longest run of members the text of an object ends with. */
function lastMembers(ending: string): Record<string, unknown> | undefined {
  let found: Record<string, unknown> | undefined;
  let at = ending.length;
  for (let tries = 0; tries < CANDIDATES_MAX; tries++) {
    at = ending.lastIndexOf(',', at - 1);
    if (at <= 0) break;
    const members = tryParse(`{${ending.slice(at + 1)}`);
    if (typeof members === 'object' && members !== null) found = members as Record<string, unknown>;
  }
  return found;
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
