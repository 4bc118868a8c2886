import { describeJsonFault, JsonSyntaxError, parseExactJson, parseWithSources } from '@spandrel/contract/browser';

export type Members = Record<string, unknown>;

/** Some browsers send numbers as their doubles hold them. */
const CAN_KEEP_DIGITS = typeof JSON.rawJSON === 'function';

/** Reads JSON; numbers stay as they are written where the browser can. @throws JsonSyntaxError or SyntaxError. */
const readJson = (text: string): unknown =>
  CAN_KEEP_DIGITS ? parseExactJson(text, Infinity, parseWithSources) : JSON.parse(text);

/** Whether a value is an object. A number that is kept with all its digits is one for JavaScript alone. */
export function isMembers(value: unknown): value is Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(CAN_KEEP_DIGITS && JSON.isRawJSON(value));
}

/** The members of a datapoint that have a value; an input may be `null`. */
export const filledMembers = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([name, value]) => value !== null || name === 'input'));

/** What a text says as JSON, or what is wrong with it. */
export function readOrFault(text: string): { data: unknown } | { fault: string } {
  try {
    return { data: readJson(text) };
  } catch (error) {
    return { fault: error instanceof JsonSyntaxError ? error.message : describeJsonFault(text) };
  }
}
