import { UNKNOWN_USAGE, USAGE_COUNTS, usageOf, type ToolCall, type Usage } from '../chat.js';
import type { RecordedAnswer } from '../provider.js';
import { amountOf, countOf, filledTextOf, listOf, objectOf, textOf } from '../wire/lenient-json.js';
import type { DeclaredAnswer } from './declared-endpoint.js';

export const NOTHING_ANSWERED: RecordedAnswer = Object.freeze({
  model: null,
  text: null,
  finishReason: null,
  toolCalls: [],
  usage: UNKNOWN_USAGE,
  error: null,
});

/**
 * What a reader returned of an answer, with everything that is not of its kind left out.
 * @param findError looks for an error where all providers put them; it is asked where the reader has read nothing.
 */
export function answerOf(read: DeclaredAnswer, findError: () => string | null): RecordedAnswer {
  const toolCalls = toolCallsOf(read.toolCalls);
  const reasoning = filledTextOf(read.reasoning);
  const text = textOf(read.text) ?? (toolCalls.length > 0 ? '' : null);
  return {
    model: filledTextOf(read.model),
    text,
    finishReason: filledTextOf(read.finishReason),
    toolCalls,
    ...(reasoning !== null && { reasoning }),
    usage: readUsage(read.usage ?? {}),
    error: filledTextOf(read.error) ?? (text === null && reasoning === null ? findError() : null),
  };
}

const toolCallsOf = (calls: unknown): ToolCall[] =>
  listOf(calls)
    .map(objectOf)
    .flatMap(({ id, name, arguments: given }) =>
      filledTextOf(name) === null ? [] : [{ id: filledTextOf(id), name: name as string, arguments: given ?? null }],
    );

function readUsage(usage: NonNullable<DeclaredAnswer['usage']>): Usage {
  const counts = Object.keys(USAGE_COUNTS).map((name) => [name, countOf(usage[name as keyof Usage])]);
  return usageOf({
    ...(Object.fromEntries(counts) as Partial<Usage>),
    serviceTier: filledTextOf(usage.serviceTier),
    cost: amountOf(usage.cost),
  });
}
