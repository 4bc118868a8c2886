import { parseExactJson } from '@spandrel/contract/browser';

/** Members of an object. */
export type Members = Record<string, unknown>;

/** Some browsers send numbers as their doubles hold them. */
const CAN_KEEP_DIGITS = typeof JSON.rawJSON === 'function';

/** Reads JSON; numbers keep their digits where the browser can. @throws JsonSyntaxError or SyntaxError. */
export const readJson = (text: string): unknown => (CAN_KEEP_DIGITS ? parseExactJson(text) : JSON.parse(text));

/** Whether a value is an object. A number that is kept with all its digits is one for JavaScript alone. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

const isRawNumber = (value: object): boolean => CAN_KEEP_DIGITS && JSON.isRawJSON(value);
