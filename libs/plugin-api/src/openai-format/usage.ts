import { UNKNOWN_USAGE, usageOf, type Usage } from '../chat.js';
import { amountOf, countOf, listOf, objectOf, textOf, type JsonObject } from '../wire/lenient-json.js';

/**
 * What an answer or a chunk of one reports of its usage, wherever servers of this format put it: `usage`, `x_groq.usage`
 * (Groq), `choices[0].usage` (Moonshot), else `timings` (llama.cpp), with the tier that served it and the cost that
 * Vercel's gateway has beside the message (docs/spec/recording.md#usage).
 */
export function readUsageOf(answer: JsonObject): Usage {
  const { usage: own, message, delta } = objectOf(listOf(answer['choices'])[0]);
  const places = [
    answer['usage'],
    objectOf(answer['x_groq'])['usage'],
    own,
    usageOfTimings(objectOf(answer['timings'])),
  ];
  const usage = readOpenAiUsage(places.find((place) => typeof place === 'object' && place !== null));
  const tier = textOf(answer['service_tier']);
  const metadata = [message, delta, answer].map((place) => objectOf(objectOf(place)['provider_metadata'])['gateway']);
  const cost = usage.cost ?? costOfGateway(objectOf(metadata.find(Boolean)));
  return { ...usage, ...(tier && { serviceTier: tier }), ...(cost !== null && { cost }) };
}

/** The counts in the timings of llama.cpp, which come unasked; older versions leave those of the cache out of them. */
function usageOfTimings({ cache_n: cached, prompt_n: read, predicted_n: output }: JsonObject): JsonObject | undefined {
  const [fromCache, uncached] = [countOf(cached), countOf(read)];
  if (fromCache === null || uncached === null) return undefined;
  return { prompt_tokens: fromCache + uncached, completion_tokens: output, cached_tokens: fromCache };
}

/**
 * Reads a `usage` of OpenAI's format, in the names of chat completions and of Responses, with what other servers add
 * (docs/spec/recording.md#usage). Servers that know two names of a count leave one of them zero, so that the largest
 * counts.
 */
export function readOpenAiUsage(usage: unknown): Usage {
  if (typeof usage !== 'object' || usage === null) return UNKNOWN_USAGE;
  const counts = objectOf(usage);
  const detailsOf = (names: readonly string[]) => names.map((name) => objectOf(counts[name]));
  const asked = detailsOf([
    'prompt_tokens_details',
    'prompt_token_details',
    'input_tokens_details',
    'input_token_details',
  ]);
  const answered = detailsOf(['completion_tokens_details', 'output_tokens_details', 'output_token_details']);
  const cached = asked.map((details) => objectOf(details['cached_tokens_details']));
  const cachedInputTokens = largest([...asked, counts], CACHE_READ);
  const reasoningTokens = largest([...answered, counts], REASONING);
  return usageOf({
    ...readTotals(counts, reasoningTokens),
    cachedInputTokens,
    reasoningTokens,
    cacheWriteTokens: largest([...asked, counts], CACHE_WRITTEN),
    cacheWrite1hTokens: largest(
      [...asked, counts].flatMap((place) => WRITTEN_BY_TIME.map((name) => objectOf(place[name]))),
      ['ephemeral_1h_input_tokens', 'ttl_12h_tokens'],
    ),
    inputAudioTokens: largest(asked, ['audio_tokens']),
    outputAudioTokens: largest(answered, ['audio_tokens']),
    inputImageTokens: largest(asked, ['image_tokens']),
    outputImageTokens: largest(answered, ['image_tokens']),
    cachedAudioTokens: largest(cached, ['audio_tokens']),
    cachedImageTokens: largest(cached, ['image_tokens']),
    webSearchRequests: largest(
      [counts, objectOf(counts['server_tool_use']), objectOf(counts['server_side_tool_usage_details'])],
      ['num_search_queries', 'web_search_requests', 'web_search_calls'],
    ),
    serviceTier: textOf(counts['service_tier']) || null,
    cost: reportedCost(counts),
  });
}

const CACHE_READ = [
  'cached_tokens',
  'num_cached_tokens',
  'prompt_cache_hit_tokens',
  'cache_read_input_tokens',
  'cache_read_tokens',
  'cached_input_tokens',
];
const CACHE_WRITTEN = ['cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens'];
const WRITTEN_BY_TIME = ['cache_creation', 'cache_creation_token_details', 'cache_write_tokens_details'];
const REASONING = ['reasoning_tokens', 'thinking_tokens'];

/** Input and output; what stands beside them and not in them is added (docs/spec/recording.md#usage). */
function readTotals(counts: JsonObject, reasoning: number | null): Pick<Usage, 'inputTokens' | 'outputTokens'> {
  let input = largest([counts], ['prompt_tokens', 'input_tokens']);
  let output = largest([counts], ['completion_tokens', 'output_tokens']);
  const total = countOf(counts['total_tokens']);
  // Anthropic's names mean tokens beside the input; most servers of this format count them in it nonetheless.
  const cached =
    (countOf(counts['cache_read_input_tokens']) ?? 0) + (countOf(counts['cache_creation_input_tokens']) ?? 0);
  if (input !== null && cached > 0 && (cached > input || total === input + (output ?? 0) + cached)) input += cached;
  if (input !== null && total !== null && total > input + (output ?? 0)) output = total - input;
  else if (output !== null && reasoning !== null && reasoning > output) output += reasoning;
  return { inputTokens: input, outputTokens: output };
}

/** The largest count that stands under one of the names at one of the places; `null` when there is none. */
function largest(places: readonly JsonObject[], names: readonly string[]): number | null {
  let found: number | null = null;
  for (const place of places) {
    for (const name of names) {
      const count = countOf(place[name]);
      if (count !== null && (found === null || count > found)) found = count;
    }
  }
  return found;
}

/** Ticks of xAI that make a dollar (its documentation, Cost tracking). */
const TICKS_PER_DOLLAR = 10_000_000_000;

/**
 * What a `usage` says the call cost, in dollars: `cost` or its `total_cost` (OpenRouter, Perplexity), `total_cost`,
 * `estimated_cost` (DeepInfra), `cost_in_usd_ticks` (xAI); `null` for none. A key of one's own at OpenRouter or
 * Vercel pays the model's provider beside their fee.
 */
export function reportedCost(usage: JsonObject): number | null {
  const parts = objectOf(usage['cost']);
  const currency = textOf(parts['currency']) ?? 'USD';
  const cost = amountOf(usage['cost']) ?? (currency.toUpperCase() === 'USD' ? amountOf(parts['total_cost']) : null);
  if (cost !== null) {
    const { upstream_inference_cost: upstream } = objectOf(usage['cost_details']);
    return usage['is_byok'] === true ? cost + (amountOf(upstream ?? usage['market_cost']) ?? 0) : cost;
  }
  const ticks = amountOf(usage['cost_in_usd_ticks']);
  if (ticks !== null) return ticks / TICKS_PER_DOLLAR;
  return amountOf(usage['total_cost']) ?? amountOf(usage['estimated_cost']);
}

/** What the metadata of Vercel's gateway say of the cost, which is zero where a key of one's own pays the provider. */
export const costOfGateway = ({ cost, marketCost }: JsonObject): number | null =>
  reportedCost({ cost, market_cost: marketCost, is_byok: amountOf(cost) === 0 });
