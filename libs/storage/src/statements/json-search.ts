import { parseExactJson } from '@spandrel/contract';
import { containsFolded, sql, type Sql } from './sql.js';

/** Longest part of a needle that the database looks for; the rest is left to {@link jsonContains}. */
const PREFILTER_LENGTH_MAX = 500;

/**
 * Whether a string, number or boolean anywhere in a JSON value contains the needle, ignoring the case of ASCII letters.
 * Member names and structure do not count; numbers and booleans count as they are written
 * (docs/spec/spans.md#text-filters).
 * @param text JSON text; `null` contains nothing.
 */
export function jsonContains(text: string | null, needle: string): boolean {
  return text !== null && valueContains(parseExactJson(text), needle);
}

/** Whether a JSON value as {@link jsonContains} has it contains the needle. */
export const valueContains = (value: unknown, needle: string): boolean => containsFoldedText(value, foldAscii(needle));

/**
 * Rows that may contain the needle: a column that holds JSON text contains the needle as JSON writes it. Every row that
 * {@link jsonContains} takes passes; a few more may.
 */
export function mayContainJson(column: string, needle: string): Sql {
  const written = needleInJson(needle);
  return written === undefined ? sql`1 = 1` : containsFolded(column, written);
}

/**
 * What JSON text contains, but for the case of A to Z, when {@link jsonContains} finds the needle in it: the needle as JSON
 * writes it, or the beginning of a long one.
 * @returns `undefined` where nothing can be said.
 */
export function needleInJson(needle: string): string | undefined {
  const shortened = needle.slice(0, PREFILTER_LENGTH_MAX).replace(/[\ud800-\udbff]$/, '');
  return shortened.isWellFormed() ? foldAscii(JSON.stringify(shortened).slice(1, -1)) : undefined;
}

function containsFoldedText(value: unknown, folded: string): boolean {
  if (typeof value === 'string') return foldAscii(value).includes(folded);
  if (typeof value === 'number' || typeof value === 'boolean') return foldAscii(String(value)).includes(folded);
  if (typeof value !== 'object' || value === null) return false;
  if (JSON.isRawJSON(value)) return foldAscii(value.rawJSON).includes(folded);
  return Object.values(value).some((member) => containsFoldedText(member, folded));
}

/** Folds the case of A–Z only: what both databases fold too (see `containsText`). */
export const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
