/**
 * A JSON value as the text that a model reads and is compared with (docs/spec/evaluations.md#expected-text): a string
 * as it is, other JSON as compact JSON, with numbers to the last digit.
 */
export const plainTextOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
