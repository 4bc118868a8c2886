import { UNKNOWN_USAGE, type ToolCall, type Usage } from '../chat.js';
import type { RecordedAnswer } from '../provider.js';
import { countOf, filledTextOf, listOf, objectOf, textOf } from '../wire/lenient-json.js';
import type { DeclaredAnswer } from './declared-endpoint.js';

export const NOTHING_ANSWERED: RecordedAnswer = Object.freeze({
  model: null,
  text: null,
  finishReason: null,
  toolCalls: [],
  usage: UNKNOWN_USAGE,
  error: null,
});

/** What a reader returned of an answer, with everything that is not of its kind left out. */
export function answerOf(read: DeclaredAnswer): RecordedAnswer {
  const toolCalls = toolCallsOf(read.toolCalls);
  return {
    model: filledTextOf(read.model),
    text: textOf(read.text) ?? (toolCalls.length > 0 ? '' : null),
    finishReason: filledTextOf(read.finishReason),
    toolCalls,
    usage: usageOf(read.usage),
    error: filledTextOf(read.error),
  };
}

const toolCallsOf = (calls: unknown): ToolCall[] =>
  listOf(calls)
    .map(objectOf)
    .flatMap(({ id, name, arguments: given }) =>
      filledTextOf(name) === null ? [] : [{ id: filledTextOf(id), name: name as string, arguments: given ?? null }],
    );

const usageOf = (usage: DeclaredAnswer['usage']): Usage => ({
  inputTokens: countOf(usage?.inputTokens),
  outputTokens: countOf(usage?.outputTokens),
  cachedInputTokens: countOf(usage?.cachedInputTokens),
  reasoningTokens: countOf(usage?.reasoningTokens),
});
