import {
  amountOf,
  countOf,
  objectOf,
  saidJson,
  takeAt,
  reportedUsage,
  type OtelMap,
  type ReadUsage,
} from '@spandrel/plugin-api';

/**
 * Tokens of `usage_details`, whose buckets exclude each other (`input` has neither `input_cached_tokens` nor
 * `cache_read_input_tokens` in it), and the cost of `cost_details`.
 */
export function usageOf(attributes: OtelMap): ReadUsage | undefined {
  const counts = objectOf(takeAt(attributes, USAGE, saidJson)?.value);
  const costs = objectOf(takeAt(attributes, COST, saidJson)?.value);
  return reportedUsage({
    ...sumsOf(counts),
    reasoningTokens: countOf(counts['output_reasoning_tokens']) ?? countOf(counts['output_reasoning']) ?? undefined,
    inputAudioTokens: countOf(counts['input_audio_tokens']) ?? countOf(counts['input_audio']) ?? undefined,
    outputAudioTokens: countOf(counts['output_audio_tokens']) ?? countOf(counts['output_audio']) ?? undefined,
    cost: amountOf(costs['total']) ?? sumOfAmounts(costs),
  });
}

const USAGE = ['langfuse.observation.usage_details'];
const COST = ['langfuse.observation.cost_details'];
const CACHED = new Set(['input_cached_tokens', 'cache_read_input_tokens', 'input_cache_read', 'input_cached']);
const WRITTEN = /cache_(?:creation|write)/;

/** Sums of the buckets by what their names say; `undefined` where no bucket of that side has a count. */
function sumsOf(counts: Readonly<Record<string, unknown>>): ReadUsage {
  let inputTokens: number | undefined;
  let outputTokens: number | undefined;
  let cachedInputTokens: number | undefined;
  let cacheWriteTokens: number | undefined;
  let cacheWrite1hTokens: number | undefined;
  for (const bucket of Object.keys(counts)) {
    const count = countOf(counts[bucket]);
    if (count === null) continue;
    const name = bucket.toLowerCase();
    if (CACHED.has(name)) cachedInputTokens = (cachedInputTokens ?? 0) + count;
    if (WRITTEN.test(name)) {
      cacheWriteTokens = (cacheWriteTokens ?? 0) + count;
      if (name.includes('1h')) cacheWrite1hTokens = (cacheWrite1hTokens ?? 0) + count;
    }
    if (name.includes('input') || name.includes('prompt')) inputTokens = (inputTokens ?? 0) + count;
    else if (name.includes('output') || name.includes('completion')) outputTokens = (outputTokens ?? 0) + count;
  }
  return { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens };
}

function sumOfAmounts(costs: Readonly<Record<string, unknown>>): number | undefined {
  const amounts = Object.values(costs).flatMap((value) => amountOf(value) ?? []);
  return amounts.length === 0 ? undefined : amounts.reduce((sum, amount) => sum + amount, 0);
}
