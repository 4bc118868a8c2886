import { isMembers, readOrFault, type Members } from './datapoint-json.js';
import { readDatapoint, type DatapointText } from './datapoint-text.js';

export interface GenericFields {
  variant: 'Generic';
  fields: Record<GenericMember, FormField>;
  /** The input where that is a list of messages, which takes the place of its field; `null` for every other one. */
  messages: readonly MessageFields[] | null;
  /** Members that the form does not show; they are kept. */
  rest: Members;
}

export type GenericMember = 'input' | 'expected_output' | 'actual_output' | 'score' | 'metadata';

export interface ConversationFields {
  variant: 'LlmConversation';
  messages: readonly MessageFields[];
  expected: FormField;
  metadata: FormField;
  rest: Members;
}

export interface MessageFields {
  role: string;
  content: FormField;
  rest: Members;
}

export type DatapointFields = GenericFields | ConversationFields;

/** Reads a text for the form; `null` where it is no datapoint that a form can show. */
export function readFields(draft: DatapointText): DatapointFields | null {
  const read = readDatapoint(draft);
  if ('fault' in read) return null;
  const [variant, members] = Object.entries(read.kind)[0] as [string, unknown];
  if (!isMembers(members)) return null;
  return variant === 'Generic' ? readGeneric(members) : readConversation(members);
}

function readGeneric({ input, expected_output, actual_output, score, metadata, ...rest }: Members): GenericFields {
  const fields = {
    input: { ...fieldOf(input), empty: input === null ? null : '' },
    expected_output: fieldOf(expected_output),
    actual_output: fieldOf(actual_output),
    score: jsonFieldOf(score),
    metadata: jsonFieldOf(metadata),
  } as const;
  const messages = Array.isArray(input) && input.length > 0 ? readMessages(input) : null;
  return { variant: 'Generic', fields, messages, rest };
}

function readConversation({ messages, expected, metadata, ...rest }: Members): ConversationFields | null {
  const read = Array.isArray(messages) ? readMessages(messages) : null;
  if (read === null) return null;
  return {
    ...{ variant: 'LlmConversation', messages: read, rest },
    ...{ expected: fieldOf(expected), metadata: jsonFieldOf(metadata) },
  };
}

function readMessages(messages: readonly unknown[]): MessageFields[] | null {
  const read = messages.map(readMessage);
  return read.every((message) => message !== null) ? read : null;
}

function readMessage(message: unknown): MessageFields | null {
  if (!isMembers(message)) return null;
  const { role, content, ...rest } = message;
  return typeof role === 'string' ? { role, content: fieldOf(content), rest } : null;
}

/** How many messages stand before the last one of a user. */
export const countEarlier = (messages: readonly MessageFields[]): number =>
  Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'user'),
  );

/** Writes what the form says as the text of the editor. @param isWrapped whether the variant stands around its members. */
export function writeFields(form: DatapointFields, isWrapped = false): string {
  return isWrapped ? writeObject([[form.variant, writeMembers(form)]]) : writeMembers(form);
}

function writeMembers(form: DatapointFields): string {
  if (form.variant === 'Generic') {
    const { input, ...others } = form.fields;
    const written = form.messages === null ? jsonOfField(input) : writeMessages(form.messages);
    const members = Object.entries(others).map(([name, field]) => [name, jsonOfField(field)] as const);
    return writeObject([['input', written], ...members, ...writtenRest(form.rest)]);
  }
  return writeObject([
    ['messages', writeMessages(form.messages)],
    ['expected', jsonOfField(form.expected)],
    ['metadata', jsonOfField(form.metadata)],
    ...writtenRest(form.rest),
  ]);
}

const writeMessages = (messages: readonly MessageFields[]): string => writeList(messages.map(writeMessage));

const writeMessage = ({ role, content, rest }: MessageFields): string =>
  writeObject([['role', JSON.stringify(role)], ['content', jsonOfField(content)], ...writtenRest(rest)]);

/** A member and its JSON; `null` leaves it out. */
type WrittenMember = readonly [name: string, json: string | null];

const writtenRest = (rest: Members): WrittenMember[] =>
  Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value, null, 2)]);

function writeObject(members: readonly WrittenMember[]): string {
  const written = members.flatMap(([name, json]) => (json === null ? [] : [`${JSON.stringify(name)}: ${json}`]));
  return written.length === 0 ? '{}' : `{\n${indented(written)}\n}`;
}

const writeList = (items: readonly string[]): string => (items.length === 0 ? '[]' : `[\n${indented(items)}\n]`);

const indented = (parts: readonly string[]): string => parts.join(',\n').replaceAll(/^/gm, '  ');

/** A value of a datapoint as a form has it: a text as it is, everything else as JSON. */
export interface FormField {
  as: 'text' | 'json';
  text: string;
  /** What an empty field stands for: no value at all, `null`, or the empty text. */
  empty: undefined | null | '';
}

/** A value as it is filled in. */
export function fieldOf(value: unknown): FormField {
  if (typeof value === 'string') return { as: 'text', text: value, empty: '' };
  if (value === undefined || value === null) return { as: 'text', text: '', empty: value };
  return { as: 'json', text: JSON.stringify(value, null, 2), empty: '' };
}

/** A value that is never a text; without one it is left out. */
export const jsonFieldOf = (value: unknown): FormField => ({
  as: 'json',
  text: value === undefined || value === null ? '' : JSON.stringify(value, null, 2),
  empty: undefined,
});

/**
 * What a field says, as JSON; `null` for no value. What was typed as JSON is taken as it is: a fault in it is one of the
 * whole text.
 */
export function jsonOfField({ as, text, empty }: FormField): string | null {
  const isEmpty = (as === 'json' ? text.trim() : text) === '';
  if (isEmpty) return empty === undefined ? null : JSON.stringify(empty);
  return as === 'json' ? text.trim() : JSON.stringify(text);
}

/** What is wrong with a field that holds JSON; `undefined` for nothing. */
export function faultOfField({ as, text }: FormField): string | undefined {
  return as === 'json' && text.trim() !== '' && 'fault' in readOrFault(text)
    ? 'This is not valid JSON yet.'
    : undefined;
}

/** The field read the other way: the JSON `"a"` is the text `a`; a text that is no JSON becomes a JSON string. */
export function readAs(field: FormField, as: FormField['as']): FormField {
  if (field.as === as || field.text === '') return { ...field, as };
  const read = readOrFault(field.text);
  if (as === 'json') return { ...field, as, text: 'fault' in read ? JSON.stringify(field.text) : field.text };
  return { ...field, as, text: 'data' in read && typeof read.data === 'string' ? read.data : field.text };
}
