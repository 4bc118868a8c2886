/**
 * A JSON value as the text a model reads and is compared with (contract.md "Evaluations", expected text and input): a
 * string as it is, other JSON as compact JSON, with numbers to the last digit.
 */
export const plainTextOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
