import type { DatapointKind, DatapointMessage } from '../datapoint-kind.js';
import { toChatMessage } from './chat-messages.js';
import { isObject, listOf } from './lenient-values.js';
import { findListed, isItem, isMessage, memberWithMessages, readJsonText, SYSTEM_MEMBERS } from './messages.js';
import { readAnswer } from './question-and-answer.js';

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
