import { describe, expect, it } from '@jest/globals';
import { CONTRACT_API_KEY, describeProviderContract, fixturesIn, readEverything } from '@spandrel/plugin-api/testing';
import * as fc from 'fast-check';
import { chatCalls, plainCalls, responsesCalls } from './fixtures/calls.js';
import openai from './index.js';

const files = fixturesIn(new URL('./fixtures/', import.meta.url));
const post = (path: string, headers = {}) => ({ method: 'POST', path, headers });
const KEY_HEADER = { authorization: `Bearer ${CONTRACT_API_KEY}` };

describeProviderContract(
  {
    plugin: openai,
    configs: {
      accepted: [{}, { base_url: 'https://openai.example' }, { base_url: 'http://127.0.0.1:4000/v1/' }],
      refused: [
        null,
        'x',
        { base_url: '' },
        { base_url: 'ftp://x' },
        { base_url: 'x.example' },
        { base_url: 1 },
        { baseUrl: 'https://x' },
      ],
    },
    recognised: [
      { request: post('/v1/chat/completions'), as: 'likely' },
      { request: { method: 'GET', path: '/v1/models', headers: {} }, as: 'likely' },
      { request: post('/v1'), as: 'likely' },
      { request: post('/v10/chat'), as: 'no' },
      { request: post('/api/chat'), as: 'no' },
    ],
    unrecorded: [
      { method: 'GET', path: '/v1/chat/completions', headers: {} },
      { method: 'GET', path: '/v1/models', headers: {} },
      { method: 'GET', path: '/v1/responses/resp_1', headers: {} },
      post('/v1/responses/resp_1/cancel'),
      post('/v1/responses/input_tokens'),
      post('/v1/chat/completions/chatcmpl-1'),
      post('/v1/messages'),
      post('/v1/files'),
      post('/v1/audio/speech'),
      post('/api/embeddings'),
    ],
    calls: [...chatCalls, ...responsesCalls, ...plainCalls],
    errors: [400, 401, 429, 500].map((status) => {
      const body = files.json(`error-${status}.json`);
      return { status, body, message: (body as { error: { message: string } }).error.message };
    }),
    embeddings: {
      baseUrl: 'https://openai.example/v1',
      call: { model: 'text-embedding-3-small', texts: ['ebb', '満潮 🌊'] },
      request: {
        method: 'POST',
        url: 'https://openai.example/v1/embeddings',
        headers: { 'content-type': 'application/json', ...KEY_HEADER },
        body: { model: 'text-embedding-3-small', input: ['ebb', '満潮 🌊'] },
      },
      answer: {
        body: files.json('embeddings.response.json'),
        vectors: [
          [0.0213, -0.4471, 0.8812, 0.1501],
          [-0.3317, 0.7104, 0.5523, -0.2876],
        ],
      },
    },
    chat: {
      baseUrl: 'https://openai.example/v1',
      call: {
        model: 'gpt-5.1',
        messages: [{ role: 'user', content: 'Tide?' }],
        temperature: 0,
        maxTokens: 64,
        answerSchema: { name: 'verdict', schema: { type: 'object' } },
      },
      request: {
        method: 'POST',
        url: 'https://openai.example/v1/chat/completions',
        headers: { 'content-type': 'application/json', ...KEY_HEADER },
        body: {
          model: 'gpt-5.1',
          messages: [{ role: 'user', content: 'Tide?' }],
          temperature: 0,
          max_completion_tokens: 64,
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'verdict', schema: { type: 'object' }, strict: true },
          },
        },
      },
      answer: { body: files.json('chat.response.json'), expected: chatCalls[0]!.expected.answer },
      stream: {
        members: { stream: true, stream_options: { include_usage: true } },
        answer: files.text('chat-stream.sse'),
        expected: chatCalls[1]!.expected.answer,
      },
      tools: {
        call: {
          tools: [{ name: 'tide', description: 'of a port', input_schema: { type: 'object' } }, { type: 'odd' }],
          parameters: { seed: 7, temperature: 2 },
        },
        members: {
          tools: [
            { type: 'function', function: { name: 'tide', description: 'of a port', parameters: { type: 'object' } } },
            { type: 'odd' },
          ],
          seed: 7,
        },
      },
      models: {
        request: { method: 'GET', url: 'https://openai.example/v1/models', headers: KEY_HEADER },
        body: files.json('models.json'),
        ids: ['gpt-5.1', 'text-embedding-3-small'],
      },
    },
  },
  { describe, it },
);

describe('openai', () => {
  const setup = async (config: { base_url?: string }) =>
    openai.setup({ logger: { info() {}, warn() {}, error() {} } }, config);

  it('reads any JSON value', async () => {
    const provider = await setup({});
    const calls = [...chatCalls, ...responsesCalls, ...plainCalls];
    fc.assert(fc.property(fc.jsonValue(), (value) => readEverything(provider, calls, value)));
  });

  it('records the same calls behind any prefix', async () => {
    const { endpoint } = await setup({});
    for (const path of ['/responses', '/openai/v1/responses/', '/api/v1/embeddings', '/engines/x/completions']) {
      expect(endpoint(post(path))).toBeDefined();
    }
  });

  it('goes to the configured base for chat calls of connections without one', async () => {
    const { chat, defaultBaseUrl } = await setup({ base_url: 'https://openai.example' });
    const call = { model: 'gpt-5.1', messages: [] };
    expect(defaultBaseUrl).toBe('https://openai.example');
    expect(chat.buildRequest({ baseUrl: null, apiKey: 'k' }, call).url).toBe(
      'https://openai.example/v1/chat/completions',
    );
  });

  it('keeps the query of a base, as Azure wants it', async () => {
    const { chat } = await setup({});
    const target = { baseUrl: 'https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21', apiKey: 'k' };
    expect(chat.buildRequest(target, { model: 'd', messages: [] }).url).toBe(
      'https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21',
    );
  });
});
