/** Prices of the table beside those of genai-prices, for every model of the makers that it has (docs/spec/recording.md#price). */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { calcPrice, findProvider, type Provider } from '@pydantic/genai-prices';
import { estimateCost, loadPricing } from '@spandrel/tracing';

const { as_of: day } = JSON.parse(readFileSync('config/pricing/models.json', 'utf8')) as { as_of: string };
const AT = new Date(`${day}T02:30:00Z`);
const MAKERS = ['openai', 'anthropic', 'google', 'mistral', 'deepseek', 'x-ai', 'cohere', 'moonshotai', 'perplexity'];

/** The names that genai-prices has for our counts. */
const NAMES = {
  inputTokens: 'input_tokens',
  cachedInputTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  cacheWrite1hTokens: 'cache_write_1h_tokens',
  inputAudioTokens: 'input_audio_tokens',
  inputImageTokens: 'input_image_tokens',
  outputTokens: 'output_tokens',
  reasoningTokens: 'output_reasoning_tokens',
  outputAudioTokens: 'output_audio_tokens',
  outputImageTokens: 'output_image_tokens',
  webSearchRequests: 'web_searches',
} as const;
type CallCounts = Record<keyof typeof NAMES, number>;

/** A call with something of everything, small or large. */
const callOf = (times: number): CallCounts => ({
  inputTokens: 5_003 * times,
  cachedInputTokens: 1_001 * times,
  cacheWriteTokens: 807 * times,
  cacheWrite1hTokens: 203 * times,
  inputAudioTokens: 211,
  inputImageTokens: 103,
  outputTokens: 1_709,
  reasoningTokens: 401,
  outputAudioTokens: 151,
  outputImageTokens: 59,
  webSearchRequests: 3,
});

/** What genai-prices counts; `undefined` where it means another model by the name, or none. */
function costBy(provider: Provider, model: string, call: CallCounts): number | undefined {
  const usage = Object.fromEntries(
    Object.entries(call).map(([name, count]) => [NAMES[name as keyof CallCounts], count]),
  );
  const media = { cache_audio_read_tokens: 0, cache_image_read_tokens: 0 };
  const counted = calcPrice({ ...usage, ...media }, model, { provider, timestamp: AT });
  return counted?.model.id === model ? counted.total_price : undefined;
}

it('every model of its maker costs what genai-prices counts', () => {
  const pricing = loadPricing();
  // Others are priced by a page of their provider, or are not sold by the token.
  const isOfData = (model: string): boolean =>
    pricing.get(model)?.source?.startsWith('@pydantic/genai-prices') ?? false;
  const makers = new Map<string, Provider>();
  for (const provider of MAKERS.map((providerId) => findProvider({ providerId })!)) {
    for (const { id } of provider.models) if (!makers.has(id) && isOfData(id)) makers.set(id, provider);
  }
  const compared = [...makers].flatMap(([model, provider]) =>
    [1, 97].map(callOf).flatMap((all) => {
      const price = pricing.get(model);
      // What pictures cost is not known where the price has none.
      const hasPictures = (price?.output_image ?? price?.input_image) !== undefined;
      const call = hasPictures ? all : { ...all, outputImageTokens: 0 };
      const expected = costBy(provider, model, call);
      return expected === undefined ? [] : { model, expected, found: estimateCost(pricing, model, call, AT.getTime()) };
    }),
  );
  expect(compared.length).toBeGreaterThan(300);
  expect(compared.filter(({ expected, found }) => found === null || Math.abs(found - expected) >= 1e-9)).toEqual([]);
});
