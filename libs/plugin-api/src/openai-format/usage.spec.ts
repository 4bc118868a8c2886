import { describe, expect, it } from '@jest/globals';
import { UNKNOWN_USAGE, usageMembers } from '../chat.js';
import { embeddingsEndpoint } from './embedding-calls.js';
import { readOpenAiUsage, readUsageOf } from './usage.js';

describe('the usage of an answer in OpenAI’s format', () => {
  const counts = { prompt_tokens: 40, completion_tokens: 5, total_tokens: 45 };
  const read = { input_tokens: 40, output_tokens: 5 };

  it.each<[place: string, answer: Record<string, unknown>, expected: object]>([
    ['usage', { usage: counts }, read],
    ['x_groq.usage (Groq)', { usage: null, x_groq: { id: 'req', usage: counts } }, read],
    ['choices[0].usage (Moonshot)', { choices: [{ index: 0, delta: {}, usage: counts }] }, read],
    [
      'timings (llama.cpp)',
      { timings: { cache_n: 32, prompt_n: 8, predicted_n: 5 } },
      { ...read, cached_input_tokens: 32 },
    ],
    ['nowhere, where timings leave out the cache', { timings: { prompt_n: 8, predicted_n: 5 } }, {}],
    [
      'provider_metadata of Vercel’s gateway',
      {
        usage: counts,
        choices: [{ message: { provider_metadata: { gateway: { cost: '0.004', marketCost: '0.005' } } } }],
      },
      { ...read, cost: 0.004 },
    ],
    [
      'provider_metadata of Vercel’s gateway, where a key of one’s own pays the provider',
      { choices: [{ delta: { provider_metadata: { gateway: { cost: '0', marketCost: '0.005' } } } }] },
      { cost: 0.005 },
    ],
    [
      'provider_metadata of a response (Vercel)',
      { usage: counts, provider_metadata: { gateway: { cost: '0' } } },
      { ...read, cost: 0 },
    ],
    ['service_tier of the answer', { usage: counts, service_tier: 'flex' }, { ...read, service_tier: 'flex' }],
    ['nowhere', { usage: null, choices: [] }, {}],
  ])('is found in %s', (_place, answer, expected) => {
    expect(usageMembers(readUsageOf(answer))).toEqual(expected);
  });

  it.each<[what: string, usage: Record<string, unknown>, expected: object]>([
    [
      'prompt_tokens_details.cached_tokens',
      { ...counts, prompt_tokens_details: { cached_tokens: 32 } },
      { ...read, cached_input_tokens: 32 },
    ],
    [
      'input_tokens_details.cached_tokens and cache_write_tokens (Responses)',
      { input_tokens: 40, output_tokens: 5, input_tokens_details: { cached_tokens: 8, cache_write_tokens: 16 } },
      { ...read, cached_input_tokens: 8, cache_write_tokens: 16 },
    ],
    [
      'input_token_details with what was cached (Realtime)',
      {
        ...{ input_tokens: 40, output_tokens: 5, output_token_details: { audio_tokens: 3 } },
        input_token_details: {
          ...{ text_tokens: 30, audio_tokens: 10, cached_tokens: 24 },
          cached_tokens_details: { text_tokens: 16, audio_tokens: 6, image_tokens: 2 },
        },
      },
      {
        ...{ ...read, cached_input_tokens: 24, cached_audio_tokens: 6, cached_image_tokens: 2 },
        ...{ input_audio_tokens: 10, output_audio_tokens: 3 },
      },
    ],
    [
      'prompt_cache_hit_tokens (DeepSeek)',
      { ...counts, prompt_cache_hit_tokens: 30, prompt_cache_miss_tokens: 10 },
      { ...read, cached_input_tokens: 30 },
    ],
    ['usage.cached_tokens (Moonshot)', { ...counts, cached_tokens: 12 }, { ...read, cached_input_tokens: 12 }],
    [
      'cache members of Anthropic among the prompt (LiteLLM)',
      {
        ...counts,
        cache_read_input_tokens: 10,
        cache_creation_input_tokens: 20,
        prompt_tokens_details: { cached_tokens: 10, cache_creation_tokens: 20 },
        cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 },
      },
      { ...read, cached_input_tokens: 10, cache_write_tokens: 20, cache_write_1h_tokens: 15 },
    ],
    [
      'an hour of a cache in cache_creation_token_details (LiteLLM)',
      {
        ...counts,
        prompt_tokens_details: {
          cache_creation_tokens: 20,
          cache_creation_token_details: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 },
        },
      },
      { ...read, cache_write_tokens: 20, cache_write_1h_tokens: 15 },
    ],
    [
      'twelve hours of a cache in cache_write_tokens_details (Responses)',
      {
        ...counts,
        input_tokens_details: {
          cache_write_tokens: 20,
          cache_write_tokens_details: { ttl_30m_tokens: 5, ttl_12h_tokens: 15 },
        },
      },
      { ...read, cache_write_tokens: 20, cache_write_1h_tokens: 15 },
    ],
    ['num_cached_tokens (Mistral)', { ...counts, num_cached_tokens: 32 }, { ...read, cached_input_tokens: 32 }],
    [
      'prompt_token_details (Mistral)',
      { ...counts, prompt_token_details: { cached_tokens: 32 } },
      { ...read, cached_input_tokens: 32 },
    ],
    [
      'cache members of Anthropic beside the prompt',
      { prompt_tokens: 40, completion_tokens: 5, total_tokens: 75, cache_read_input_tokens: 30 },
      { input_tokens: 70, output_tokens: 5, cached_input_tokens: 30 },
    ],
    [
      'cache tokens that exceed the prompt',
      { prompt_tokens: 3, completion_tokens: 5, cache_read_input_tokens: 30, cache_creation_input_tokens: 7 },
      { input_tokens: 40, output_tokens: 5, cached_input_tokens: 30, cache_write_tokens: 7 },
    ],
    [
      'audio and image tokens',
      {
        ...counts,
        prompt_tokens_details: { audio_tokens: 20, image_tokens: 7 },
        completion_tokens_details: { audio_tokens: 3, image_tokens: 1, reasoning_tokens: 0 },
      },
      {
        ...read,
        input_audio_tokens: 20,
        input_image_tokens: 7,
        output_audio_tokens: 3,
        output_image_tokens: 1,
        reasoning_tokens: 0,
      },
    ],
    [
      'reasoning beside the completion, in the total (xAI)',
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        completion_tokens_details: { reasoning_tokens: 94 },
      },
      { input_tokens: 32, output_tokens: 103, reasoning_tokens: 94 },
    ],
    [
      'a total above both, without a word why (Gemini)',
      { prompt_tokens: 10, completion_tokens: 4, total_tokens: 30 },
      { input_tokens: 10, output_tokens: 20 },
    ],
    [
      'reasoning above the completion, without a total',
      { prompt_tokens: 32, completion_tokens: 9, reasoning_tokens: 94 },
      { input_tokens: 32, output_tokens: 103, reasoning_tokens: 94 },
    ],
    [
      'reasoning within the completion',
      { ...counts, completion_tokens_details: { reasoning_tokens: 3 } },
      { ...read, reasoning_tokens: 3 },
    ],
    ['names of both kinds, one of them left zero', { ...counts, input_tokens: 0, output_tokens: 0 }, read],
    ['texts of numbers', { prompt_tokens: '40', completion_tokens: ' 5 ', cost: '4.5e-3' }, { ...read, cost: 0.0045 }],
    ['numbers kept as their source text', { prompt_tokens: JSON.rawJSON('40.0'), completion_tokens: 5 }, read],
    ['usage.cost (OpenRouter)', { ...counts, cost: 0.0045 }, { ...read, cost: 0.0045 }],
    [
      'usage.cost with a key of one’s own (OpenRouter)',
      { ...counts, cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } },
      { ...read, cost: 0.021 },
    ],
    [
      'usage.cost with a key of one’s own (Vercel)',
      { ...counts, cost: 0, market_cost: 0.02, is_byok: true },
      { ...read, cost: 0.02 },
    ],
    [
      'usage.cost.total_cost and num_search_queries (Perplexity)',
      { ...counts, num_search_queries: 2, cost: { input_tokens_cost: 0.001, request_cost: 0.005, total_cost: 0.006 } },
      { ...read, cost: 0.006, web_search_requests: 2 },
    ],
    ['a cost in another currency', { ...counts, cost: { currency: 'EUR', total_cost: 0.006 } }, read],
    ['usage.total_cost', { ...counts, total_cost: 0.5 }, { ...read, cost: 0.5 }],
    ['cost_in_usd_ticks (xAI)', { ...counts, cost_in_usd_ticks: 37_756_000 }, { ...read, cost: 0.0037756 }],
    [
      'server_side_tool_usage_details (xAI)',
      { ...counts, server_side_tool_usage_details: { web_search_calls: 3 } },
      { ...read, web_search_requests: 3 },
    ],
    ['what is no number', { prompt_tokens: '4O', completion_tokens: -1, cost: 'free', total_tokens: {} }, {}],
  ])('reads %s', (_what, usage, expected) => {
    expect(usageMembers(readOpenAiUsage(usage))).toEqual(expected);
  });

  it('is unknown where there is none', () => {
    for (const none of [undefined, null, 7, 'x']) expect(readOpenAiUsage(none)).toBe(UNKNOWN_USAGE);
  });

  it('counts all tokens of embeddings as input', () => {
    const usageOf = (usage: unknown) => usageMembers(embeddingsEndpoint.readAnswer({ usage }).usage);
    expect(usageOf({ total_tokens: 9 })).toEqual({ input_tokens: 9 });
    expect(usageOf({ prompt_tokens: 9, total_tokens: 9 })).toEqual({ input_tokens: 9 });
    expect(usageOf({ prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 })).toEqual({
      input_tokens: 9,
      output_tokens: 0,
    });
  });
});
