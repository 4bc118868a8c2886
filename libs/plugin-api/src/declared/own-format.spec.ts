import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { DeclaredProvider } from '../plugin.js';
import type { RecordedAnswer } from '../provider.js';
import { CONTRACT_API_KEY, describeProviderContract, readEverything, setUpPlugin } from '../testing/index.js';

const post = (path: string) => ({ method: 'POST', path, headers: {} });
const usage = { inputTokens: 5, outputTokens: 2, cachedInputTokens: null, reasoningTokens: null };
const answered = (changes: Partial<RecordedAnswer>): RecordedAnswer => ({
  model: null,
  text: null,
  finishReason: null,
  toolCalls: [],
  usage,
  error: null,
  ...changes,
});

/** Everything a declaration may have. */
const full: DeclaredProvider = {
  extensionPoint: 'provider',
  name: 'full',
  apiVersion: 1,
  baseUrl: 'https://llm.full.example/',
  headers: (apiKey) => ({ 'x-full-key': apiKey }),
  prices: { f1: { input: 1, output: 2 } },
  endpoints: {
    '/full/ask': {
      readRequest: (body) => ({ model: body.engine, input: body.turns, parameters: { heat: body.heat } }),
      readAnswer: (body) => ({
        model: body.engine,
        text: body.reply,
        finishReason: body.why,
        toolCalls: body.calls,
        usage: { inputTokens: body.used?.in, outputTokens: body.used?.out },
        error: body.fault,
      }),
      readChunk: (chunk, event) => ({
        text: chunk.piece,
        toolCalls: chunk.calls,
        usage: { inputTokens: chunk.used?.in, outputTokens: chunk.used?.out },
        ended: event === 'end',
      }),
      writeRequest: ({ model, messages }) => ({ engine: model, turns: messages }),
    },
    '/full/lines': {
      name: 'lines',
      framing: 'ndjson',
      readRequest: (body) => ({ model: body.engine, input: body.question, streaming: body.lines }),
      readAnswer: () => ({}),
      readChunk: (chunk) => ({ text: chunk.piece, finishReason: chunk.why, ended: chunk.last }),
    },
  },
  models: { path: '/full/engines', read: (body) => body.engines },
  errorBody: (status, message) => ({ problem: message, status }),
  errorMessage: (body) => body.problem,
};

const turns = [{ role: 'user', content: 'When?' }];
const call = { id: 'c1', name: 'tide', arguments: '{}' };
const asked = { engine: 'f1', turns, heat: 0 };
const calls = [
  {
    name: 'whole',
    request: { path: '/full/ask', body: asked },
    answer: { whole: { engine: 'f1', reply: 'At noon.', why: 'done', used: { in: 5, out: 2 } } },
    expected: {
      endpoint: 'full/ask',
      request: { model: 'f1', input: turns, streaming: false, parameters: { heat: 0 } },
      answer: answered({ model: 'f1', text: 'At noon.', finishReason: 'done' }),
    },
  },
  {
    name: 'a tool call',
    request: { path: '/full/ask', body: asked },
    answer: { whole: { calls: [call, 'x', { name: '' }], used: { in: 5, out: 2 } } },
    expected: {
      endpoint: 'full/ask',
      request: { model: 'f1', input: turns, streaming: false, parameters: { heat: 0 } },
      answer: answered({ text: '', toolCalls: [call] }),
    },
  },
  {
    name: 'a stream',
    request: { path: '/full/ask', body: { ...asked, stream: true } },
    answer: {
      streamed: [
        'data: {"used":{"in":5}}',
        'data: {"piece":"At "}',
        'data: {"piece":"noon."}',
        `data: ${JSON.stringify({ calls: [call] })}`,
        'event: end\ndata: {"used":{"out":2}}',
      ]
        .map((frame) => `${frame}\n\n`)
        .join(''),
    },
    expected: {
      endpoint: 'full/ask',
      request: { model: 'f1', input: turns, streaming: true, parameters: { heat: 0 } },
      answer: answered({ text: 'At noon.', toolCalls: [call] }),
    },
  },
  {
    name: 'a stream of lines',
    request: { path: '/behind/a/prefix/full/lines/', body: { engine: 'f1', question: 'When?', lines: true } },
    answer: { streamed: '{"piece":"At "}\n{"piece":"noon."}\n{"why":"done","last":true}\n' },
    expected: {
      endpoint: 'lines',
      request: { model: 'f1', input: turns, streaming: true, parameters: {} },
      answer: answered({
        text: 'At noon.',
        finishReason: 'done',
        usage: { ...usage, inputTokens: null, outputTokens: null },
      }),
    },
  },
];
const KEY_HEADER = { 'x-full-key': CONTRACT_API_KEY };

describeProviderContract(
  {
    plugin: full,
    configs: { accepted: [{}, { base_url: 'http://127.0.0.1:1' }], refused: [{ base_url: 'x' }, { key: 'x' }] },
    recognised: [
      { request: post('/full/ask'), as: 'certain' },
      { request: { method: 'GET', path: '/full/engines', headers: {} }, as: 'certain' },
      { request: post('/full/engines'), as: 'no' },
      { request: post('/behind/a/prefix/full/ask'), as: 'no' },
    ],
    unrecorded: [post('/full/engines'), post('/full'), { method: 'GET', path: '/full/ask', headers: {} }],
    calls,
    errors: [
      { status: 404, body: { problem: 'no such engine' }, message: 'no such engine' },
      { status: 502, body: { error: { message: 'bad gateway' } }, message: 'bad gateway' },
    ],
    chat: {
      baseUrl: 'https://here.example/llm',
      call: { model: 'f1', messages: turns },
      request: {
        method: 'POST',
        url: 'https://here.example/llm/full/ask',
        headers: { 'content-type': 'application/json', ...KEY_HEADER },
        body: { engine: 'f1', turns },
      },
      answer: { body: { reply: 'At noon.', used: { in: 5, out: 2 } }, expected: answered({ text: 'At noon.' }) },
      models: {
        request: { method: 'GET', url: 'https://here.example/llm/full/engines', headers: KEY_HEADER },
        body: { engines: ['f1', 7, ''] },
        ids: ['f1'],
      },
    },
  },
  { describe, it },
);

/** The least that is recorded. */
const least: DeclaredProvider = {
  extensionPoint: 'provider',
  name: 'least',
  apiVersion: 1,
  baseUrl: 'https://llm.least.example',
  endpoints: { '/least': { readRequest: (body) => ({ model: body.m }), readAnswer: (body) => ({ text: body.t }) } },
};

describeProviderContract(
  {
    plugin: least,
    configs: { accepted: [{}], refused: [{ base_url: 1 }] },
    recognised: [{ request: post('/least'), as: 'certain' }],
    unrecorded: [post('/most')],
    calls: [
      {
        name: 'least',
        request: { path: '/least', body: { m: 'm1', stream: true } },
        answer: { whole: { t: 'text' } },
        expected: {
          endpoint: 'least',
          request: { model: 'm1', input: null, streaming: false, parameters: {} },
          answer: answered({ text: 'text', usage: { ...usage, inputTokens: null, outputTokens: null } }),
        },
      },
    ],
    errors: [{ status: 500, body: { detail: 'out of memory' }, message: 'out of memory' }],
  },
  { describe, it },
);

describe('a declared provider in a format of its own', () => {
  it('takes what it leaves out from the defaults', async () => {
    const provider = await setUpPlugin(least, {});
    expect(provider).toMatchObject({ defaultBaseUrl: 'https://llm.least.example', hosts: ['llm.least.example'] });
    expect([provider.prices, provider.embeddings]).toEqual([undefined, undefined]);
    expect(provider.errorBody(429, 'slow down')).toMatchObject({ error: { message: 'slow down' } });
    const { buildRequest, buildModelsRequest } = provider.chat;
    const target = { baseUrl: null, apiKey: 'k' };
    expect(() => buildRequest(target, { model: 'm', messages: [] })).toThrow(/writeRequest/);
    expect(() => buildModelsRequest(target)).toThrow(/models/);
  });

  it('goes to the base of config, whose host is then its own', async () => {
    const provider = await setUpPlugin(full, { base_url: 'http://127.0.0.1:8080/x' });
    expect(provider).toMatchObject({ defaultBaseUrl: 'http://127.0.0.1:8080/x', hosts: ['127.0.0.1'] });
    const { url } = provider.chat.buildRequest({ baseUrl: null, apiKey: 'k' }, { model: 'm', messages: [] });
    expect(url).toBe('http://127.0.0.1:8080/x/full/ask');
  });

  it('gives a call the texts of its messages as one', async () => {
    const prompts: string[] = [];
    const writeRequest = ({ prompt }: { prompt: string }) => prompts.push(prompt);
    const endpoints = { '/least': { ...least.endpoints!['/least']!, writeRequest } };
    const { chat } = await setUpPlugin({ ...least, endpoints } as DeclaredProvider, {});
    const messages = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: [{ type: 'text', text: 'When?' }, { type: 'image' }] },
      { role: 'assistant', content: null },
    ];
    chat.buildRequest({ baseUrl: null, apiKey: 'k' }, { model: 'm', messages });
    expect(prompts).toEqual(['Be short.\n\nWhen?']);
  });

  it('reads any JSON value', async () => {
    const provider = await setUpPlugin(full, {});
    fc.assert(fc.property(fc.jsonValue(), (value) => readEverything(provider, calls, value)));
  });
});
