import type { ChatMessage } from '../chat.js';
import { filledTextOf, listOf, objectOf, textOf, type JsonObject } from './lenient-json.js';

/** The messages of a request, each with `role` and `content` first; what is no list of objects comes back as it is. */
export function messagesOf(value: unknown): ChatMessage[] | unknown {
  if (!Array.isArray(value) || !value.every(isMessage)) return value ?? null;
  return value.map((message) => ({
    ...message,
    role: textOf(message['role']) ?? '',
    content: message['content'] ?? null,
  }));
}

/** Puts a system prompt before the messages, if there is one. A plain prompt becomes the user's message. */
export function withSystemFirst(system: unknown, input: unknown): ChatMessage[] {
  const messages: ChatMessage[] = Array.isArray(input)
    ? input
    : isAbsent(input)
      ? []
      : [{ role: 'user', content: input }];
  return isAbsent(system) ? messages : [{ role: 'system', content: system }, ...messages];
}

/**
 * The text of a message's content: a text itself, or the text parts of a list of parts, joined, what the model thought
 * left out. A content that is a JSON object, as some servers answer with structured output, is its JSON.
 */
export function contentTextOf(content: unknown): string | null {
  if (Array.isArray(content)) return content.map(partTextOf).join('');
  const object = objectOf(content);
  if (Object.keys(object).length === 0) return textOf(content);
  return textOf(object['text']) ?? JSON.stringify(object);
}

function partTextOf(part: unknown): string {
  if (isReasoningPart(part)) return '';
  const { text, refusal } = objectOf(part);
  return textOf(text) ?? textOf(refusal) ?? textOf(part) ?? '';
}

/**
 * Model ids from a list; `null` stands for an empty one, as servers written in Go send it, and is returned for no list.
 * @param members which member of a model holds its id, first found.
 */
export function modelIdsOf(models: unknown, ...members: string[]): string[] | null {
  if (models !== null && !Array.isArray(models)) return null;
  return listOf(models).flatMap((model) => {
    const id = members.map((member) => filledTextOf(objectOf(model)[member])).find((found) => found !== null);
    return id ?? [];
  });
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

const isMessage = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The reasoning in a message, or in a piece of one, in OpenAI's format: `reasoning_content` (DeepSeek, vLLM), `reasoning`
 * (OpenRouter, Groq), `thinking`, parts of the content (Mistral), lists of details; `null` for none. Servers that send it
 * in two forms send the same twice, so that the first counts.
 */
export function reasoningOf(message: Readonly<Record<string, unknown>>): string | null {
  for (const member of MEMBERS) {
    const text = reasoningText(message[member]);
    if (text !== '') return text;
  }
  const parts = listOf(message['content']).filter(isReasoningPart);
  return parts.map((part) => reasoningText(part)).join('') || null;
}

const MEMBERS = [
  'reasoning_content',
  'reasoning',
  'thinking',
  'reasoning_details',
  'thinking_blocks',
  'reasoning_steps',
];

/**
 * A message of Google's compatible layer, which has thoughts among its text, `<thought>…</thought>`, and a mark beside it,
 * with these in parts; any other as it is.
 */
export function withThoughtsApart(message: JsonObject): JsonObject {
  const { content, extra_content: extra } = message;
  if (typeof content !== 'string' || objectOf(objectOf(extra)['google'])['thought'] !== true) return message;
  const [thinking, ...said] = content.replace(/^<thought>/, '').split(THOUGHT_END);
  const text = said.join(THOUGHT_END);
  return {
    ...message,
    content: [
      { type: 'thinking', thinking },
      { type: 'text', text },
    ],
  };
}

/** The end of thoughts, which stands before the text of the next piece in a stream. */
export const THOUGHT_END = '</thought>';

/** Whether a part of a content is what the model thought, not what it said. */
export function isReasoningPart(part: unknown): boolean {
  const { type } = objectOf(part);
  return type === 'thinking' || type === 'reasoning';
}

/** The text of reasoning in any form: a text, parts of one, or a list of these. */
export function reasoningText(value: unknown, depthMax = DEPTH_MAX): string {
  if (typeof value === 'string') return value;
  if (depthMax === 0) return '';
  if (Array.isArray(value)) return value.map((item) => reasoningText(item, depthMax - 1)).join('');
  const part = objectOf(value);
  for (const member of TEXTS) {
    const text = reasoningText(part[member] ?? '', depthMax - 1);
    if (text !== '') return text;
  }
  return '';
}

const DEPTH_MAX = 4;
const TEXTS = ['text', 'thinking', 'summary', 'content', 'reasoning', 'thought'];

/** A spoken answer's words: the transcript of `audio`. */
export const transcriptOf = (message: Readonly<Record<string, unknown>>): string | null =>
  textOf(objectOf(message['audio'])['transcript']);
