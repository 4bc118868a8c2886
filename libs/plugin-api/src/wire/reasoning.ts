import { listOf, objectOf, textOf } from './lenient-json.js';

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
