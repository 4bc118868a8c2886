import type { ReadUsage } from '@spandrel/plugin-api';
import { isAmount, isCount } from './reading-members.js';

/** Counts and cost of one span, as its kind has them, and `metadata.reported_usage` while others count instead. */
export interface SpanUsage {
  input_tokens?: number;
  output_tokens?: number;
  cached_input_tokens?: number;
  reasoning_tokens?: number;
  cost?: number;
}

/**
 * Counts as spans have them: what is no count is left out, and the input has the cached tokens in it.
 * @returns `null` when there is neither a count of input or output nor a cost.
 */
export function spanUsage(read: ReadUsage | undefined): SpanUsage | null {
  if (read === undefined) return null;
  const input = inputOf(read);
  const usage: SpanUsage = {};
  if (input !== undefined) usage.input_tokens = input;
  if (isCount(read.outputTokens)) usage.output_tokens = read.outputTokens;
  if (isCount(read.cachedInputTokens)) usage.cached_input_tokens = read.cachedInputTokens;
  if (isCount(read.reasoningTokens)) usage.reasoning_tokens = read.reasoningTokens;
  if (isAmount(read.cost)) usage.cost = read.cost;
  const isTold = input !== undefined || usage.output_tokens !== undefined || usage.cost !== undefined;
  return isTold ? usage : null;
}

/** More cached tokens than input tokens: the sender leaves them out of the input, whatever else is known of it. */
function inputOf({ inputTokens, cachedInputTokens, cacheWriteTokens, ...read }: ReadUsage): number | undefined {
  if (!isCount(inputTokens)) return undefined;
  const cached =
    (isCount(cachedInputTokens) ? cachedInputTokens : 0) + (isCount(cacheWriteTokens) ? cacheWriteTokens : 0);
  const all = read.inputExcludesCached === true || cached > inputTokens ? inputTokens + cached : inputTokens;
  return isCount(all) ? all : undefined;
}
