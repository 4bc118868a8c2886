import { isLargeJson, jsonTextInPieces, parseExactJson, exactJsonInPieces } from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import { containsFolded as columnContains, sql, type Sql } from './sql.js';

/** A JSON value as a column keeps it; nothing and JSON `null` look the same on the wire and are the same here. */
export const toJsonText = (value: unknown): string | null =>
  value === undefined || value === null ? null : jsonText(value);

/** `JSON.stringify`, unless the text has been {@link writtenAhead}. */
export const jsonText = (value: unknown): string =>
  (typeof value === 'object' && value !== null ? written.get(value) : undefined) ?? JSON.stringify(value);

/** Texts of large values on their way into a transaction, which must not be held up by writing them. */
const written = new WeakMap<object, string>();

/**
 * Writes the JSON text of a large value, and lets others have their turn meanwhile; {@link jsonText} then gives it.
 * @returns what is to be stored in place of the value: the value itself, or raw JSON for a long text.
 */
export async function writtenAhead<Value>(value: Value): Promise<Value> {
  if (!isLargeJson(value)) return value;
  const text = await inTurns(jsonTextInPieces(value));
  const kept = typeof value === 'object' ? value : (JSON.rawJSON(text) as Value);
  written.set(kept as object, text);
  return kept;
}

export const fromJsonText = (text: string | null): unknown => (text === null ? null : parseExactJson(text));

/** {@link fromJsonText} of what may be long: others have their turn meanwhile. */
export const fromLongJsonText = async (text: string | null): Promise<unknown> =>
  text === null ? null : inTurns(exactJsonInPieces(text));

/** An object as a column keeps it; no members is nothing. */
export const objectFromJsonText = (text: string | null): Record<string, unknown> =>
  text === null ? {} : (parseExactJson(text) as Record<string, unknown>);

/** Longest part of a needle that the database looks for; the rest is left to {@link jsonContains}. */
const PREFILTER_LENGTH_MAX = 500;

/**
 * Whether a string, number or boolean anywhere in a JSON text contains the needle, ignoring the case of ASCII letters
 * (docs/spec/spans.md#text-filters). Member names do not count. Others have their turn meanwhile.
 */
export async function jsonContains(text: string | null, needle: string): Promise<boolean> {
  return text !== null && (await inTurns(containsFolded(text, foldAscii(needle))));
}

function* containsFolded(text: string, folded: string): Generator<void, boolean, void> {
  const left: unknown[] = [yield* exactJsonInPieces(text)];
  for (let looked = 1; left.length > 0; looked++) {
    const value = left.pop();
    if (typeof value === 'string') {
      if (yield* textContains(value, folded)) return true;
    } else if (typeof value === 'object' && value !== null && !JSON.isRawJSON(value)) {
      for (const member of Object.values(value)) left.push(member);
    } else if (value !== null && foldAscii(JSON.isRawJSON(value) ? value.rawJSON : String(value)).includes(folded)) {
      return true;
    }
    if (looked % VALUES_AT_ONCE === 0) yield;
  }
  return false;
}

/** Values that are looked at before others may have their turn. */
const VALUES_AT_ONCE = 4_096;
/** UTF-16 units that are folded at once: to fold a text of alternating case takes as long as to parse it. */
const FOLDED_AT_ONCE = 65_536;

/** Whether a text contains a folded needle; neighbouring pieces overlap by the length of the needle. */
function* textContains(text: string, folded: string): Generator<void, boolean, void> {
  for (let start = 0; ; start += FOLDED_AT_ONCE) {
    const end = start + FOLDED_AT_ONCE + folded.length;
    if (foldAscii(text.slice(start, end)).includes(folded)) return true;
    if (end >= text.length) return false;
    yield;
  }
}

/** Rows that may contain the needle: all that {@link jsonContains} takes pass, and a few more may. */
export function mayContainJson(column: string, needle: string): Sql {
  const written = needleInJson(needle);
  return written === undefined ? sql`1 = 1` : columnContains(column, written);
}

/** The needle as JSON writes it, or the beginning of a long one; `undefined` where nothing can be said. */
export function needleInJson(needle: string): string | undefined {
  const shortened = needle.slice(0, PREFILTER_LENGTH_MAX).replace(/[\ud800-\udbff]$/, '');
  return shortened.isWellFormed() ? foldAscii(JSON.stringify(shortened).slice(1, -1)) : undefined;
}

/** Folds the case of A–Z only: what both databases fold too (see `containsText`). */
export const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
