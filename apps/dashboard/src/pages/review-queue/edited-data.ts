import type { DatapointKind } from '@spandrel/contract';
import { JsonSyntaxError, parseExactJson } from '@spandrel/contract/browser';

/** Other browsers send numbers as their doubles hold them. */
const CAN_KEEP_DIGITS = typeof JSON.rawJSON === 'function';

type Members = Readonly<Record<string, unknown>>;

/** Data as the text that a reviewer edits. Members of a datapoint without a value are left out; an input may be `null`. */
export function writeData(kind: DatapointKind): string {
  const [variant, members] = Object.entries(kind)[0] as [string, Members];
  const filled = Object.entries(members).filter(([name, value]) => value !== null || name === 'input');
  return JSON.stringify({ [variant]: Object.fromEntries(filled) }, null, 2);
}

/** What was submitted as text: a datapoint as {@link writeData} has it, all else as JSON. */
export const writeSubmitted = (data: unknown): string =>
  isKind(data) ? writeData(data) : (JSON.stringify(data, null, 2) ?? 'null');

/** The datapoint with another expected text. */
export const withExpected = (kind: DatapointKind, expected: string): DatapointKind =>
  'Generic' in kind
    ? { Generic: { ...kind.Generic, expected_output: expected } }
    : { LlmConversation: { ...kind.LlmConversation, expected } };

/** Reads what was edited; numbers keep their digits. */
export function readData(text: string): { data: unknown } | { fault: string } {
  try {
    return { data: CAN_KEEP_DIGITS ? parseExactJson(text) : JSON.parse(text) };
  } catch (error) {
    return { fault: error instanceof JsonSyntaxError ? error.message : faultOf(text) };
  }
}

/** What is wrong with a text that is no JSON: the exact reader says where. */
function faultOf(text: string): string {
  try {
    parseExactJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
  }
  return 'not valid JSON';
}

/** Whether data has the form of a datapoint, without which it is not written back (docs/spec/queue.md#applying-edited-data). */
export function isKind(data: unknown): data is DatapointKind {
  if (!isMembers(data)) return false;
  const [variant, ...others] = Object.keys(data);
  const members = data[variant ?? ''];
  if (others.length > 0 || !isMembers(members)) return false;
  if (variant === 'Generic') return members['input'] !== undefined;
  return variant === 'LlmConversation' && Array.isArray(members['messages']) && members['messages'].length > 0;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** A number that is kept with all its digits is an object. */
const isRawNumber = (value: object): boolean => CAN_KEEP_DIGITS && JSON.isRawJSON(value);
