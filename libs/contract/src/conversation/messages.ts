import { parseExactJson } from '../values/exact-json.js';
import { langChainRole } from './langchain-role.js';
import { filledText, firstText, isObject, listOf, objectOf, type JsonObject } from './lenient-values.js';
import {
  readCall,
  readCallsBeside,
  readImagesBeside,
  readParts,
  readReasoning,
  readResult,
  type MessagePart,
} from './parts.js';

/** A message of a conversation, in one form for all providers. */
export interface Message {
  /** The recorded word: `system`, `user`, `assistant`, `model`, `tool` … */
  role: string;
  name: string | null;
  parts: readonly MessagePart[];
  isAnswer: boolean;
}

export interface FoundMessage {
  role: string;
  source: JsonObject;
  /** A value that stood beside the text which was taken for a message. */
  beside?: JsonObject;
  /** Whether nothing says that it is a message but the place where it stands. */
  isStray?: true;
}

interface FoundMessages {
  messages: readonly FoundMessage[];
  /** Whether they are answers to choose from, of which the first counts. */
  areChoices: boolean;
}

/** Who speaks where a message does not say it. */
export type Side = 'user' | 'assistant';

/**
 * The conversation of a recorded `input` and `output` of anybody (docs/spec/conversations.md#forms-that-are-read); it leaves out
 * nothing: the rest is a part `other`.
 */
export function readConversation(input: unknown, output: unknown): Message[] {
  return [
    ...findMessages(input, 'user').messages.map((message) => readMessage(message, false)),
    ...findMessages(output, 'assistant').messages.map((message) => readMessage(message, true)),
  ];
}

function readMessage(found: FoundMessage, isAnswer: boolean): Message {
  const { name, tool_name: toolName } = unwrapMessage(found.source);
  return { role: found.role, name: firstText(name, toolName), parts: partsOf(found), isAnswer };
}

/** All parts of a message: of its content, and those that stand beside it. */
export function partsOf(found: FoundMessage): MessagePart[] {
  const { beside } = found;
  const message = unwrapMessage(found.source);
  const source = { ...objectOf(message['additional_kwargs']), ...message };
  const content = contentOf(source);
  const parts = [
    ...reasoningBeside(source),
    ...(isOtherThanContent(source, content) ? readParts(source) : readParts(content)),
    ...readImagesBeside(source),
  ];
  // LangChain has the calls of Anthropic's models in both places.
  const known = new Set(parts.map((part) => (part.type === 'tool-call' ? part.id : null)));
  parts.push(...readCallsBeside(source).filter(({ id }) => id === null || !known.has(id)));
  const said = firstText(source['refusal'], objectOf(source['audio'])['transcript']);
  if (said !== null) parts.push({ type: 'text', text: said });
  if (beside !== undefined) parts.push({ type: 'other', value: beside });
  return parts;
}

const contentOf = ({ parts, content, text, message }: JsonObject): unknown =>
  (Array.isArray(parts) && parts.length > 0 ? parts : content) ??
  text ??
  (typeof message === 'string' ? message : null);

/** Items of the Responses API that are no messages have their own members in the place of a content. */
function isOtherThanContent(source: JsonObject, content: unknown): boolean {
  if (typeof source['type'] !== 'string') return false;
  if (readCall(source) !== null || readReasoning(source) !== undefined) return true;
  return (content ?? null) === null && readResult(source) !== null;
}

/** What a model thought, where it stands beside the content: DeepSeek, OpenRouter, Ollama, the AI SDK, our own. */
function reasoningBeside(source: JsonObject): MessagePart[] {
  if (readReasoning(source) !== undefined) return [];
  const { reasoning_content: deepSeek, reasoning, thinking, reasoningText } = source;
  const text = firstText(deepSeek, reasoning, thinking, reasoningText);
  if (text !== null) return [{ type: 'reasoning', text }];
  return readParts(listOf(reasoning)).filter(({ type }) => type === 'reasoning');
}

/** JSON texts up to this size are looked into: larger ones are texts. */
const JSON_TEXT_MAX = 1_048_576;

/** A longer list is no conversation: to look at hundreds of thousands of values for a role holds up everybody. */
const MESSAGES_MAX = 10_000;

/** Wrappers within wrappers are looked into so deep. */
const DEPTH_MAX = 6;

const NO_MESSAGES: FoundMessages = { messages: [], areChoices: false };

/** The messages of any recorded value; what is no conversation is one message of who speaks. */
export function findMessages(value: unknown, side: Side): FoundMessages {
  if (value === null || value === undefined) return NO_MESSAGES;
  const found = typeof value === 'string' ? findInJsonText(value, side) : findListed(value, side);
  return found ?? { messages: [messageOfValue(value, side)], areChoices: false };
}

/** Whether a value clearly is messages, in any form. */
export function isConversation(value: unknown): boolean {
  const found = typeof value === 'string' ? findInJsonText(value, 'user') : findListed(value, 'user');
  return found !== null && found.messages.length > 0;
}

/** The messages of a text that is the JSON of a conversation beyond doubt: a model may also answer in JSON. */
function findInJsonText(text: string, side: Side): FoundMessages | null {
  const found = findListed(readJsonText(text), side);
  const isClear = found?.messages.every(({ role, isStray }) => KNOWN_ROLE.test(role) && !isStray);
  return isClear && found!.messages.length > 0 ? found! : null;
}

const KNOWN_ROLE = /^(?:user|human|system|developer|tool|function|assistant|model|ai)$/i;

/** The value of a text that may be the JSON of a conversation; `null` for another one. */
export function readJsonText(text: string): unknown {
  if (text.length > JSON_TEXT_MAX || !/^\s*[[{]/.test(text)) return null;
  // Each form has one of these; a look for them costs next to nothing.
  if (!['"role"', '"type"', '"message"'].some((name) => text.includes(name))) return null;
  try {
    return parseExactJson(text);
  } catch {
    return null;
  }
}

/** Messages that a value clearly has: it is one, a list of them, or holds one of these in a known member; else `null`. */
export function findListed(value: unknown, side: Side, depth = 0): FoundMessages | null {
  if (Array.isArray(value)) return messagesOfList(value, side);
  if (!isObject(value)) return null;
  if (isMessage(value)) return { messages: [foundMessage(value, side)], areChoices: false };
  const member = memberWithMessages(value);
  const found = member === undefined ? null : messagesOfList(listOf(value[member]), side);
  if (found !== null) return withSystem(found, value);
  const { choices, candidates, generations } = value;
  const offered = [choices, candidates, generations].find((list) => listOf(list).length > 0);
  if (offered !== undefined) {
    const answers = listOf(offered).flat().map(messageOfChoice);
    if (answers.every((answer) => answer !== null)) return { messages: answers, areChoices: true };
  }
  return depth < DEPTH_MAX ? findWrapped(value, side, depth) : null;
}

/** The member that has the messages of a request: of OpenAI and most others, of Gemini, of the Responses API. */
export const memberWithMessages = (value: JsonObject): string | undefined =>
  ['messages', 'contents', 'input'].find((member) => listOf(value[member]).length > 0);

const WRAPPERS = ['output', 'response', 'message', 'input'];

function findWrapped(value: JsonObject, side: Side, depth: number): FoundMessages | null {
  for (const member of WRAPPERS) {
    const found = findListed(value[member], side, depth + 1);
    if (found !== null && found.messages.length > 0) return found;
  }
  return null;
}

function withSystem(found: FoundMessages, value: JsonObject): FoundMessages {
  const system = SYSTEM_MEMBERS.map((member) => value[member]).find((one) => one !== undefined && one !== null);
  if (system === undefined || system === '') return found;
  const said = isObject(system) && Array.isArray(system['parts']) ? { parts: system['parts'] } : { content: system };
  return { ...found, messages: [{ role: 'system', source: { role: 'system', ...said } }, ...found.messages] };
}

/** Members that hold a system prompt beside messages. */
export const SYSTEM_MEMBERS = ['system', 'instructions', 'systemInstruction', 'system_instruction'];

function messagesOfList(list: readonly unknown[], side: Side): FoundMessages | null {
  // LangChain sends a list of conversations, which is of one as a rule.
  const items: readonly unknown[] = list.length > 0 && list.every(Array.isArray) ? list.flat() : list;
  if (items.length === 0) return NO_MESSAGES;
  if (items.length > MESSAGES_MAX) return null;
  if (items.some(isMessage) || items.every(isItem)) {
    return { messages: items.map((item) => messageOfItem(item, side)), areChoices: false };
  }
  if (!items.every((item) => isObject(objectOf(item)['message']))) return null;
  return { messages: items.map(messageOfChoice).filter((choice) => choice !== null), areChoices: true };
}

function messageOfItem(item: unknown, side: Side): FoundMessage {
  if (isMessage(item) || isItem(item)) return foundMessage(item, side);
  return { role: side, source: { content: [item] }, isStray: true };
}

const foundMessage = (message: JsonObject, side: Side): FoundMessage => ({
  role: roleOf(message) ?? side,
  source: message,
});

/** Messages of LangChain have their members in `kwargs` or `data`. */
export function unwrapMessage(message: JsonObject): JsonObject {
  const { kwargs, data } = message;
  if (!isObject(kwargs) && !isObject(data)) return message;
  return { ...message, ...objectOf(kwargs), ...objectOf(data) };
}

/** An answer to choose from: OpenAI's and Gemini's, LangChain's generations, our own; `null` for what is none. */
function messageOfChoice(choice: unknown): FoundMessage | null {
  if (!isObject(choice)) return null;
  const { message, content, text } = choice;
  if (isObject(message)) return foundMessage(message, 'assistant');
  if (isMessage(choice)) return foundMessage(choice, 'assistant');
  if (isObject(content) && Array.isArray(content['parts'])) return foundMessage(content, 'assistant');
  return typeof text === 'string' || text === null ? { role: 'assistant', source: choice, isStray: true } : null;
}

/** A value that nothing says to be a message: an answer by its members, a text or parts, a text among other members. */
function messageOfValue(value: unknown, side: Side): FoundMessage {
  if (!isObject(value)) return { role: side, source: { content: value } };
  const { text, content, parts } = value;
  if (typeof content === 'string' || Array.isArray(content) || Array.isArray(parts))
    return { role: side, source: value };
  const isSaid = text === null || typeof text === 'string' || ANSWER_MEMBERS.some((member) => isFilled(value[member]));
  if (side === 'assistant' && isSaid) return { role: side, source: value };
  const member = TEXT_MEMBERS.find((name) => isText(value[name]));
  if (member === undefined) return { role: side, source: { content: [value] } };
  const { [member]: said, ...beside } = value;
  return { role: side, source: { content: said }, ...(Object.keys(beside).length > 0 && { beside }) };
}

const ANSWER_MEMBERS = ['tool_calls', 'toolCalls'];
const isFilled = (value: unknown): boolean => listOf(value).length > 0;

/** Members that hold a text of a person or of a model, where the value has no other form. */
const TEXT_MEMBERS = [
  ...['output', 'response', 'message', 'input', 'prompt', 'contents'],
  ...['completion', 'output_text', 'generated_text'],
];

const isText = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.length > 0 && value.every(isPartOfText));

const isPartOfText = (part: unknown): boolean => isObject(part) && typeof part['type'] === 'string';

/** Whether a value says itself that it is a message: it has a role, and something that was said. */
export function isMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || spokenRoleOf(value) === null) return false;
  const message = unwrapMessage(value);
  return SAID.some((member) => message[member] !== undefined) || isItem(value);
}

const SAID = ['content', 'parts', 'tool_calls', 'function_call', 'text', 'message', 'audio', 'refusal'];

/** Whether a value is an item of the Responses API that is no message. */
export function isItem(value: unknown): value is JsonObject {
  return isObject(value) && roleOfItem(value) !== null;
}

function roleOfItem({ type, summary }: JsonObject): string | null {
  if (typeof type !== 'string' || GENAI_PARTS.has(type)) return null;
  if (type.endsWith('_call_output')) return 'tool';
  return type.endsWith('_call') || (type === 'reasoning' && Array.isArray(summary)) ? 'assistant' : null;
}

const GENAI_PARTS: ReadonlySet<string> = new Set(['tool_call', 'server_tool_call']);

/** The role of a message or of an item; `null` for what is none of these. */
export const roleOf = (message: JsonObject): string | null => spokenRoleOf(message) ?? roleOfItem(message);

function spokenRoleOf(message: JsonObject): string | null {
  const { role } = message;
  return typeof role === 'string' ? role : (langChainRole(message) ?? null);
}

/** Whether a role is that of a person who asks. */
export const isAsker = (role: string): boolean => /^(?:user|human)$/i.test(role);

/** Whether a role is one that answers, whatever its word. */
export const isAnswerer = (role: string): boolean => !/^(?:user|human|system|developer|tool|function)$/i.test(role);

/** Whether a message is what a tool gave back. */
export const isResult = ({ source }: FoundMessage): boolean => filledText(source['tool_call_id']) !== null;
