/** The built program: what calls through the gateway cost, as the providers' price pages or the providers themselves say. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { Api } from '../support/api.ts';
import { startSpandrel, until, type Spandrel } from '../support/spandrel.ts';

/** An answer of a model: its JSON, or the events of a stream. */
interface Case {
  name: string;
  path: string;
  model: string;
  answer: object | object[];
  /** Dollars. */
  cost: number;
  /** Between which times of the day (UTC) the provider takes something else for a call that begins then. */
  night?: { from: string; to: string; cost: number };
  source?: string;
}

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const RESPONSES = '/v1/responses';

const chat = (usage: object, message: object = { content: 'Hi' }) => ({
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage,
});
const message = (usage: object) => ({
  type: 'message',
  content: [{ type: 'text', text: 'Go on' }],
  stop_reason: 'end_turn',
  usage,
});
const response = (usage: object, more: object = {}) => ({
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] }],
  usage,
  ...more,
});

const cases: Case[] = [
  {
    name: 'cached tokens of DeepSeek: 10,000 × 0.27, 90,000 × 0.07 and 5 × 1.1 a million, half of it at night',
    path: CHAT,
    model: 'deepseek-chat',
    answer: chat({ prompt_tokens: 100_000, completion_tokens: 5, prompt_cache_hit_tokens: 90_000 }),
    cost: 0.0090055,
    night: { from: '16:30', to: '00:30', cost: 0.00450275 },
  },
  {
    name: 'audio: 500 × 2.5, 1,500 × 40, 100 × 10 and 900 × 80',
    path: CHAT,
    model: 'gpt-4o-audio-preview',
    answer: chat(
      {
        prompt_tokens: 2_000,
        completion_tokens: 1_000,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 1_500 },
        completion_tokens_details: { audio_tokens: 900 },
      },
      { content: null, audio: { data: 'UklGRg==', transcript: 'Hello there' } },
    ),
    cost: 0.13425,
  },
  {
    name: 'writes to the cache of Anthropic: 3 × 3, 12,304 × 3.75 and 550 × 15',
    path: MESSAGES,
    model: 'claude-3-7-sonnet-20250219',
    answer: message({
      input_tokens: 3,
      cache_creation_input_tokens: 12_304,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 12_304, ephemeral_1h_input_tokens: 0 },
      output_tokens: 550,
    }),
    cost: 0.054399,
  },
  {
    name: 'writes to the cache of OpenAI: 30,000 × 2, 20,000 × 0.2, 50,000 × 2.5 and 1,000 × 10',
    path: RESPONSES,
    model: 'gpt-6-sol',
    answer: response({
      input_tokens: 100_000,
      input_tokens_details: { cached_tokens: 20_000, cache_write_tokens: 50_000 },
      output_tokens: 1_000,
      total_tokens: 101_000,
    }),
    cost: 0.199,
  },
  {
    name: 'the flex tier: half of 100,000 × 1.25 and 1,000 × 10',
    path: RESPONSES,
    model: 'gpt-5',
    answer: response({ input_tokens: 100_000, output_tokens: 1_000 }, { service_tier: 'flex' }),
    cost: 0.0675,
  },
  {
    name: 'a long context: 300,000 × 4 and 1,000 × 15',
    path: RESPONSES,
    model: 'gpt-6-sol',
    answer: response({ input_tokens: 300_000, output_tokens: 1_000 }),
    cost: 1.215,
  },
  {
    name: 'a cost that the provider reports',
    path: CHAT,
    model: 'openrouter/auto',
    answer: chat({ prompt_tokens: 1_000, completion_tokens: 100, cost: 0.0045 }),
    cost: 0.0045,
    source: 'provider',
  },
  {
    name: 'reasoning beside the completion (xAI): 32 × 3 and 103 × 15',
    path: CHAT,
    model: 'grok-4',
    answer: chat({
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      completion_tokens_details: { reasoning_tokens: 94 },
    }),
    cost: 0.001641,
  },
  {
    name: 'a compaction of Anthropic: 181,000 × 5 and 3,700 × 25',
    path: MESSAGES,
    model: 'claude-opus-4-8',
    answer: message({
      input_tokens: 1_000,
      output_tokens: 200,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
        { type: 'message', input_tokens: 1_000, output_tokens: 200 },
      ],
    }),
    cost: 0.9975,
  },
  {
    name: 'a stream of Groq: 40 × 0.59 and 5 × 0.79',
    path: CHAT,
    model: 'llama-3.3-70b-versatile',
    answer: [
      { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }], x_groq: { id: 'req_1' } },
      {
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        x_groq: { id: 'req_1', usage: { prompt_tokens: 40, completion_tokens: 5, total_tokens: 45 } },
      },
    ],
    cost: 0.00002755,
  },
];

describe('a call through the gateway costs what its provider takes', () => {
  let upstream: Server;
  let spandrel: Spandrel;
  let api: Api;

  beforeAll(async () => {
    upstream = createServer((req, res) => {
      const { answer } = cases[Number(req.headers['x-case'])]!;
      const isStream = Array.isArray(answer);
      const body = isStream
        ? [...answer.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
        : JSON.stringify(answer);
      const type = isStream ? 'text/event-stream' : 'application/json';
      req.resume().on('end', () => res.setHeader('content-type', type).end(body));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    spandrel = await startSpandrel();
    api = new Api(spandrel.apiUrl);
  });
  afterAll(async () => {
    await spandrel?.stop();
    upstream.close();
  });

  it.each(cases.map((each, index) => [each.name, index, each] as const))('%s', async (_name, index, each) => {
    const { path, model, answer, cost, night, source = 'table' } = each;
    const traceId = `case-${index}`;
    await fetch(`${spandrel.gatewayUrl}${path}`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'x-case': String(index), 'x-spandrel-trace-id': traceId },
        'x-forward-url': `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      },
      body: JSON.stringify({ model, messages: [], stream: Array.isArray(answer) }),
    }).then((reply) => reply.text());
    const found = (): Promise<SpanResource[]> => api.spans(`status=completed&trace_id=${traceId}`);
    await until(async () => (await found()).length === 1);
    const [{ kind, metadata, started_at: startedAt }] = (await found()) as [SpanResource];
    const time = startedAt.slice('2026-11-27T'.length);
    const isNight = night && (time >= night.from || time < night.to);
    expect(metadata['cost_source']).toBe(source);
    expect(kind['cost']).toBeCloseTo(isNight ? night.cost : cost, 9);
  });
});
