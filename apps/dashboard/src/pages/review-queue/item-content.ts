import type { DatapointKind, QueueItemResource } from '@spandrel/contract';
import { isConversation, readAnswer } from '@spandrel/contract/browser';
import { filledMembers, isMembers, type Members } from '../../features/datapoint/datapoint-json.js';
import { inputTextOf } from '../../features/datapoint/datapoint-text.js';
import { jsonText, type Message } from '../../features/messages/message.js';
import { messagesOf } from '../../features/messages/messages-of.js';

interface NamedText {
  name: string;
  text: string;
}

export interface ItemContent {
  messages: readonly Message[];
  texts: readonly NamedText[];
  /** The recorded answer, where it is edited by itself; `''` for none. */
  answer: string;
}

/** Takes a datapoint apart for reading. Nothing is left out but what has no value. */
export function contentOf(kind: DatapointKind): ItemContent {
  if ('LlmConversation' in kind) {
    const { messages, expected, metadata, ...rest } = kind.LlmConversation;
    return { messages: messagesOf(messages, null), texts: textsOf({ expected, metadata, ...rest }), answer: '' };
  }
  const { input, expected_output: expected, actual_output: actual, score, metadata, ...rest } = kind.Generic;
  const others = { expected: isConversation(expected) ? (readAnswer(expected).text ?? expected) : expected, score };
  const texts = textsOf({ ...others, metadata, ...rest });
  if (isConversation(input)) return { messages: messagesOf(input, actual), texts, answer: '' };
  if (isConversation(actual))
    return { messages: messagesOf(null, actual), texts: [...textsOf({ input }), ...texts], answer: '' };
  return { messages: [], texts: [...textsOf({ input, actual }), ...texts], answer: '' };
}

const NAMES: Readonly<Record<string, string>> = {
  input: 'Input',
  actual: 'Actual output',
  expected: 'Expected output',
  score: 'Score',
  metadata: 'Metadata',
};

function textsOf(members: Readonly<Record<string, unknown>>): NamedText[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (value === undefined || (value === null && name !== 'input')) return [];
    return [{ name: NAMES[name] ?? name, text: typeof value === 'string' ? value : jsonText(value) }];
  });
}

const SUMMARY_LENGTH = 160;

/** The beginning of what an item is about: its last question, or its input; `trace 1f3a` where it is no datapoint. */
export function summaryOf(item: QueueItemResource): string {
  const { original_data: kind, session_id: session, span_id: span, trace_id: trace } = item;
  if (kind === null) return session ? `Session ${session}` : span ? `Span ${span}` : `Trace ${trace ?? ''}`;
  const text = inputTextOf(kind).replaceAll(/\s+/g, ' ').trim();
  if (text === '') return 'Item without a text';
  return text.length > SUMMARY_LENGTH ? `${text.slice(0, SUMMARY_LENGTH)}…` : text;
}

/** Data as the text that a reviewer edits. Members of a datapoint without a value are left out; an input may be `null`. */
export function writeData(kind: DatapointKind | null): string {
  if (kind === null) return 'null';
  const [variant, members] = Object.entries(kind)[0] as [string, Members];
  return JSON.stringify({ [variant]: filledMembers(members) }, null, 2);
}

/** What was submitted as text: a datapoint as {@link writeData} has it, a text as it is, all else as JSON. */
export const writeSubmitted = (data: unknown): string =>
  typeof data === 'string' ? data : isKind(data) ? writeData(data) : (JSON.stringify(data, null, 2) ?? 'null');

/** Whether data has the form of a datapoint, without which it is not written back (docs/spec/queue.md#applying-edited-data). */
export function isKind(data: unknown): data is DatapointKind {
  if (!isMembers(data)) return false;
  const [variant, ...others] = Object.keys(data);
  const members = data[variant ?? ''];
  if (others.length > 0 || !isMembers(members)) return false;
  if (variant === 'Generic') return members['input'] !== undefined;
  return variant === 'LlmConversation' && Array.isArray(members['messages']) && members['messages'].length > 0;
}
