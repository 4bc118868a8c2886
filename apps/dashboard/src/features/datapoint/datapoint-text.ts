import type { DatapointKind, DatapointResource } from '@spandrel/contract';
import { datapointOfTexts, lastQuestionOf } from '@spandrel/contract/browser';
import type { LineFault } from '../../components/json-editor.js';
import { indexJson, JSON_KIND, memberOf, type JsonIndex } from '../../components/json-tree/json-index.js';
import { filledMembers, isMembers, readOrFault, type Members } from './datapoint-json.js';

/** Variants of a datapoint by the API's own names. */
export type Variant = 'Generic' | 'LlmConversation';

/** A datapoint as it is written: its variant, and the members of that as JSON. */
export interface DatapointText {
  variant: Variant;
  text: string;
}

export const NEW_DATAPOINT: DatapointText = {
  variant: 'Generic',
  text: write({ input: '', expected_output: '' }),
};

/** What a datapoint is about: its last question, or its input as JSON. */
export function inputTextOf(kind: DatapointKind): string {
  const input = 'LlmConversation' in kind ? kind.LlmConversation.messages : kind.Generic.input;
  return lastQuestionOf(input) ?? JSON.stringify(input, null, 2) ?? '';
}

const TITLE_LENGTH = 120;

/** The first line of what a datapoint is about, or its id where that is empty. */
export function titleOfDatapoint({ id, kind }: Pick<DatapointResource, 'id' | 'kind'>): string {
  const [line = ''] = inputTextOf(kind).trimStart().split('\n', 1);
  if (line.trim() === '') return `Datapoint ${id}`;
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH)}…` : line.trimEnd();
}

/** Writes a datapoint for the editor. Members without a value are left out; an input may be `null`. */
export function writeDatapoint({ kind }: Pick<DatapointResource, 'kind'>): DatapointText {
  const [variant, members] = Object.entries(kind)[0] as [Variant, Members];
  return { variant, text: write(filledMembers(members)) };
}

/**
 * Reads what the editor holds. Numbers keep their digits. A text with the variant around its members, as the API has it,
 * is read as well.
 */
export function readDatapoint({ variant, text }: DatapointText): { kind: DatapointKind } | { fault: LineFault } {
  const read = readOrFault(text);
  if ('fault' in read) return { fault: placedFault(read.fault) };
  const value = read.data;
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

function toConversation({ input, expected_output: expected, metadata, ...rest }: Members): Members {
  const read = datapointOfTexts({ input, output: null, isLlmCall: false });
  const conversation =
    'LlmConversation' in read
      ? read.LlmConversation
      : { messages: [{ role: 'user', content: asText(input) }], metadata: null };
  // What stood beside messages in the input is metadata of the conversation.
  const together = conversation.metadata
    ? { ...(metadata as Members | undefined), ...conversation.metadata }
    : metadata;
  return {
    messages: conversation.messages,
    ...(expected !== undefined && { expected: asText(expected) }),
    ...(together !== undefined && { metadata: together }),
    ...rest,
  };
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : (JSON.stringify(value) ?? '');

/** The one key of a value that is a variant with its members. */
function wrappedVariant(value: Members): Variant | null {
  const [name, ...others] = Object.keys(value);
  return others.length === 0 && (name === 'Generic' || name === 'LlmConversation') ? name : null;
}

function placedFault(described: string): LineFault {
  const placed = /^not valid JSON at (?:line (\d+), column \d+|character \d+): (.*)$/s.exec(described);
  return placed === null ? { line: null, message: described } : { line: Number(placed[1] ?? 1), message: placed[2]! };
}

function write(members: Members): string {
  return JSON.stringify(members, null, 2);
}

/** A path in JSON: names of members and numbers of items. */
type JsonPath = readonly (string | number)[];

/**
 * The line on which a value stands, or the nearest value around it that there is; counts from 1.
 * @param text valid JSON.
 */
export function lineOfPath(text: string, path: JsonPath): number {
  const index = indexJson(text);
  let node = 0;
  for (const step of path) {
    const next = index === null ? -1 : childOf(text, index, node, step);
    if (next === -1) break;
    node = next;
  }
  const start =
    index === null ? 0 : node === 0 || index.keyFrom[node] === -1 ? index.from[node]! : index.keyFrom[node]!;
  return text.slice(0, start).split('\n').length;
}

/** A member by its name or an item by its number; -1 where there is none. */
function childOf(text: string, index: JsonIndex, node: number, step: string | number): number {
  if (typeof step === 'string') return memberOf(text, index, node, step);
  if (index.kind[node] !== JSON_KIND.array || step >= index.size[node]!) return -1;
  let item = node + 1;
  for (let at = 0; at < step; at++) item = index.end[item]!;
  return item;
}

/**
 * Reads a path as the API writes it, below the datapoint's variant: `kind.Generic.score` is `score`.
 * @returns the empty path for the whole of it.
 */
export function pathOfFault(path: string): JsonPath {
  const steps = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, item, name]) =>
    item === undefined ? name! : Number(item),
  );
  return steps.slice(2);
}
