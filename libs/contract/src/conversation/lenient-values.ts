export type JsonObject = Readonly<Record<string, unknown>>;

const NOTHING: JsonObject = Object.freeze({});

/** Whether a value is an object of JSON. A number that is kept with all its digits is one for JavaScript alone. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumberText(value);

/** The object that a value is; an empty one for all else. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : NOTHING);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text that has something in it; `null` for all else. */
export const filledText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The first of some values that is a text with something in it. */
export const firstText = (...values: readonly unknown[]): string | null =>
  filledText(values.find((value) => filledText(value) !== null));

/** Older browsers have no such values. */
const isNumberText = (value: object): boolean => typeof JSON.isRawJSON === 'function' && JSON.isRawJSON(value);
