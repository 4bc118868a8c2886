import {
  amountOf,
  countOf,
  objectOf,
  saidJson,
  takeAt,
  toldUsage,
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
  return toldUsage({
    inputTokens: sumOf(counts, isInput),
    outputTokens: sumOf(counts, isOutput),
    cachedInputTokens: sumOf(counts, (name) => CACHED.has(name)),
    reasoningTokens: countOf(counts['output_reasoning_tokens']) ?? undefined,
    cost: amountOf(costs['total']) ?? sumOfAmounts(costs),
  });
}

const USAGE = ['langfuse.observation.usage_details'];
const COST = ['langfuse.observation.cost_details'];
const CACHED = new Set(['input_cached_tokens', 'cache_read_input_tokens']);

const isInput = (name: string): boolean => name.includes('input') || name.includes('prompt');
const isOutput = (name: string): boolean => !isInput(name) && (name.includes('output') || name.includes('completion'));

/** @returns `undefined` when no bucket of them has a count. */
function sumOf(counts: Readonly<Record<string, unknown>>, isOne: (name: string) => boolean): number | undefined {
  let sum: number | undefined;
  for (const [name, value] of Object.entries(counts)) {
    const count = isOne(name.toLowerCase()) ? countOf(value) : null;
    if (count !== null) sum = (sum ?? 0) + count;
  }
  return sum;
}

function sumOfAmounts(costs: Readonly<Record<string, unknown>>): number | undefined {
  const amounts = Object.values(costs).flatMap((value) => amountOf(value) ?? []);
  return amounts.length === 0 ? undefined : amounts.reduce((sum, amount) => sum + amount, 0);
}
