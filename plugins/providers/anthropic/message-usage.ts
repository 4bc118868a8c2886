import {
  countOf,
  listOf,
  objectOf,
  reportedCost,
  setMember,
  textOf,
  UNKNOWN_USAGE,
  usageOf,
  type JsonObject,
  type Usage,
} from '@spandrel/plugin-api';

/**
 * Reads a `usage` of the Messages API (docs/spec/recording.md#usage). Anthropic counts cached tokens apart from
 * `input_tokens`; here they are part of it. Where it lists the iterations that the answer took, what is billed is their
 * sum: a compaction is in no other count.
 */
export function readMessageUsage(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return UNKNOWN_USAGE;
  const counts = objectOf(usage);
  const billed = billedIterations(counts).map(tokensOf);
  const own = tokensOf(counts);
  // An early event of a stream may list fewer iterations than a later one has counted.
  const tokens = Object.fromEntries(
    Object.entries(own).map(([name, count]) => [name, largerOf(count, sumOf(billed, name as keyof Tokens))]),
  ) as unknown as Tokens;
  const { uncached, cacheRead, cacheWritten } = tokens;
  return usageOf({
    inputTokens: uncached === null ? null : uncached + (cacheRead ?? 0) + (cacheWritten ?? 0),
    outputTokens: tokens.output,
    cachedInputTokens: cacheRead,
    cacheWriteTokens: cacheWritten,
    cacheWrite1hTokens: tokens.cacheWritten1h,
    reasoningTokens: tokens.thinking,
    webSearchRequests: countOf(objectOf(counts['server_tool_use'])['web_search_requests']),
    serviceTier: tierOf(counts),
    cost: reportedCost(counts),
  });
}

/**
 * Adds the usage of another event to that of its stream, in place: counts are cumulative, and those that an event leaves
 * out, has as `null` or not counted yet (zero) take nothing back.
 */
export function addUsage(usage: Record<string, unknown>, later: unknown): void {
  for (const [name, value] of Object.entries(objectOf(later))) {
    if (value === null || (value === 0 && usage[name])) continue;
    const group = usage[name];
    const isObject = typeof value === 'object' && !Array.isArray(value);
    if (isObject && typeof group === 'object' && group !== null) Object.assign(group, value);
    else setMember(usage, name, isObject ? { ...value } : value);
  }
}

/** The tier with, behind a `+`, the place where a call was held to be answered, which has a factor of its own. */
function tierOf(counts: JsonObject): string | null {
  const tier = counts['speed'] === 'fast' ? 'fast' : textOf(counts['service_tier']);
  const place = textOf(counts['inference_geo']);
  return [tier, place === 'global' || place === 'not_available' ? '' : place].filter(Boolean).join('+') || null;
}

interface Tokens {
  uncached: number | null;
  cacheRead: number | null;
  cacheWritten: number | null;
  cacheWritten1h: number | null;
  output: number | null;
  thinking: number | null;
}

function tokensOf(usage: JsonObject): Tokens {
  const { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: hour } = objectOf(usage['cache_creation']);
  const byTime = [countOf(fiveMinutes), countOf(hour)];
  return {
    uncached: countOf(usage['input_tokens']),
    cacheRead: countOf(usage['cache_read_input_tokens']),
    cacheWritten: largerOf(countOf(usage['cache_creation_input_tokens']), addUp(byTime)),
    cacheWritten1h: countOf(hour),
    output: countOf(usage['output_tokens']),
    thinking: countOf(objectOf(usage['output_tokens_details'])['thinking_tokens']),
  };
}

/**
 * The iterations that are paid: all but the attempts of models that declined, which are `message` entries of another
 * model than the last (Anthropic's SDK types, `BetaFallbackMessageIterationUsage`).
 */
function billedIterations(usage: JsonObject): JsonObject[] {
  const iterations = listOf(usage['iterations']).map(objectOf);
  const served = iterations.findLast(({ type }) => type === 'fallback_message' || type === 'message');
  return iterations.filter(({ type, model }) => type !== 'message' || model === served?.['model']);
}

const sumOf = (iterations: readonly Tokens[], name: keyof Tokens): number | null =>
  addUp(iterations.map((tokens) => tokens[name]));

const addUp = (counts: readonly (number | null)[]): number | null =>
  counts.reduce<number | null>((sum, count) => (count === null ? sum : (sum ?? 0) + count), null);

const largerOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
