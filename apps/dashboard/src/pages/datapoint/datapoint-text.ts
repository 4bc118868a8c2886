import type { DatapointKind, DatapointResource } from '@spandrel/contract';
import { describeJsonFault, JsonSyntaxError } from '@spandrel/contract/browser';
import type { LineFault } from '../../components/json-editor/create-json-view.js';
import { isMembers, readJson, type Members } from './read-json.js';

/** Variants of a datapoint by the API's own names. */
export type Variant = 'Generic' | 'LlmConversation';

/** A datapoint as it is written: its variant, and the members of that as JSON. */
export interface DatapointText {
  variant: Variant;
  text: string;
}

/** What the editor of a new datapoint begins with. */
export const NEW_DATAPOINT: DatapointText = {
  variant: 'Generic',
  text: write({ input: '', expected_output: '' }),
};

/** Writes a datapoint for the editor. Members without a value are left out; an input may be `null`. */
export function writeDatapoint({ kind }: Pick<DatapointResource, 'kind'>): DatapointText {
  const [variant, members] = Object.entries(kind)[0] as [Variant, Members];
  const filled = Object.entries(members).filter(([name, value]) => value !== null || name === 'input');
  return { variant, text: write(Object.fromEntries(filled)) };
}

/**
 * Reads what the editor holds. Numbers keep their digits. A text with the variant around its members, as the API has it,
 * is read as well.
 */
export function readDatapoint({ variant, text }: DatapointText): { kind: DatapointKind } | { fault: LineFault } {
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    return { fault: placedFault(error instanceof JsonSyntaxError ? error.message : describeJsonFault(text)) };
  }
  if (!isMembers(value)) return { fault: { line: 1, message: 'must be an object' } };
  return { kind: (wrappedVariant(value) === null ? { [variant]: value } : value) as DatapointKind };
}

/** The variant that a text itself names; `null` where it has members alone. */
export function variantIn(text: string): Variant | null {
  if (!/^\s*\{\s*"(?:Generic|LlmConversation)"/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? wrappedVariant(value) : null;
  } catch {
    return null;
  }
}

/** The text for another variant, with what both have in common; a text that is no object stays as it is. */
export function changeVariant(before: DatapointText, variant: Variant): DatapointText {
  const read = readDatapoint(before);
  if (before.variant === variant || 'fault' in read) return { ...before, variant };
  const members = Object.values(read.kind)[0] as Members;
  return { variant, text: write(variant === 'Generic' ? toGeneric(members) : toConversation(members)) };
}

function toGeneric({ messages, expected, ...rest }: Members): Members {
  const only: unknown = Array.isArray(messages) && messages.length === 1 ? messages[0] : null;
  const isPlain = isMembers(only) && only['role'] === 'user' && typeof only['content'] === 'string';
  const input = isPlain ? only['content'] : (messages ?? '');
  return { input, ...(expected !== undefined && { expected_output: expected }), ...rest };
}

function toConversation({ input, expected_output: expected, ...rest }: Members): Members {
  const isMessages = Array.isArray(input) && input.length > 0 && input.every((one) => isMembers(one) && 'role' in one);
  const messages = isMessages ? input : [{ role: 'user', content: asText(input) }];
  return { messages, ...(expected !== undefined && { expected: asText(expected) }), ...rest };
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : (JSON.stringify(value) ?? '');

/** The one key of a value that is a variant with its members. */
function wrappedVariant(value: Members): Variant | null {
  const [name, ...others] = Object.keys(value);
  return others.length === 0 && (name === 'Generic' || name === 'LlmConversation') ? name : null;
}

/** Reads the place out of the words of a fault. */
function placedFault(described: string): LineFault {
  const placed = /^not valid JSON at (?:line (\d+), column \d+|character \d+): (.*)$/s.exec(described);
  return placed === null ? { line: null, message: described } : { line: Number(placed[1] ?? 1), message: placed[2]! };
}

function write(members: Members): string {
  return JSON.stringify(members, null, 2);
}
