import { describe, expect, it } from '@jest/globals';
import { CONTRACT_API_KEY, describeProviderContract, fixturesIn, readEverything } from '@spandrel/plugin-api/testing';
import * as fc from 'fast-check';
import { calls } from './fixtures/calls.js';
import anthropic from './index.js';

const files = fixturesIn(new URL('./fixtures/', import.meta.url));
const post = (path: string, headers = {}) => ({ method: 'POST', path, headers });
const version = { 'anthropic-version': '2023-06-01' };

describeProviderContract(
  {
    plugin: anthropic,
    configs: {
      accepted: [{}, { base_url: 'https://anthropic.example/' }],
      refused: [{ base_url: 'anthropic.example' }, { url: 'https://x' }, []],
    },
    recognised: [
      { request: post('/v1/messages'), as: 'certain' },
      { request: post('/v1/messages/count_tokens'), as: 'certain' },
      { request: post('/v1/messages/batches'), as: 'certain' },
      { request: { method: 'GET', path: '/v1/models', headers: version }, as: 'certain' },
      { request: post('/v1/messagesque'), as: 'no' },
      { request: post('/v1/chat/completions'), as: 'no' },
    ],
    unrecorded: [
      post('/v1/messages/count_tokens', version),
      post('/v1/messages/batches', version),
      post('/v1/threads/thread_1/messages'),
      post('/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict'),
      { method: 'GET', path: '/v1/messages', headers: version },
      { method: 'GET', path: '/v1/models', headers: version },
    ],
    calls,
    errors: [400, 401, 429, 529].map((status) => {
      const body = files.json(`error-${status}.json`);
      return { status, body, message: (body as { error: { message: string } }).error.message };
    }),
    chat: {
      baseUrl: 'https://anthropic.example',
      call: {
        model: 'claude-sonnet-5',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Lit?', name: 'mate' },
        ],
        temperature: 0.1,
        answerSchema: { name: 'verdict', schema: { type: 'object' } },
      },
      request: {
        method: 'POST',
        url: 'https://anthropic.example/v1/messages',
        headers: { 'content-type': 'application/json', 'x-api-key': CONTRACT_API_KEY, ...version },
        body: {
          model: 'claude-sonnet-5',
          max_tokens: 4096,
          system: 'Be brief.',
          messages: [{ role: 'user', content: 'Lit?' }],
          temperature: 0.1,
          output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
        },
      },
      answer: { body: files.json('messages.response.json'), expected: calls[0].expected.answer },
      stream: {
        members: { stream: true },
        answer: files.text('messages-stream.sse'),
        expected: calls[1]!.expected.answer,
      },
      tools: {
        call: {
          tools: [{ name: 'tide', description: 'of a port', parameters: { type: 'object' } }, { type: 'odd' }],
          parameters: { top_k: 7, temperature: 2 },
        },
        members: {
          tools: [{ name: 'tide', description: 'of a port', input_schema: { type: 'object' } }, { type: 'odd' }],
          top_k: 7,
        },
      },
      models: {
        request: {
          method: 'GET',
          url: 'https://anthropic.example/v1/models?limit=1000',
          headers: { 'x-api-key': CONTRACT_API_KEY, ...version },
        },
        body: files.json('models.json'),
        ids: ['claude-sonnet-5', 'claude-opus-4-5-20251101'],
      },
    },
  },
  { describe, it },
);

const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

describe('anthropic', () => {
  it('sends texts and images of other APIs as its own', async () => {
    const { chat } = await setup();
    const content = [
      { type: 'input_text', text: 'See' },
      IMAGE,
      { type: 'input_image', image_url: 'https://a.example/b.png' },
    ];
    const { body } = chat.buildRequest(
      { baseUrl: null, apiKey: '' },
      { model: 'm', messages: [{ role: 'user', content }] },
    );
    expect((body as { messages: { content: unknown }[] }).messages[0]!.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
    ]);
  });

  const setup = async () => anthropic.setup({ logger: { info() {}, warn() {}, error() {} } }, {});

  it('reads any JSON value', async () => {
    const provider = await setup();
    fc.assert(fc.property(fc.jsonValue(), (value) => readEverything(provider, calls, value)));
  });

  it('keeps the pieces of a tool input that was cut off', async () => {
    const reader = (await setup()).endpoint(post('/v1/messages'))!.readStream();
    reader.push({
      data: '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":{}}}',
    });
    reader.push({
      data: '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"a"}}',
    });
    expect(reader.answer().toolCalls).toEqual([{ id: null, name: 'f', arguments: '{"a' }]);
  });

  it('counts thinking as the first token', async () => {
    const reader = (await setup()).endpoint(post('/v1/messages'))!.readStream();
    reader.push({ data: '{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}' });
    expect(reader.started).toBe(false);
    reader.push({ data: '{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}' });
    expect(reader.started).toBe(true);
    expect(reader.answer()).toMatchObject({ text: '', reasoning: 'Hm' });
  });

  it('keeps all blocks where they are numbered alike', async () => {
    const reader = (await setup()).endpoint(post('/v1/messages'))!.readStream();
    const push = (frame: object) => reader.push({ data: JSON.stringify({ index: 0, ...frame }) });
    push({ type: 'content_block_start', content_block: { type: 'text', text: '' } });
    push({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'A' } });
    push({
      type: 'content_block_start',
      content_block: { type: 'mcp_tool_use', name: 'f', server_name: 's', input: {} },
    });
    push({ type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"x":1}' } });
    expect(reader.answer()).toMatchObject({ text: 'A', toolCalls: [{ name: 'f', arguments: { x: 1 }, server: 's' }] });
  });

  it('has an error that is no JSON', async () => {
    const reader = (await setup()).endpoint(post('/v1/messages'))!.readStream();
    reader.push({ event: 'error', data: 'out of memory' });
    expect(reader.answer().error).toBe('out of memory');
  });

  describe('messages of a chat call', () => {
    const body = async (...messages: object[]) => {
      const { chat } = await setup();
      const target = { baseUrl: null, apiKey: 'k' };
      return chat!.buildRequest(target, { model: 'm', messages: messages as never }).body as Record<string, unknown>;
    };
    const asked = { role: 'user', content: 'Wind?' };
    const use = (id: string, input: unknown, name = 'get_wind') => ({ type: 'tool_use', id, name, input });
    const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content });

    it('have calls of tools and their results as blocks, in whichever form they were recorded', async () => {
      const calls = [
        {
          id: 'a',
          type: 'function',
          function: { name: 'get_wind', arguments: '{"hours":6,"limit":9007199254740993}' },
        },
        { id: 'b', name: 'get_wind', arguments: { hours: 7 } },
      ];
      const made = await body(
        asked,
        { role: 'assistant', content: 'Looking.', tool_calls: calls },
        { role: 'tool', tool_call_id: 'a', content: '7 kn' },
        { role: 'user', tool_call_id: 'b', content: { knots: 9 }, is_error: true },
        { role: 'user', content: 'And?' },
      );
      expect(JSON.parse(JSON.stringify(made))).toMatchObject({
        messages: [
          asked,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Looking.' },
              use('a', { hours: 6, limit: 9007199254740992 }),
              use('b', { hours: 7 }),
            ],
          },
          { role: 'user', content: [result('a', '7 kn'), { ...result('b', '{"knots":9}'), is_error: true }] },
          { role: 'user', content: 'And?' },
        ],
        tools: [{ name: 'get_wind', input_schema: { type: 'object' } }],
        tool_choice: { type: 'none' },
      });
      expect(JSON.stringify(made)).toContain('"limit":9007199254740993');
    });

    it('have results that are known by the name of their tool where the call has no id', async () => {
      const { messages } = await body(
        { role: 'assistant', content: null, tool_calls: [{ id: null, name: 'sea:wind', arguments: '' }] },
        { role: 'tool', name: 'sea:wind', tool_call_id: null, content: [{ type: 'text', text: '7' }] },
      );
      expect(messages).toEqual([
        { role: 'assistant', content: [use('sea_wind', {}, 'sea_wind')] },
        { role: 'user', content: [result('sea_wind', [{ type: 'text', text: '7' }])] },
      ]);
    });

    it('have calls of Ollama, which have no ids, each with its result', async () => {
      const call = (hours: number) => ({ function: { index: 0, name: 'get_wind', arguments: { hours } } });
      const { messages } = await body(
        { role: 'assistant', content: '', tool_calls: [call(1), call(2)] },
        { role: 'tool', tool_name: 'get_wind', content: '7' },
        { role: 'tool', tool_name: 'get_wind', content: '9' },
      );
      expect(messages).toEqual([
        { role: 'assistant', content: [use('get_wind', { hours: 1 }), use('get_wind_2', { hours: 2 })] },
        { role: 'user', content: [result('get_wind', '7'), result('get_wind_2', '9')] },
      ]);
    });

    it('have a call and a result without the other as texts', async () => {
      const call = { id: 'a', name: 'get_wind', arguments: {} };
      const made = await body(
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'z', content: '7' },
      );
      expect(made['messages']).toEqual([
        { role: 'assistant', content: [{ type: 'text', text: JSON.stringify(call) }] },
        { role: 'user', content: '7' },
      ]);
      expect(made).not.toHaveProperty('tools');
    });

    it('have blocks of Anthropic as they are', async () => {
      const messages = [
        { role: 'assistant', content: [use('a', { hours: 1 })] },
        { role: 'user', content: [result('a', '7')] },
      ];
      expect(await body(...messages)).toMatchObject({ messages, tools: [{ name: 'get_wind' }] });
    });
  });
});
