import type { DatapointKind, DatapointMessage } from '../datapoint-kind.js';
import { isObject, listOf, objectOf, type JsonObject } from './lenient-values.js';
import {
  findListed,
  isItem,
  isMessage,
  memberWithMessages,
  readJsonText,
  SYSTEM_MEMBERS,
  roleOf,
  unwrapMessage,
} from './messages.js';
import { readAnswer } from './question-and-answer.js';
import { readCallsBeside, readOwnCall, readOwnResult, textOfPart, type ToolCall } from './parts.js';

export interface RecordedTexts {
  input: unknown;
  output: unknown;
  /** Whether it was a call of a model, whose output is an answer whatever its input is. */
  isLlmCall: boolean;
}

/**
 * What a span becomes as a datapoint (docs/spec/datapoints.md#a-span-as-a-datapoint): messages make a conversation, which
 * expects the text of the answer, or its calls of tools as JSON where it has no text; every other input a Generic, which
 * expects the text of a model's answer, or the output as it is.
 */
export function datapointOfTexts({ input, output, isLlmCall }: RecordedTexts): DatapointKind {
  const conversation = conversationOf(input);
  if (conversation !== null) return { LlmConversation: { ...conversation, expected: answerTextOf(output) } };
  return { Generic: { input, expected_output: isLlmCall ? (readAnswer(output).text ?? output) : output } };
}

/** The datapoint with another expected text. @param expected `null`: it expects nothing. */
export const withExpected = (kind: DatapointKind, expected: string | null): DatapointKind =>
  'Generic' in kind
    ? { Generic: { ...kind.Generic, expected_output: expected } }
    : { LlmConversation: { ...kind.LlmConversation, expected } };

/** The text of a recorded answer, its calls of tools as JSON where it has no text; `null` where it was not understood. */
export function answerTextOf(output: unknown): string | null {
  const { text, toolCalls } = readAnswer(output);
  return text ?? (toolCalls.length > 0 ? JSON.stringify({ tool_calls: toolCalls }) : null);
}

interface Conversation {
  messages: DatapointMessage[];
  metadata: Record<string, unknown> | null;
}

/** An input that is a list of messages, or has one; what stands beside these is metadata. `null` for every other one. */
function conversationOf(input: unknown): Conversation | null {
  const value = typeof input === 'string' ? readJsonText(input) : input;
  const member = isObject(value) && !isMessage(value) ? memberWithMessages(value) : undefined;
  if (!Array.isArray(value) && member === undefined) return null;
  const found = findListed(value, 'user');
  if (found === null || found.areChoices || found.messages.length === 0) return null;
  if (found.messages.some(({ isStray }) => isStray)) return null;
  const messages = found.messages.map(({ source }) =>
    isDatapointMessage(source) && !isItem(source) ? source : toChatMessage(source),
  );
  if (!messages.every(isDatapointMessage)) return null;
  return { messages, metadata: isObject(value) ? metadataOf(value, member!) : null };
}

/** Has a role and `content` as a datapoint may have it: text, parts, an object or `null`; calls of tools need none. */
function isDatapointMessage(value: unknown): value is DatapointMessage {
  if (!isObject(value) || typeof value['role'] !== 'string') return false;
  const { content, tool_calls: calls, function_call: older } = value;
  if (content === undefined) return listOf(calls).length > 0 || isObject(older);
  return typeof content === 'string' || content === null || Array.isArray(content) || isObject(content);
}

/** What a request has beside its messages: tools, parameters. */
function metadataOf(value: Readonly<Record<string, unknown>>, member: string): Record<string, unknown> | null {
  const others = Object.entries(value).filter(([name]) => name !== member && !SYSTEM_MEMBERS.includes(name));
  return others.length === 0 ? null : { input: Object.fromEntries(others) };
}

interface ChatMessage {
  role: string;
  content: unknown;
  [member: string]: unknown;
}

/**
 * A message in any form as `{role, content, …}`: a content that is exactly one text part is that text, and other parts stay
 * as recorded; calls of tools stand in `tool_calls: [{id, name, arguments}]`; a message that is one tool's result is
 * `{role, tool_call_id, content}`.
 */
function toChatMessage(given: JsonObject): ChatMessage {
  const role = GEMINI_ROLES.get(given['role']) ?? roleOf(given) ?? '';
  if (isItem(given)) {
    if (isToolItem(given)) return messageOfParts(role, [given], {}, []);
    return { ...given, role, content: given['content'] ?? null };
  }
  const object = unwrapMessage(given);
  const { role: _role, content, parts, tool_calls: calls, kwargs: _kwargs, data: _data, ...rest } = object;
  if (given['role'] === undefined) dropLangChain(rest);
  const sent = Array.isArray(parts) ? parts : content;
  const beside = readCallsBeside({ tool_calls: calls }).map(({ type: _type, ...call }) => call);
  if (!Array.isArray(sent)) return withCalls({ role, content: sent ?? null, ...rest }, beside);
  return messageOfParts(role, sent, rest, beside);
}

const GEMINI_ROLES: ReadonlyMap<unknown, string> = new Map([['model', 'assistant']]);

const isToolItem = (item: JsonObject): boolean => readOwnCall(item) !== null || readOwnResult(item) !== null;

/** @param beside calls that stand beside the parts, which count where none is among these. */
function messageOfParts(
  role: string,
  parts: readonly unknown[],
  rest: Record<string, unknown>,
  beside: readonly ToolCall[],
): ChatMessage {
  if (parts.length === 1) {
    const text = textOfPart(parts[0]);
    if (text !== null) return withCalls({ role, content: text, ...rest }, beside);
    const part = objectOf(parts[0]);
    const result = readOwnResult(part);
    if (result !== null) {
      const { id, name, content } = result;
      // Gemini and Bedrock have results in messages of the user, and no type.
      const sender = part['type'] === undefined ? 'tool' : role;
      return {
        role: sender,
        ...(name !== null && { name }),
        tool_call_id: id,
        content: simplestContent(content),
        ...rest,
      };
    }
  }
  const calls = parts.flatMap((part) => readOwnCall(objectOf(part)) ?? []);
  const left = calls.length === 0 ? parts : parts.filter((part) => readOwnCall(objectOf(part)) === null);
  const message: ChatMessage = { role, content: left.length === 0 ? null : simplestContent(left), ...rest };
  return withCalls(message, calls.length > 0 ? calls : beside);
}

function dropLangChain(rest: Record<string, unknown>): void {
  delete rest['type'];
  delete rest['lc'];
  if (Array.isArray(rest['id'])) delete rest['id'];
}

const withCalls = (message: ChatMessage, calls: readonly ToolCall[]): ChatMessage =>
  calls.length > 0 ? { ...message, tool_calls: calls } : message;

function simplestContent(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content;
  return textOfPart(content[0]) ?? (content as unknown[]);
}
