import type { DatapointKind, DatapointResource } from '@spandrel/contract';
import { datapointOfTexts, describeJsonFault, JsonSyntaxError, lastQuestionOf } from '@spandrel/contract/browser';
import type { LineFault } from '../../components/json-editor.js';
import { filledMembers, isMembers, readJson, type Members } from './datapoint-json.js';

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
  const place = placeOf(text, path);
  return text.slice(0, place).split('\n').length;
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

/** Tokens that say where values are; blanks, numbers and words lie between. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]/g;

/** An object or a list that the reader is within. */
interface Level {
  /** The next item of a list, or the member that is read. */
  at: string | number;
}

function placeOf(text: string, path: JsonPath): number {
  const levels: Level[] = [];
  let best = { depth: 0, place: 0 };
  let isName = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (isName && token.startsWith('"') && level !== undefined) {
      level.at = JSON.parse(token) as string;
      isName = false;
      note(index);
    } else if (token === '{') {
      levels.push({ at: '' });
      isName = true;
    } else if (token === '[') {
      levels.push({ at: 0 });
      note(index + 1 + blanksAt(text, index + 1));
    } else if (token === ',' && level !== undefined) {
      isName = typeof level.at === 'string';
      if (typeof level.at === 'number') {
        level.at++;
        note(index + 1 + blanksAt(text, index + 1));
      }
    } else if (token === '}' || token === ']') {
      levels.pop();
      isName = false;
    }
  }
  return best.place;

  /** Remembers a place that is on the way. */
  function note(place: number): void {
    const depth = levels.length;
    if (depth > best.depth && depth <= path.length && levels.every(({ at }, step) => at === path[step]))
      best = { depth, place };
  }
}

const blanksAt = (text: string, from: number): number => /^\s*/.exec(text.slice(from, from + 1_000))![0].length;
