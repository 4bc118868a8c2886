import { describe, expect, it } from '@jest/globals';
import { usageMembers } from '@spandrel/plugin-api';
import { MessageStream, readMessage, readMessageUsage } from './message-answer.js';

const iteration = (type: string, input: number, output: number, more = {}) => ({
  type,
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  ...more,
});

describe('the usage of a message', () => {
  it.each<[what: string, usage: unknown, expected: object]>([
    [
      'reads and writes of the cache, by how long they are kept',
      {
        input_tokens: 3,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 50,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 7,
      },
      {
        input_tokens: 353,
        output_tokens: 7,
        cached_input_tokens: 50,
        cache_write_tokens: 300,
        cache_write_1h_tokens: 200,
      },
    ],
    [
      'writes that are listed by time alone',
      { input_tokens: 3, output_tokens: 7, cache_creation: { ephemeral_5m_input_tokens: 10 } },
      { input_tokens: 13, output_tokens: 7, cache_write_tokens: 10 },
    ],
    [
      'searches, tier and thinking',
      {
        input_tokens: 3,
        output_tokens: 70,
        output_tokens_details: { thinking_tokens: 60 },
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
        service_tier: 'priority',
      },
      { input_tokens: 3, output_tokens: 70, reasoning_tokens: 60, web_search_requests: 2, service_tier: 'priority' },
    ],
    [
      'fast mode',
      { input_tokens: 3, output_tokens: 7, service_tier: 'standard', speed: 'fast' },
      { input_tokens: 3, output_tokens: 7, service_tier: 'fast' },
    ],
    [
      'inference held to a place',
      { input_tokens: 3, output_tokens: 7, service_tier: 'standard', inference_geo: 'us' },
      { input_tokens: 3, output_tokens: 7, service_tier: 'standard+us' },
    ],
    [
      'inference anywhere',
      { input_tokens: 3, output_tokens: 7, service_tier: 'batch', inference_geo: 'global' },
      { input_tokens: 3, output_tokens: 7, service_tier: 'batch' },
    ],
    [
      'no place, as models before Opus 4.6 say',
      { input_tokens: 3, output_tokens: 7, inference_geo: 'not_available' },
      { input_tokens: 3, output_tokens: 7 },
    ],
    ['texts of numbers', { input_tokens: '3', output_tokens: '7' }, { input_tokens: 3, output_tokens: 7 }],
    [
      'a compaction, which the counts leave out',
      {
        ...iteration('', 1_000, 200),
        iterations: [
          iteration('compaction', 180_000, 3_500, { cache_read_input_tokens: 40 }),
          iteration('message', 1_000, 200),
        ],
      },
      { input_tokens: 181_040, output_tokens: 3_700, cached_input_tokens: 40, cache_write_tokens: 0 },
    ],
    [
      'a loop of tools, which the counts have summed up',
      { ...iteration('', 500, 50), iterations: [iteration('message', 200, 20), iteration('message', 300, 30)] },
      { input_tokens: 500, output_tokens: 50, cached_input_tokens: 0, cache_write_tokens: 0 },
    ],
    [
      'a model that declined, which is not billed',
      {
        ...iteration('', 2, 700),
        iterations: [
          iteration('message', 2, 578, { model: 'claude-fable-5', cache_creation_input_tokens: 10_421 }),
          iteration('message', 1, 100, { model: 'claude-opus-4-8' }),
          iteration('fallback_message', 1, 600, { model: 'claude-opus-4-8' }),
        ],
      },
      { input_tokens: 2, output_tokens: 700, cached_input_tokens: 0, cache_write_tokens: 0 },
    ],
    [
      'an advisor, which is billed beside the model',
      {
        ...iteration('', 10, 20),
        iterations: [
          iteration('message', 10, 20, { model: 'claude-haiku-4-5' }),
          iteration('advisor_message', 300, 40, { model: 'claude-opus-4-8' }),
        ],
      },
      { input_tokens: 310, output_tokens: 60, cached_input_tokens: 0, cache_write_tokens: 0 },
    ],
    [
      'iterations of an early event',
      { ...iteration('', 500, 50), iterations: [iteration('message', 200, 0)] },
      { input_tokens: 500, output_tokens: 50, cached_input_tokens: 0, cache_write_tokens: 0 },
    ],
    ['none', null, {}],
  ])('%s', (_what, usage, expected) => {
    expect(usageMembers(readMessageUsage(usage))).toEqual(expected);
  });

  it('of a stream is cumulative, and a later event takes nothing back', () => {
    const reader = new MessageStream();
    const push = (frame: object) => reader.push({ data: JSON.stringify(frame) });
    push({
      type: 'message_start',
      message: {
        usage: {
          input_tokens: 30,
          cache_read_input_tokens: 5,
          cache_creation_input_tokens: 20,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 20 },
          output_tokens: 1,
          service_tier: 'batch',
        },
      },
    });
    push({ type: 'message_delta', delta: {}, usage: { output_tokens: 9, input_tokens: 0, cache_creation: null } });
    push({ type: 'message_delta', delta: {}, usage: null });
    push({
      type: 'message_delta',
      delta: {},
      usage: { server_tool_use: { web_search_requests: 1 }, speed: 'standard' },
    });
    expect(usageMembers(reader.answer().usage)).toEqual({
      input_tokens: 55,
      output_tokens: 9,
      cached_input_tokens: 5,
      cache_write_tokens: 20,
      cache_write_1h_tokens: 20,
      web_search_requests: 1,
      service_tier: 'batch',
    });
  });
});

interface Refused {
  content: object[];
  category?: string;
}

describe('a refusal', () => {
  const stop_details = { type: 'refusal', category: 'cyber', explanation: 'It asks for an exploit.' };
  const ending = { stop_reason: 'refusal', stop_details };

  it.each([
    ['before any output', { content: [] }, 0],
    ['before any output, of a category that is billed', { content: [], category: 'bio' }, undefined],
    ['in the middle of its output', { content: [{ type: 'text', text: 'I' }] }, undefined],
  ])('is billed as it is where it comes %s', (_when, { content, category = 'cyber' }: Refused, cost) => {
    const usage = { input_tokens: 106, output_tokens: 1 };
    const read = readMessage({ content, usage, ...ending, stop_details: { ...stop_details, category } });
    expect(usageMembers(read.usage).cost).toBe(cost);
  });

  it('that another model has answered is of that one', () => {
    const iterations = [
      { type: 'message', model: 'a' },
      { type: 'fallback_message', model: 'b' },
    ];
    expect(readMessage({ model: 'b', usage: { iterations } })).toMatchObject({ model: 'b', isFallback: true });
    expect(readMessage({ model: 'a', usage: {} }).isFallback).toBeUndefined();
  });

  it('has its explanation for a text, where it has no other', () => {
    expect(readMessage({ content: [], ...ending }).text).toBe('It asks for an exploit.');
    expect(readMessage({ content: [{ type: 'text', text: 'I' }], ...ending }).text).toBe('I');
    expect(readMessage({ content: [], stop_reason: 'refusal', stop_details: null }).text).toBe('');
  });

  it('has it in a stream, too', () => {
    const stream = new MessageStream();
    stream.push({ data: JSON.stringify({ type: 'message_start', message: { content: [] } }) });
    stream.push({ data: JSON.stringify({ type: 'message_delta', delta: ending }) });
    expect(stream.answer()).toMatchObject({ text: 'It asks for an exploit.', finishReason: 'refusal' });
  });
});
