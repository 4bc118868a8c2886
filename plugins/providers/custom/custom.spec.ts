import { describe, expect, it } from '@jest/globals';
import { CONTRACT_API_KEY, describeProviderContract, fixturesIn, readEverything } from '@spandrel/plugin-api/testing';
import * as fc from 'fast-check';
import { calls } from './fixtures/calls.js';
import custom from './index.js';

const files = fixturesIn(new URL('./fixtures/', import.meta.url));
const post = (path: string, headers = {}) => ({ method: 'POST', path, headers });
const KEY_HEADER = { authorization: `Bearer ${CONTRACT_API_KEY}` };

describeProviderContract(
  {
    plugin: custom,
    configs: {
      accepted: [{}, { base_url: 'https://llm.example/v1' }, { max_tokens_member: 'max_completion_tokens' }],
      refused: [{ base_url: 7 }, { key: 'x' }, { max_tokens_member: 'tokens' }],
    },
    recognised: [
      { request: post('/v1/chat/completions'), as: 'no' },
      { request: post('/v1/messages', { 'anthropic-version': '2023-06-01' }), as: 'no' },
    ],
    unrecorded: [post('/v1/embeddings'), post('/v1/responses'), post('/v1/completions')],
    calls,
    errors: [
      {
        status: 400,
        body: files.json('error-400.json'),
        message: "This model's maximum context length is 4096 tokens.",
      },
      { status: 422, body: files.json('error-422.json'), message: 'model must be given' },
      { status: 400, body: [{ error: { code: 400, message: 'API key not valid.' } }], message: 'API key not valid.' },
    ],
    embeddings: {
      baseUrl: 'https://llm.example/openai/v1',
      call: { model: 'bge-m3', texts: ['ebb', '満潮 🌊'] },
      request: {
        method: 'POST',
        url: 'https://llm.example/openai/v1/embeddings',
        headers: { 'content-type': 'application/json', ...KEY_HEADER },
        body: { model: 'bge-m3', input: ['ebb', '満潮 🌊'] },
      },
      answer: {
        body: {
          data: [
            { index: 1, embedding: [0, 1] },
            { index: 0, embedding: [0.5, -1e-9] },
          ],
        },
        vectors: [
          [0.5, -1e-9],
          [0, 1],
        ],
      },
    },
    chat: {
      baseUrl: 'https://llm.example/openai/v1',
      call: { model: 'qwen3-32b', messages: [{ role: 'user', content: 'Neap?' }], maxTokens: 20 },
      request: {
        method: 'POST',
        url: 'https://llm.example/openai/v1/chat/completions',
        headers: { 'content-type': 'application/json', ...KEY_HEADER },
        body: { model: 'qwen3-32b', messages: [{ role: 'user', content: 'Neap?' }], max_tokens: 20 },
      },
      answer: { body: files.json('chat.response.json'), expected: calls[0].expected.answer },
      stream: {
        members: { stream: true, stream_options: { include_usage: true } },
        answer: files.text('chat-stream.sse'),
        expected: calls[1]!.expected.answer,
      },
      tools: {
        call: {
          tools: [{ name: 'tide', description: 'of a port', parameters: { type: 'object' } }, { type: 'odd' }],
          parameters: { seed: 7 },
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
        request: { method: 'GET', url: 'https://llm.example/openai/v1/models', headers: KEY_HEADER },
        body: files.json('models.json'),
        ids: ['qwen3-32b'],
      },
    },
  },
  { describe, it },
);

describe('custom', () => {
  const setup = async () => custom.setup({ logger: { info() {}, warn() {}, error() {} } }, {});

  it('limits answers by the member that its config names, or the call', async () => {
    const config = { max_tokens_member: 'max_completion_tokens' as const };
    const target = { baseUrl: 'https://llm.example/v1', apiKey: '' };
    const call = { model: 'm', messages: [], maxTokens: 20 };
    const provider = await custom.setup({ logger: { info() {}, warn() {}, error() {} } }, config);
    expect(provider.chat.buildRequest(target, call).body).toEqual({
      ...{ model: 'm', messages: [], max_completion_tokens: 20 },
    });
    expect(provider.chat.buildRequest(target, { ...call, maxTokensMember: 'max_tokens' }).body).toEqual({
      ...{ model: 'm', messages: [], max_tokens: 20 },
    });
  });

  it('reads any JSON value', async () => {
    const provider = await setup();
    fc.assert(fc.property(fc.jsonValue(), (value) => readEverything(provider, calls, value)));
  });

  it('counts reasoning as the first token', async () => {
    const reader = (await setup()).endpoint(post('/v1/chat/completions'))!.readStream();
    reader.push({ data: '{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}' });
    expect(reader.started).toBe(false);
    reader.push({ data: '{"choices":[{"index":0,"delta":{"reasoning_content":"Hm"}}]}' });
    expect(reader.started).toBe(true);
  });

  it('takes an error that only the event name shows', async () => {
    const reader = (await setup()).endpoint(post('/v1/chat/completions'))!.readStream();
    reader.push({ event: 'error', data: '{"message":"out of memory"}' });
    expect(reader.answer().error).toBe('out of memory');
  });

  it('takes tool calls that come without index, and arguments that are no text', async () => {
    const reader = (await setup()).endpoint(post('/v1/chat/completions'))!.readStream();
    const push = (calls: unknown) =>
      reader.push({ data: JSON.stringify({ choices: [{ delta: { tool_calls: calls } }] }) });
    push([{ id: 'a', function: { name: 'f', arguments: '{"x"' } }]);
    push([{ function: { arguments: ':1}' } }]);
    push([{ id: 'b', function: { name: 'g', arguments: { y: 2 } } }]);
    expect(reader.answer().toolCalls).toEqual([
      { id: 'a', name: 'f', arguments: '{"x":1}' },
      { id: 'b', name: 'g', arguments: { y: 2 } },
    ]);
  });
});
