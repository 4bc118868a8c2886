import { langChainRole } from '@spandrel/contract';
import type { ChatMessage, ToolCall } from '../chat.js';
import { filledTextOf, objectOf, textOf, without, type JsonObject } from '../wire/lenient-json.js';
import { looseJson, setMember } from './attribute-values.js';
import { typedPart, valueOfResult } from './provider-parts.js';

/**
 * The messages of a conversation in whichever form instrumentations write it: GenAI parts, contents of OpenAI, Anthropic,
 * Gemini, Bedrock and the AI SDK, messages of LangChain. Reading what it gave once more changes nothing.
 *
 * A content that is exactly one text part is that text, and other parts stay as sent; calls of tools stand in
 * `tool_calls: [{id, name, arguments}]`; a message that is one tool's result is `{role, tool_call_id, content}`. Text, and
 * what is no conversation, is one message of the user. Members that no form has a name for stay where they were, but for
 * those beside the `messages` of an object (see {@link isAllMessages}).
 * @param system a system prompt to put before the others, in any of these forms; `undefined`, `null`, `''` or `[]`: none.
 */
export function conversationOf(value: unknown, system?: unknown): ChatMessage[] {
  const messages = messagesIn(value);
  return isEmpty(system) ? messages : [messageOf({ role: 'system', content: system }), ...messages];
}

/** Whether a value has nothing beside what {@link conversationOf} makes messages of. */
export function isAllMessages(value: unknown): boolean {
  if (typeof value !== 'object' || Array.isArray(value)) return true;
  const object = objectOf(value);
  if (isMessage(object) || !Array.isArray(object['messages'])) return true;
  for (const member in object) if (member !== 'messages' && member !== 'system') return false;
  return true;
}

/** Whether a value is messages as {@link conversationOf} gives them, or nothing that it would change. */
export function isConversation(value: unknown): value is ChatMessage[] {
  return (
    Array.isArray(value) &&
    value.every((message) => {
      const { role, content, parts } = objectOf(message);
      return typeof role === 'string' && typeof content === 'string' && parts === undefined;
    })
  );
}

function messagesIn(value: unknown): ChatMessage[] {
  if (isEmpty(value)) return [];
  if (Array.isArray(value)) return messagesOfList(value);
  const object = objectOf(value);
  const message = messageIn(object);
  if (message) return [message];
  if (Array.isArray(object['messages'])) return conversationOf(object['messages'], object['system']);
  return [Array.isArray(object['content']) ? messageOf({ ...object, role: 'user' }) : { role: 'user', content: value }];
}

/** An object that is a message, or holds one: a choice, or an answer of Bedrock's Converse; else `undefined`. */
function messageIn(object: JsonObject): ChatMessage | undefined {
  if (isMessage(object)) return messageOf(object);
  if (Array.isArray(object['parts'])) return messageOf({ ...object, role: 'user' });
  const { message, output } = object;
  if (isMessage(objectOf(message))) return messageOf({ ...without(object, 'message'), ...objectOf(message) });
  const { message: answered, ...rest } = objectOf(output);
  if (!isMessage(objectOf(answered))) return undefined;
  return messageOf({ ...without(object, 'output'), ...rest, ...objectOf(answered) });
}

function messagesOfList(list: readonly unknown[]): ChatMessage[] {
  // LangChain sends a list of conversations, which is of one as a rule.
  const items: readonly unknown[] = list.every(Array.isArray) ? list.flat() : list;
  const messages = items.map((item) => messageIn(objectOf(item)));
  const isSpoken = messages.some((message) => message !== undefined);
  if (!isSpoken && !items.every((item) => typeof item === 'string')) {
    return [items.some(isPart) ? messageOf({ role: 'user', content: items }) : { role: 'user', content: items }];
  }
  return messages.map((message, at) => message ?? messageOfItem(items[at]));
}

/** What stands alone among messages: a call of a tool, what came of it (as items of Responses), or anything else. */
function messageOfItem(item: unknown): ChatMessage {
  const part = typedPart(item);
  if (toolCallOf(part)) return messageOf({ role: 'assistant', content: [part] });
  if (toolResultOf(part)) return messageOf({ role: 'tool', content: [part] });
  return { role: isReasoningItem(item) ? 'assistant' : 'user', content: item };
}

/** Whether something is what a model thought as an item of Responses, whose text is in a list. */
export function isReasoningItem(item: unknown): boolean {
  const { type, summary } = objectOf(item);
  return type === 'reasoning' && Array.isArray(summary);
}

/** Messages of LangChain have their members in `kwargs` or `data`, and a type instead of a role; those of Dify have a `text`. */
function messageOf(given: JsonObject): ChatMessage {
  if (isPlainMessage(given)) return given;
  const isOfDify = typeof given['role'] === 'string' && typeof given['text'] === 'string';
  if (isOfDify && given['content'] === undefined && given['parts'] === undefined) {
    return messageOf({ ...without(given, 'text'), content: given['text'] });
  }
  const object = given['role'] === undefined ? unwrapped(given) : given;
  const role = roleOf(given);
  const { content, parts, tool_calls: calls } = object;
  if (isContentOfGemini(content)) return messageOf({ ...without(object, 'content'), ...objectOf(content), role });
  const rest = othersOf(object);
  if (given['role'] === undefined) dropLangChain(rest);
  const sent = Array.isArray(parts) ? withContent(parts, content) : content;
  if (!Array.isArray(sent) || (sent.length === 1 && isPlainText(sent[0]))) {
    return withCalls({ role, content: contentOf(sent) ?? null, ...rest }, NO_CALLS, calls);
  }
  const typed = sent.map(typedPart);
  if (typed.length === 1 && isNothing(calls)) {
    const result = toolResultOf(typed[0]);
    if (result) return { role, ...result, ...rest };
  }
  const inParts = typed.flatMap((part) => toolCallOf(part) ?? []);
  const left = inParts.length === 0 ? typed : typed.filter((part) => !toolCallOf(part));
  return withCalls({ role, content: left.length === 0 ? null : contentOf(left), ...rest }, inParts, calls);
}

function unwrapped(given: JsonObject): JsonObject {
  const { kwargs, data, ...rest } = given;
  const isWrapped = objectOf(kwargs) === kwargs || objectOf(data) === data;
  return isWrapped ? { ...rest, ...objectOf(kwargs), ...objectOf(data) } : given;
}

const isContentOfGemini = (content: unknown): boolean => Array.isArray(objectOf(content)['parts']);

/** Parts with the content that stands beside them, unless that says again what is in one of them. */
function withContent(parts: readonly unknown[], content: unknown): readonly unknown[] {
  if (isEmpty(content) || parts.some((part) => textOfPart(part) === content)) return parts;
  return [...(Array.isArray(content) ? (content as unknown[]) : [content]), ...parts];
}

/** What a message has beside the members that are brought into one form. */
function othersOf(object: JsonObject): Record<string, unknown> {
  const others: Record<string, unknown> = {};
  for (const member in object) {
    const isBrought = BROUGHT.has(member) && (member !== 'parts' || Array.isArray(object[member]));
    if (!isBrought) setMember(others, member, object[member]);
  }
  return others;
}

const BROUGHT: ReadonlySet<string> = new Set(['role', 'content', 'parts', 'tool_calls']);

/** Whether a message is a role and a text alone, as most are: nothing has to be brought into another form. */
export function isPlainMessage(given: JsonObject): given is ChatMessage {
  if (typeof given['role'] !== 'string' || given['role'] === GEMINI_ROLE) return false;
  if (typeof given['content'] !== 'string') return false;
  for (const member in given) if (member !== 'role' && member !== 'content') return false;
  return true;
}

/** What Gemini and Genkit call the assistant. */
const GEMINI_ROLE = 'model';

function dropLangChain(rest: Record<string, unknown>): void {
  delete rest['type'];
  delete rest['lc'];
  if (Array.isArray(rest['id'])) delete rest['id'];
}

/** The message with the calls of its parts, and those beside them that are others; what is no call stays as sent. */
function withCalls(message: ChatMessage, inParts: readonly ToolCall[], beside: unknown): ChatMessage {
  if (inParts.length === 0 && isEmpty(beside)) return message;
  const known = new Set(inParts.map(({ id }) => id));
  const calls: unknown[] = [...inParts];
  for (const sent of sentCalls(beside)) {
    const call = callOf(objectOf(sent));
    if (call === null || call.id === null || !known.has(call.id)) calls.push(call ?? sent);
  }
  return { ...message, tool_calls: calls };
}

/** A part or parts that are exactly one text as that text; any other content as it is. */
function contentOf(content: unknown): unknown {
  const only: unknown = Array.isArray(content) ? (content.length === 1 ? content[0] : undefined) : content;
  return isPlainText(only) ? textOfPart(only) : content;
}

/** The text of a part that is text, or the words of one that is spoken, whatever it has beside; else `null`. */
export function textOfPart(part: unknown): string | null {
  if (typeof part === 'string') return part;
  const { type, text, content, transcript } = objectOf(part);
  if (SPOKEN_TYPES.has(type)) return textOf(transcript);
  if (type !== undefined && !TEXT_TYPES.has(type)) return null;
  return textOf(text) ?? (type === 'text' ? textOf(content) : null);
}

/** Whether a part is text and nothing else. */
export function isPlainText(part: unknown): boolean {
  const text = textOfPart(part);
  if (text === null) return false;
  const object = objectOf(part);
  for (const member in object)
    if (member !== 'type' && object[member] !== text && !isNothing(object[member])) return false;
  return true;
}

/** Whether a member says nothing: `annotations: []`. */
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** Parts of OpenAI's Realtime API. */
const SPOKEN_TYPES: ReadonlySet<unknown> = new Set(['input_audio', 'output_audio', 'audio']);

/** Calls of tools in the form of OpenAI, of the AI SDK, of LangChain or of a part, with whatever else they have. */
export function toolCallsOf(calls: unknown): readonly ToolCall[] {
  const sent = sentCalls(calls);
  return sent.length === 0 ? NO_CALLS : sent.flatMap((call) => callOf(objectOf(call)) ?? []);
}

/** What is sent as calls: a list, JSON text of one, or something else alone. */
export function sentCalls(calls: unknown): readonly unknown[] {
  if (isEmpty(calls)) return NO_CALLS;
  const sent = typeof calls === 'string' ? looseJson(calls) : calls;
  return Array.isArray(sent) ? sent : [sent];
}

const NO_CALLS: readonly ToolCall[] = Object.freeze([]);

function toolCallOf(part: unknown): ToolCall | null {
  const object = objectOf(part);
  return CALL_TYPES.has(object['type']) ? callOf(object) : null;
}

const CALL_TYPES: ReadonlySet<unknown> = new Set([
  ...['tool_call', 'tool-call', 'tool_use', 'function_call'],
  // Tools that the provider runs itself.
  ...['server_tool_call', 'server_tool_use', 'mcp_tool_use'],
]);

/** @returns `null` for what names no tool. */
function callOf(call: JsonObject): ToolCall | null {
  const nested = objectOf(call['function']);
  const isNested = filledTextOf(nested['name']) !== null;
  const named = isNested ? nested : call;
  const name = firstMember(named, ['name', 'toolName'], filledTextOf);
  if (name === undefined) return null;
  const id = firstMember(call, ['call_id', 'id', 'toolCallId'], textOf);
  const args = firstMember(named, ARGUMENTS, (value) => value) ?? firstMember(call, ARGUMENTS, (value) => value);
  const others = othersBeside(call, [id, isNested ? undefined : name, args], isNested ? 'function' : 'index');
  const ofNested = isNested ? othersBeside(nested, [name, args]) : {};
  const isClear = Object.keys(ofNested).every((member) => others[member] === undefined);
  return {
    ...others,
    ...(isClear ? ofNested : { function: ofNested }),
    id: id === undefined ? null : (call[id] as string),
    name: named[name] as string,
    arguments: args === undefined ? null : (named[args] ?? call[args]),
  };
}

const ARGUMENTS = ['arguments', 'input', 'args', 'server_tool_call'];

/** The first of some members that has a value as wanted. */
function firstMember(
  object: JsonObject,
  members: readonly string[],
  valueOf: (value: unknown) => unknown,
): string | undefined {
  return members.find((member) => !isNothing(valueOf(object[member])));
}

/** What an object has beside members that were read and its type. An id that is not read is the item's own. */
function othersBeside(
  object: JsonObject,
  read: readonly (string | undefined)[],
  ...form: readonly string[]
): Record<string, unknown> {
  const others: Record<string, unknown> = {};
  for (const member in object) {
    if (member === 'type' || member === 'index' || read.includes(member) || form.includes(member)) continue;
    if (!isNothing(object[member])) setMember(others, member === 'id' ? 'item_id' : member, object[member]);
  }
  return others;
}

interface ToolResult {
  readonly tool_call_id: unknown;
  readonly content: unknown;
  readonly [member: string]: unknown;
}

/** A part that is what a tool gave back, with whatever else it has. */
function toolResultOf(part: unknown): ToolResult | null {
  const object = objectOf(part);
  if (!RESULT_TYPES.has(object['type'])) return null;
  const name = firstMember(object, ['name', 'toolName'], filledTextOf);
  const id = firstMember(object, ['call_id', 'id', 'tool_call_id', 'toolCallId', 'tool_use_id'], textOf);
  const result = firstMember(object, RESULTS, (value) => value);
  const value = result === undefined ? null : object[result];
  return {
    ...othersBeside(object, [name, id, result]),
    ...(name !== undefined && { name: object[name] }),
    tool_call_id: id === undefined ? null : object[id],
    content: contentOf(result === 'output' ? valueOfOutput(value) : valueOfResult(value)),
  };
}

/** The AI SDK wraps a result: `{type: 'json', value}`. One that reports an error keeps its type. */
function valueOfOutput(output: unknown): unknown {
  const { type, value, ...rest } = objectOf(output);
  return (type === 'text' || type === 'json') && Object.keys(rest).length === 0 ? value : output;
}

const RESULTS = ['response', 'result', 'output', 'content', 'server_tool_call_response'];
const RESULT_TYPES: ReadonlySet<unknown> = new Set([
  'tool_call_response',
  'server_tool_call_response',
  'tool-result',
  'tool_result',
  'function_call_output',
]);

const isPart = (item: unknown): boolean =>
  typeof objectOf(item)['type'] === 'string' || typedPart(item) !== item || isPlainText(objectOf(item));

const isMessage = (object: JsonObject): boolean =>
  typeof object['role'] === 'string' || langChainRole(object) !== undefined;

function roleOf(object: JsonObject): string {
  const role = textOf(object['role']) ?? langChainRole(object) ?? '';
  return role === GEMINI_ROLE ? 'assistant' : role;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
