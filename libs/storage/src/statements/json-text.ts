import { isLargeJson, jsonTextInPieces, parseExactJson } from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';

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

/** An object as a column keeps it; no members is nothing. */
export const objectFromJsonText = (text: string | null): Record<string, unknown> =>
  text === null ? {} : (parseExactJson(text) as Record<string, unknown>);
