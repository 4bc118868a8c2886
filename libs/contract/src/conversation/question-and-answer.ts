import { isObject, type JsonObject } from './lenient-values.js';
import { findMessages, isAnswerer, isAsker, isResult, partsOf, type FoundMessage } from './messages.js';
import type { MessagePart, ToolCall } from './parts.js';

/** The last text of a person in a recorded `input`, if any (docs/spec/conversations.md#question-and-answer). */
export function lastQuestionOf(input: unknown): string | null {
  for (const message of findMessages(input, 'user').messages.toReversed()) {
    if (!isAsker(message.role) || isResult(message)) continue;
    const texts = textsOf(partsOf(message));
    if (texts.length > 0) return texts.join('\n');
  }
  return null;
}

export interface RecordedAnswer {
  /** `null` where the answer has no text, or was not understood. */
  text: string | null;
  toolCalls: readonly ToolCall[];
  reasoning: string | null;
}

const NO_ANSWER: RecordedAnswer = { text: null, toolCalls: [], reasoning: null };

/**
 * The answer of a recorded `output` (docs/spec/conversations.md#question-and-answer): of several choices the first, of
 * several messages the last one of the model that has a text, with all calls of tools behind what others said last.
 */
export function readAnswer(output: unknown): RecordedAnswer {
  if (Array.isArray(output) && !output.some((item) => Array.isArray(item) || isObject(item))) return NO_ANSWER;
  const said = answeringMessages(output).map((message) => ({ message, parts: partsOf(message) }));
  const toolCalls = said.flatMap(({ parts }) => parts.flatMap(toolCallOfPart));
  const spoken = said.findLast(({ parts }) => textsOf(parts).length > 0);
  const thoughts = said.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'reasoning' ? (part.text ?? []) : [])),
  );
  return {
    text: spoken ? textsOf(spoken.parts).join('') : emptyText(said.at(-1)?.message, toolCalls),
    toolCalls,
    reasoning: thoughts.length === 0 ? null : thoughts.join('\n\n'),
  };
}

function answeringMessages(output: unknown): readonly FoundMessage[] {
  // What has a text of its own has all choices beside it.
  if (isObject(output) && typeof output['text'] === 'string' && typeof output['role'] !== 'string') {
    return [{ role: 'assistant', source: withoutContent(output) }];
  }
  const { messages, areChoices } = findMessages(output, 'assistant');
  if (areChoices) return messages.slice(0, 1);
  const others = messages.findLastIndex(({ role }) => !isAnswerer(role));
  const behind = messages.slice(others + 1);
  if (behind.length > 0) return behind;
  const answering = messages.filter(({ role }) => isAnswerer(role));
  return answering.length > 0 ? answering.slice(-1) : messages;
}

/** The text is what was said; a content beside it says it again. */
const withoutContent = ({ content: _content, parts: _parts, ...answer }: JsonObject): JsonObject => answer;

/** An answer may be the empty text; one of calls of tools alone has none. */
function emptyText(last: FoundMessage | undefined, toolCalls: readonly ToolCall[]): string | null {
  const isEmpty = last?.source['content'] === '' || last?.source['text'] === '';
  return isEmpty && toolCalls.length === 0 ? '' : null;
}

const textsOf = (parts: readonly MessagePart[]): string[] =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));

const toolCallOfPart = (part: MessagePart): ToolCall[] =>
  part.type === 'tool-call' ? [{ id: part.id, name: part.name, arguments: part.arguments }] : [];
