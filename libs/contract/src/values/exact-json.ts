import { describeJsonFault } from './json-fault.js';
import { JsonSyntaxError, parseWithAllDigits, type JsonValue } from './json-digits.js';
import { endOfString } from './json-members.js';

/** Levels of arrays and objects a body may nest (docs/spec/general.md#json). */
export const JSON_DEPTH_MAX = 200;

/** Members one object of a body may have: a million of them keep the parser busy for a second. */
export const JSON_MEMBERS_MAX = 100_000;

/**
 * Parses JSON text without changing a value (docs/spec/general.md#values-are-kept-exactly).
 * @param text UTF-16 text of one JSON value.
 * @returns the value; own `__proto__` keys stay own keys, the last of duplicate keys wins.
 * @throws JsonSyntaxError when the text is not JSON, nests deeper than {@link JSON_DEPTH_MAX}, has an object of more
 *   than {@link JSON_MEMBERS_MAX} members, or holds a number outside the range of a double.
 */
export function parseExactJson(text: string): JsonValue {
  assertModest(text);
  return readExactJson(text);
}

/**
 * Reads JSON text that the service itself wrote: exact like {@link parseExactJson}, without its limits, which an answer
 * around values at their limits would exceed.
 * @throws JsonSyntaxError when the text is not JSON, or holds a number outside the range of a double.
 */
export function readExactJson(text: string): JsonValue {
  try {
    return parseWithAllDigits(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw error;
    throw new JsonSyntaxError(describeJsonFault(text));
  }
}

/**
 * Refuses what would keep the event loop for long, before it is parsed. Counts brackets and colons outside strings and
 * jumps from quote to quote, so long texts cost little.
 */
function assertModest(text: string): void {
  if (text.length <= SHORT && !hasMore(text, JSON_DEPTH_MAX, '[', '{')) return;
  members[0] = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfString(text, i);
      if (i === -1) return;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > JSON_DEPTH_MAX) throw new JsonSyntaxError(`JSON nests deeper than ${JSON_DEPTH_MAX} levels`);
      members[depth] = 0;
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    } else if (code === 0x3a && ++members[depth]! > JSON_MEMBERS_MAX) {
      throw new JsonSyntaxError(`an object has more than ${JSON_MEMBERS_MAX} members`);
    }
  }
}

/** A text no longer than this has no object of too many members: each takes quotes, a colon, a value and a comma. */
const SHORT = 5 * JSON_MEMBERS_MAX;

/** Whether two characters stand in a text more often than so, within strings or not: a look that costs next to nothing. */
function hasMore(text: string, times: number, ...characters: readonly [string, string]): boolean {
  let left = times;
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      if (--left < 0) return true;
    }
  }
  return false;
}

/** Members so far of the object at each depth; only while {@link assertModest} runs. */
const members = new Uint32Array(JSON_DEPTH_MAX + 1);
