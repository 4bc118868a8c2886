import { parseExactJson } from '@spandrel/contract';

/** A JSON value as a column keeps it; nothing and JSON `null` look the same on the wire and are the same here. */
export const toJsonText = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);

export const fromJsonText = (text: string | null): unknown => (text === null ? null : parseExactJson(text));

/** An object as a column keeps it; no members is nothing. */
export const objectFromJsonText = (text: string | null): Record<string, unknown> =>
  text === null ? {} : (parseExactJson(text) as Record<string, unknown>);
