import type { ChatMessage, ToolCall } from '../chat.js';
import { filledTextOf, listOf, objectOf, textOf, type JsonObject } from '../wire/lenient-json.js';
import { setMember } from './plain-value.js';

/**
 * The messages of a conversation in whichever form instrumentations write it: GenAI parts, contents of OpenAI, Anthropic
 * and the AI SDK, messages of LangChain. Reading what it gave once more changes nothing.
 *
 * A content that is exactly one text part is that text, and other parts stay as sent; calls of tools stand in
 * `tool_calls: [{id, name, arguments}]`; a message that is one tool's result is `{role, tool_call_id, content}`. Text, and
 * what is no conversation, is one message of the user.
 * @param system a system prompt to put before the others, in any of these forms; `undefined`, `null`, `''` or `[]`: none.
 */
export function conversationOf(value: unknown, system?: unknown): ChatMessage[] {
  const messages = messagesIn(value);
  return isEmpty(system) ? messages : [{ role: 'system', content: contentOf(system) }, ...messages];
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
  if (isMessage(object)) return [messageOf(object)];
  if (Array.isArray(object['messages'])) return conversationOf(object['messages'], object['system']);
  return [{ role: 'user', content: value }];
}

function messagesOfList(list: readonly unknown[]): ChatMessage[] {
  if (isPlainConversation(list)) return [...list];
  // LangChain sends a list of conversations, which is of one as a rule.
  const items: readonly unknown[] = list.every(Array.isArray) ? list.flat() : list;
  const isSpoken = items.some((item) => isMessage(objectOf(item)));
  if (!isSpoken && !items.every((item) => typeof item === 'string')) {
    return [{ role: 'user', content: items.some(isPart) ? contentOf(items) : items }];
  }
  return items.map((item) => {
    const object = objectOf(item);
    return isMessage(object) ? messageOf(object) : { role: 'user', content: item };
  });
}

/** Whether there is nothing to be brought into another form, which is seen soonest. */
function isPlainConversation(list: readonly unknown[]): list is readonly ChatMessage[] {
  for (const item of list) if (!isPlainMessage(objectOf(item))) return false;
  return true;
}

/** Messages of LangChain have their members in `kwargs` or `data`, and a type instead of a role. */
function messageOf(given: JsonObject): ChatMessage {
  if (isPlainMessage(given)) return given;
  const { kwargs, data } = given;
  const isWrapped = kwargs !== undefined || data !== undefined;
  const object: JsonObject = isWrapped ? { ...given, ...objectOf(kwargs), ...objectOf(data) } : given;
  const { content, parts, tool_calls: calls } = object;
  const role = roleOf(given);
  const rest = othersOf(object);
  if (given['role'] === undefined) dropLangChain(rest);
  const sent = Array.isArray(parts) ? parts : content;
  if (!Array.isArray(sent)) return withCalls({ role, content: sent ?? null, ...rest }, toolCallsOf(calls));
  if (sent.length === 1) {
    const text = textOfPart(sent[0]);
    if (text !== null) return withCalls({ role, content: text, ...rest }, toolCallsOf(calls));
    const result = toolResultOf(sent[0]);
    if (result) return { role, ...result, ...rest };
  }
  const inParts = sent.flatMap((part) => toolCallOf(part) ?? []);
  const left = inParts.length === 0 ? sent : sent.filter((part) => !toolCallOf(part));
  const message: ChatMessage = { role, content: left.length === 0 ? null : contentOf(left), ...rest };
  return withCalls(message, inParts.length > 0 ? inParts : toolCallsOf(calls));
}

/** What a message has beside the members that are brought into one form. */
function othersOf(object: JsonObject): Record<string, unknown> {
  const others: Record<string, unknown> = {};
  for (const member in object) if (!BROUGHT.has(member)) setMember(others, member, object[member]);
  return others;
}

const BROUGHT: ReadonlySet<string> = new Set(['role', 'content', 'parts', 'tool_calls', 'kwargs', 'data']);

/** Whether a message is a role and a text alone, as most are: nothing has to be brought into another form. */
export function isPlainMessage(given: JsonObject): given is ChatMessage {
  if (typeof given['role'] !== 'string' || typeof given['content'] !== 'string') return false;
  for (const member in given) if (member !== 'role' && member !== 'content') return false;
  return true;
}

function dropLangChain(rest: Record<string, unknown>): void {
  delete rest['type'];
  delete rest['lc'];
  if (Array.isArray(rest['id'])) delete rest['id'];
}

const withCalls = (message: ChatMessage, calls: readonly ToolCall[]): ChatMessage =>
  calls.length > 0 ? { ...message, tool_calls: calls } : message;

/** Parts that are exactly one text as that text; any other content as it is. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content;
  return textOfPart(content[0]) ?? (content as unknown[]);
}

/** The text of a part that is text alone, else `null`. */
export function textOfPart(part: unknown): string | null {
  if (typeof part === 'string') return part;
  const { type, text, content } = objectOf(part);
  if (type !== undefined && !TEXT_TYPES.has(type)) return null;
  return textOf(text) ?? (type === 'text' ? textOf(content) : null);
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** Calls of tools in the form of OpenAI, of the AI SDK, of LangChain or of a part. */
export function toolCallsOf(calls: unknown): readonly ToolCall[] {
  if (!Array.isArray(calls) || calls.length === 0) return NO_CALLS;
  return listOf(calls).flatMap((call) => {
    const object = objectOf(call);
    const { name, arguments: args } = objectOf(object['function']);
    const called = filledTextOf(name) ?? nameOfCall(object);
    if (called === null) return [];
    return { id: idOfCall(object), name: called, arguments: args ?? argumentsOf(object) };
  });
}

const NO_CALLS: readonly ToolCall[] = Object.freeze([]);

function toolCallOf(part: unknown): ToolCall | null {
  const object = objectOf(part);
  if (!CALL_TYPES.has(object['type'])) return null;
  const name = nameOfCall(object);
  return name === null ? null : { id: idOfCall(object), name, arguments: argumentsOf(object) };
}

const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call']);

const nameOfCall = ({ name, toolName }: JsonObject): string | null => filledTextOf(name) ?? filledTextOf(toolName);

const idOfCall = ({ id, call_id: callId, toolCallId }: JsonObject): string | null =>
  textOf(callId) ?? textOf(id) ?? textOf(toolCallId);

const argumentsOf = ({ arguments: given, input, args }: JsonObject): unknown => given ?? input ?? args ?? null;

/** A part that is what a tool gave back. */
function toolResultOf(part: unknown): { tool_call_id: string | null; content: unknown; name?: string } | null {
  const object = objectOf(part);
  if (!RESULT_TYPES.has(object['type'])) return null;
  const { id, tool_call_id: callId, toolCallId, tool_use_id: useId, response, result, output, content } = object;
  const name = nameOfCall(object);
  return {
    ...(name !== null && { name }),
    tool_call_id: textOf(id) ?? textOf(callId) ?? textOf(toolCallId) ?? textOf(useId),
    content: contentOf(response ?? result ?? valueOfOutput(output) ?? content ?? null),
  };
}

/** The AI SDK wraps a result: `{type: 'json', value}`. One that reports an error keeps its type. */
function valueOfOutput(output: unknown): unknown {
  const { type, value } = objectOf(output);
  return type === 'text' || type === 'json' ? value : output;
}

const RESULT_TYPES: ReadonlySet<unknown> = new Set([
  'tool_call_response',
  'tool-result',
  'tool_result',
  'function_call_output',
]);

const isPart = (item: unknown): boolean => typeof objectOf(item)['type'] === 'string';

const isMessage = (object: JsonObject): boolean =>
  typeof object['role'] === 'string' || LANGCHAIN_ROLES.has(langChainType(object));

function roleOf(object: JsonObject): string {
  return textOf(object['role']) ?? LANGCHAIN_ROLES.get(langChainType(object)) ?? '';
}

/** `human`, or the last of `["langchain", "schema", "messages", "HumanMessage"]`. */
function langChainType({ type, id }: JsonObject): unknown {
  return Array.isArray(id) ? id.at(-1) : type;
}

const LANGCHAIN_ROLES: ReadonlyMap<unknown, string> = new Map([
  ['human', 'user'],
  ['HumanMessage', 'user'],
  ['HumanMessageChunk', 'user'],
  ['ai', 'assistant'],
  ['AIMessage', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['system', 'system'],
  ['SystemMessage', 'system'],
  ['tool', 'tool'],
  ['ToolMessage', 'tool'],
]);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
