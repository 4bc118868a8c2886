import type { ChatMessage, ToolCall } from '../chat.js';
import { filledTextOf, listOf, objectOf, textOf } from '../wire/lenient-json.js';
import {
  conversationOf,
  isNothing,
  isPlainMessage,
  isPlainText,
  isReasoningItem,
  sentCalls,
  textOfPart,
  toolCallsOf,
  isAllMessages,
} from './conversation.js';
import type { Given } from './dialect.js';
import { responsesEndpoint } from '../openai-format/responses-endpoint.js';
import type { RecordedChoice } from '../provider.js';

/** What came of a call of a model, as spans hold it. */
export interface Completion {
  /** `null` when the answer has no text. */
  text: string | null;
  finish_reason: string | null;
  tool_calls?: readonly ToolCall[];
  reasoning?: string;
  /** All choices where there are several, or more in one than text: messages. */
  choices?: readonly unknown[];
}

/**
 * The output of a call of a model, from its messages in any of the forms that `conversationOf` reads.
 * @param finishReasons a reason for each choice, as the provider reported it; it counts before that of a message.
 * @returns `undefined` when there is neither a message nor a reason.
 */
export function completionOf(value: unknown, finishReasons: readonly string[] = []): Completion | undefined {
  const messages = withThoughts(conversationOf(value));
  if (messages.length === 0) {
    return finishReasons.length > 0 ? { text: null, finish_reason: finishReasons[0]! } : undefined;
  }
  const choices = messages.map((message, at) => choiceOf(message, finishReasons[at]));
  const items = itemsOf(value);
  let first = choices[0];
  if (items) first = { ...choiceMembers(responsesEndpoint.readAnswer({ output: items })), ...reasonOf(choices) };
  else if (isOneAnswer(choices, finishReasons.length)) first = joined(choices);
  const isMore = messages.some(hasMore);
  return choices.length > 1 || isMore ? { ...first!, choices: isMore ? messages : choices } : first!;
}

/**
 * Whether messages are items of one answer (OpenLLMetry): a text and calls of tools apart from it, or calls that have
 * fewer reasons than they are.
 */
function isOneAnswer(choices: readonly Completion[], reasons: number): boolean {
  const isCallAlone = choices.some(({ text, tool_calls: calls }) => text === null && calls !== undefined);
  const isText = choices.some(({ text, tool_calls: calls }) => text !== null && calls === undefined);
  return isCallAlone && (isText || (reasons > 0 && reasons < choices.length));
}

/** The text and the calls of all, and the last reason. */
const joined = (choices: readonly Completion[]): Completion => ({
  ...choices[0],
  text: choices.reduce<string | null>((all, { text }) => (text === null ? all : (all ?? '') + text), null),
  ...reasonOf(choices.toReversed()),
  tool_calls: choices.flatMap(({ tool_calls: calls }) => calls ?? []),
});

/** Items of Responses alone, a reasoning or a call among them, which are one answer; `undefined` for any others. */
export function itemsOf(value: unknown): readonly unknown[] | undefined {
  const items = listOf(value);
  const isAnswer = items.some((item) => isReasoningItem(item) || isCallItem(item)) && items.every(isItem);
  return isAnswer ? items : undefined;
}

const isItem = (item: unknown): boolean =>
  textOf(objectOf(item)['role']) !== null || isReasoningItem(item) || ITEM.test(textOf(objectOf(item)['type']) ?? '');
const ITEM = /^(message|compaction|mcp_list_tools|mcp_approval_request)$|_(call|output)$/;

/** Whether something is a call as an item of Responses; parts of the conventions are `tool_call` and `server_tool_call`. */
const isCallItem = (item: unknown): boolean => {
  const type = textOf(objectOf(item)['type']) ?? '';
  return type.endsWith('_call') && type !== 'tool_call' && type !== 'server_tool_call';
};

const reasonOf = (choices: readonly Completion[]): Pick<Completion, 'finish_reason'> => ({
  finish_reason: choices.map(({ finish_reason: reason }) => reason).find((reason) => reason !== null) ?? null,
});

/** Thoughts that are a message of their own (OpenLLMetry) belong to the one behind them, where that has none. */
function withThoughts(messages: ChatMessage[]): ChatMessage[] {
  const [thought, next] = messages;
  const isThought = thought?.role === 'thinking' && isPlainMessage(thought);
  if (!isThought || next?.role !== 'assistant' || next['reasoning'] !== undefined) return messages;
  return [{ ...next, reasoning: thought.content }, ...messages.slice(2)];
}

/** A text alone is what the model said; any other value as it is. */
export const saidByModel = (value: unknown): unknown =>
  typeof value === 'string' ? [{ role: 'assistant', content: value }] : value;

/** The message of a choice in OpenAI's format, of chats or of completions of text. */
export function messageOfChoice(choice: unknown): Record<string, unknown> {
  const { message, text, finish_reason: reason } = objectOf(choice);
  return { role: 'assistant', content: text ?? null, ...objectOf(message), finish_reason: reason ?? null };
}

/** Whether a value is already a {@link Completion}. */
export function isCompletion(value: unknown): value is Completion {
  const { text, finish_reason: reason } = objectOf(value);
  return (typeof text === 'string' || text === null) && (typeof reason === 'string' || reason === null);
}

function choiceOf(message: ChatMessage, reported: string | undefined): Completion {
  const calls = toolCallsOf(message['tool_calls']);
  const reasoning = reasoningOf(message);
  return {
    text: textIn(message.content),
    finish_reason: reported ?? filledTextOf(message['finish_reason']) ?? null,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning !== null && { reasoning }),
  };
}

/** A text, or the text parts of a content joined; `null` for a content without any. */
function textIn(content: unknown): string | null {
  if (!Array.isArray(content)) return content === null || content === undefined ? null : textOfValue(content);
  const texts = content.flatMap((part) => textOfPart(part) ?? []);
  return texts.length === 0 ? null : texts.join('');
}

const textOfValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function reasoningOf(message: ChatMessage): string | null {
  if (Array.isArray(message.content)) {
    const texts = message.content.flatMap((part) => textOfReasoning(part) ?? []);
    if (texts.length > 0) return texts.join('');
  }
  return filledTextOf(message['reasoning']) ?? filledTextOf(message['reasoning_content']);
}

function textOfReasoning(part: unknown): string | null {
  const { type, content, text, thinking } = objectOf(part);
  if (type !== 'reasoning' && type !== 'thinking') return null;
  return textOf(content) ?? textOf(text) ?? textOf(thinking);
}

/** Whether a message says more than a {@link Completion} has members for. */
function hasMore(message: ChatMessage): boolean {
  for (const member in message) if (!SHOWN.has(member) && !isNothing(message[member])) return true;
  if (sentCalls(message['tool_calls']).length > toolCallsOf(message['tool_calls']).length) return true;
  const reasoning = reasoningOf(message);
  if (REASONING.some((member) => !isNothing(message[member]) && message[member] !== reasoning)) return true;
  return listOf(message.content).some((part) => !isPlainText(part) && !isPlainReasoning(part));
}

const REASONING = ['reasoning', 'reasoning_content'];

/** Whether a part is a reasoning and nothing else: no signature. */
function isPlainReasoning(part: unknown): boolean {
  const text = textOfReasoning(part);
  return (
    text !== null &&
    Object.entries(objectOf(part)).every(([name, value]) => name === 'type' || value === text || isNothing(value))
  );
}

const SHOWN = new Set(['role', 'content', 'tool_calls', 'finish_reason', 'reasoning', 'reasoning_content', 'index']);

/** A value as messages ({@link conversationOf}). What it was made of stays where it was when there is more in it. */
export const asConversation = (given: Given): Given<ChatMessage[]> => ({
  ...whole(given),
  value: conversationOf(given.value),
});

/**
 * A value as a completion ({@link completionOf}). What it was made of stays where it was when there is more in it.
 * @param finishReasons as `completionOf` takes them.
 */
export const asCompletion = (given: Given, finishReasons: readonly string[] = []): Given<Completion | undefined> => ({
  ...whole(given),
  value: completionOf(given.value, finishReasons),
});

/** What a call of a model was given, of the body of its request the messages; the whole stays where it was then. */
export function promptOfRequest(given: Given): Given<ChatMessage[]> {
  const { messages, contents, prompt, input, system, instructions, systemInstruction } = objectOf(given.value);
  const reported = messages ?? contents ?? prompt ?? input;
  if (reported === undefined) return asConversation(given);
  return { value: conversationOf(reported, system ?? instructions ?? systemInstruction) };
}

/**
 * What a call of a model gave back: an answer in the format of OpenAI, Anthropic or Gemini, messages, or a text. The whole
 * stays where it was where only a part is shown.
 */
export function completionOfAnswer(given: Given): Given<Completion | undefined> {
  const { choices, candidates, output, content, stop_reason: reason } = objectOf(given.value);
  if (Array.isArray(choices)) return { value: completionOf(choices.map(messageOfChoice)) };
  if (Array.isArray(candidates)) return { value: completionOf(candidates.map(messageOfCandidate)) };
  if (Array.isArray(output)) return { value: completionOf(output) };
  if (Array.isArray(content)) {
    return { value: completionOf([{ role: 'assistant', content }], typeof reason === 'string' ? [reason] : []) };
  }
  return asCompletion({ ...given, value: saidByModel(given.value) });
}

const messageOfCandidate = (candidate: unknown): Record<string, unknown> => {
  const { content, finishReason } = objectOf(candidate);
  return { ...objectOf(content), role: 'assistant', finish_reason: finishReason ?? null };
};

const whole = (given: Given): Given => (isAllMessages(given.value) ? given : { value: given.value });

/** A choice of an answer in the form that spans hold (docs/spec/recording.md#answers-and-streams). */
export const choiceMembers = ({ text, finishReason, toolCalls, reasoning }: RecordedChoice) => ({
  text,
  finish_reason: finishReason,
  ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  ...(reasoning && { reasoning }),
});
