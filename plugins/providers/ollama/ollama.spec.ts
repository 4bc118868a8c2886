import { describe, expect, it } from '@jest/globals';
import { CONTRACT_API_KEY, describeProviderContract, fixturesIn, readEverything } from '@spandrel/plugin-api/testing';
import * as fc from 'fast-check';
import { calls } from './fixtures/calls.js';
import ollama from './index.js';

const files = fixturesIn(new URL('./fixtures/', import.meta.url));
const post = (path: string, headers = {}) => ({ method: 'POST', path, headers });
const get = (path: string, headers = {}) => ({ method: 'GET', path, headers });
const KEY_HEADER = { authorization: `Bearer ${CONTRACT_API_KEY}` };

describeProviderContract(
  {
    plugin: ollama,
    configs: {
      accepted: [{}, { base_url: 'http://127.0.0.1:11434/' }],
      refused: [{ base_url: 'localhost:11434' }, { host: 'x' }, 'http://x'],
    },
    recognised: [
      ...['chat', 'generate', 'embed', 'embeddings', 'show', 'pull'].map((name) => ({
        request: post(`/api/${name}`),
        as: 'certain' as const,
      })),
      ...['tags', 'ps', 'version'].map((name) => ({ request: get(`/api/${name}`), as: 'certain' as const })),
      { request: post('/anything', { 'x-ollama-base': 'http://127.0.0.1:1' }), as: 'certain' },
      { request: get('/', { 'user-agent': 'ollama/0.12.3 (amd64 linux) Go/go1.24' }), as: 'certain' },
      { request: get('/', { 'user-agent': 'curl/8.5' }), as: 'no' },
      { request: post('/api/v1/chat/completions'), as: 'no' },
      { request: post('/v1/chat/completions'), as: 'no' },
    ],
    unrecorded: [
      get('/api/tags'),
      get('/api/chat'),
      post('/api/show'),
      post('/api/pull'),
      post('/v1/chat/completions'),
    ],
    calls,
    errors: [400, 404, 500].map((status) => {
      const body = files.json(`error-${status}.json`);
      return { status, body, message: (body as { error: string }).error };
    }),
    embeddings: {
      baseUrl: 'http://127.0.0.1:11434/v1',
      call: { model: 'bge-m3', texts: ['ebb', '満潮 🌊'] },
      request: {
        method: 'POST',
        url: 'http://127.0.0.1:11434/api/embed',
        headers: { 'content-type': 'application/json', ...KEY_HEADER },
        body: { model: 'bge-m3', input: ['ebb', '満潮 🌊'] },
      },
      answer: {
        body: {
          model: 'bge-m3',
          embeddings: [
            [0.5, -1],
            [0, 1],
          ],
          total_duration: 14143917,
        },
        vectors: [
          [0.5, -1],
          [0, 1],
        ],
      },
    },
    chat: {
      baseUrl: 'http://127.0.0.1:11434',
      call: {
        model: 'llama3.2',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Who?' }] }],
        temperature: 0,
        maxTokens: 9,
        answerSchema: { name: 'verdict', schema: { type: 'object' } },
      },
      request: {
        method: 'POST',
        url: 'http://127.0.0.1:11434/api/chat',
        headers: { 'content-type': 'application/json', ...KEY_HEADER },
        body: {
          model: 'llama3.2',
          messages: [{ role: 'user', content: 'Who?' }],
          stream: false,
          format: { type: 'object' },
          options: { temperature: 0, num_predict: 9 },
        },
      },
      answer: { body: files.json('chat.response.json'), expected: calls[0].expected.answer },
      stream: {
        members: { stream: true },
        answer: files.text('chat-stream.ndjson'),
        expected: calls[1]!.expected.answer,
      },
      tools: {
        call: {
          tools: [{ name: 'tide', description: 'of a port', parameters: { type: 'object' } }, { type: 'odd' }],
          parameters: { think: true, options: { seed: 7, temperature: 2 } },
        },
        members: {
          tools: [
            { type: 'function', function: { name: 'tide', description: 'of a port', parameters: { type: 'object' } } },
            { type: 'odd' },
          ],
          think: true,
          options: { seed: 7, temperature: 0, num_predict: 9 },
        },
      },
      models: {
        request: { method: 'GET', url: 'http://127.0.0.1:11434/api/tags', headers: KEY_HEADER },
        body: files.json('models.json'),
        ids: ['llama3.2:latest', 'qwen3:latest'],
      },
    },
  },
  { describe, it },
);

describe('ollama', () => {
  const setup = async () => ollama.setup({ logger: { info() {}, warn() {}, error() {} } }, {});

  it('reads any JSON value', async () => {
    const provider = await setup();
    fc.assert(fc.property(fc.jsonValue(), (value) => readEverything(provider, calls, value)));
  });

  it('sends images of other APIs beside the text', async () => {
    const { chat } = await setup();
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
    ];
    const { body } = chat.buildRequest(
      { baseUrl: null, apiKey: '' },
      { model: 'm', messages: [{ role: 'user', content }] },
    );
    expect(body).toMatchObject({ messages: [{ role: 'user', content: 'See', images: ['iVBO'] }] });
  });

  describe('messages with calls of tools', () => {
    const sent = async (...messages: object[]) => {
      const { chat } = await setup();
      const call = { model: 'm', messages: messages as never };
      return (chat.buildRequest({ baseUrl: null, apiKey: '' }, call).body as { messages: unknown }).messages;
    };
    const asked = { role: 'user', content: 'When?' };
    const own = (id: string, input: object) => ({ id, function: { name: 'tide', arguments: input } });

    it('have arguments as objects and results by the name of the tool, recorded of OpenAI', async () => {
      const call = (id: string, text: string) => ({
        ...{ id, type: 'function', function: { name: 'tide', arguments: text } },
      });
      expect(
        await sent(
          asked,
          {
            ...{ role: 'assistant', content: null },
            tool_calls: [call('a', '{"at":"Brest"}'), call('b', '7'), { id: 'c', name: 'tide', arguments: '' }],
          },
          { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: '07:12' }] },
          { role: 'tool', tool_call_id: 'b', name: 'other', content: { knots: 9 } },
        ),
      ).toEqual([
        asked,
        {
          ...{ role: 'assistant', content: '' },
          tool_calls: [own('a', { at: 'Brest' }), own('b', { arguments: 7 }), own('c', {})],
        },
        { role: 'tool', tool_call_id: 'a', tool_name: 'tide', content: '07:12' },
        { role: 'tool', tool_call_id: 'b', name: 'other', tool_name: 'other', content: '{"knots":9}' },
      ]);
    });

    it('have them recorded of Anthropic', async () => {
      expect(
        await sent(
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'I look.' },
              { type: 'tool_use', id: 'a', name: 'tide', input: { at: 'Brest' } },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '07:12' }] },
        ),
      ).toEqual([
        { role: 'assistant', content: 'I look.', tool_calls: [own('a', { at: 'Brest' })] },
        { role: 'tool', tool_call_id: 'a', tool_name: 'tide', content: '07:12' },
      ]);
    });

    it('are sent as they are where Ollama has recorded them', async () => {
      const messages = [
        {
          ...{ role: 'assistant', content: '', thinking: 'Hm' },
          tool_calls: [{ function: { index: 0, name: 'tide', arguments: { at: 'Brest' } } }],
        },
        { role: 'tool', tool_name: 'tide', content: '07:12' },
      ];
      expect(await sent(...messages)).toEqual(messages);
    });
  });

  it('sends no key where there is none', async () => {
    const { chat } = await setup();
    const target = { baseUrl: null, apiKey: '' };
    expect(chat.buildRequest(target, { model: 'm', messages: [] }).headers).toEqual({
      'content-type': 'application/json',
    });
    expect(chat.buildModelsRequest(target)).toEqual({
      method: 'GET',
      url: 'http://localhost:11434/api/tags',
      headers: {},
    });
  });
});
