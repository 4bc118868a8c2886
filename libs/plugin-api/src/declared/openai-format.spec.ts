import { describe, expect, it } from '@jest/globals';
import type { DeclaredProvider } from '../plugin.js';
import { CONTRACT_API_KEY, describeProviderContract, setUpPlugin } from '../testing/index.js';

const post = (path: string, headers = {}) => ({ method: 'POST', path, headers });
const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: null, reasoningTokens: null };
const answer = { model: 'h1', text: 'hi', finishReason: 'stop', toolCalls: [], usage, error: null };
const whole = {
  model: 'h1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};
const messages = [{ role: 'user', content: 'hello' }];
const KEY_HEADER = { 'x-harbour-key': CONTRACT_API_KEY };
const JSON_HEADERS = { 'content-type': 'application/json', ...KEY_HEADER };

const harbour: DeclaredProvider = {
  extensionPoint: 'provider',
  name: 'harbour',
  apiVersion: 1,
  format: 'openai',
  baseUrl: 'https://llm.harbour.example/v1',
  headers: (apiKey) => ({ 'x-harbour-key': apiKey }),
  prices: { h1: { input: 2, output: 8, cached_input: 0.5 } },
};

describeProviderContract(
  {
    plugin: harbour,
    configs: { accepted: [{}, { base_url: 'http://127.0.0.1:1/v1' }], refused: [{ base_url: '' }, { key: 'x' }] },
    recognised: [{ request: post('/v1/chat/completions', { 'x-harbour-key': 'k' }), as: 'no' }],
    unrecorded: [post('/v1/files'), { method: 'GET', path: '/v1/models', headers: {} }],
    calls: [
      {
        name: 'whole',
        request: { path: '/v1/chat/completions', body: { model: 'h1', messages, seed: 1 } },
        answer: { whole },
        expected: {
          endpoint: 'chat.completions',
          request: { model: 'h1', input: messages, streaming: false, parameters: { seed: 1 } },
          answer,
        },
      },
      {
        name: 'streamed',
        request: { path: '/v1/chat/completions', body: { model: 'h1', messages, stream: true } },
        answer: {
          streamed: [
            { model: 'h1', choices: [{ index: 0, delta: { content: 'h' } }] },
            { model: 'h1', choices: [{ index: 0, delta: { content: 'i' }, finish_reason: 'stop' }] },
            { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
          ]
            .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
            .concat('data: [DONE]\n\n')
            .join(''),
        },
        expected: {
          endpoint: 'chat.completions',
          request: { model: 'h1', input: messages, streaming: true, parameters: { stream: true } },
          answer,
        },
      },
    ],
    errors: [{ status: 400, body: { error: { message: 'no' } }, message: 'no' }],
    embeddings: {
      baseUrl: 'https://here.example/v1',
      call: { model: 'e1', texts: ['ebb'] },
      request: {
        method: 'POST',
        url: 'https://here.example/v1/embeddings',
        headers: JSON_HEADERS,
        body: { model: 'e1', input: ['ebb'] },
      },
      answer: { body: { data: [{ index: 0, embedding: [0.5] }] }, vectors: [[0.5]] },
    },
    chat: {
      baseUrl: 'https://here.example/v1',
      call: { model: 'h1', messages, maxTokens: 9 },
      request: {
        method: 'POST',
        url: 'https://here.example/v1/chat/completions',
        headers: JSON_HEADERS,
        body: { model: 'h1', messages, max_tokens: 9 },
      },
      answer: { body: whole, expected: answer },
      models: {
        request: { method: 'GET', url: 'https://here.example/v1/models', headers: KEY_HEADER },
        body: { data: [{ id: 'h1' }] },
        ids: ['h1'],
      },
    },
  },
  { describe, it },
);

describe('a declared provider in the format of OpenAI', () => {
  it('records what OpenAI has, calls the base as it is declared, and sends the key as OpenAI does by default', async () => {
    const { headers: _own, ...plain } = harbour;
    const provider = await setUpPlugin({ ...plain, baseUrl: 'https://llm.harbour.example/v1beta/openai' }, {});
    expect(provider.endpoint(post('/v1/responses'))?.name).toBe('responses');
    expect(provider.endpoint(post('/v1/embeddings'))?.name).toBe('embeddings');
    const request = provider.chat.buildRequest({ baseUrl: null, apiKey: 'k' }, { model: 'h1', messages });
    expect(request.url).toBe('https://llm.harbour.example/v1beta/openai/chat/completions');
    expect(request.headers).toMatchObject({ authorization: 'Bearer k' });
  });

  it('appends the paths of the gateway’s callers to the base without its version', async () => {
    expect(await setUpPlugin(harbour, {})).toMatchObject({
      defaultBaseUrl: 'https://llm.harbour.example',
      hosts: ['llm.harbour.example'],
      prices: harbour.prices,
    });
  });

  it('limits an answer by the member that the API wants', async () => {
    const { chat } = await setUpPlugin({ ...harbour, maxTokensMember: 'max_completion_tokens' }, {});
    const { body } = chat.buildRequest({ baseUrl: null, apiKey: 'k' }, { model: 'h1', messages, maxTokens: 7 });
    expect(body).toMatchObject({ max_completion_tokens: 7 });
  });
});
