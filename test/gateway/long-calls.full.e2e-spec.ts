/** Long calls are read in threads: the same is recorded, and whatever becomes of the thread, the call is. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, type PluginEntry } from '@spandrel/kernel';
import type { GatewaySettings } from '../../apps/gateway/src/gateway.settings.js';
import { loadPlugins } from '../../libs/kernel/src/plugins/load-plugins.js';
import { ruleFor } from '../masking/all-maskers.ts';
import { startSpandrel } from '../support/spandrel.ts';
import { recorded, startFakeApi, until, type FakeApi, type SentSpan } from './support/fake-api.js';
import { startGateway, type StartedGateway } from './support/start.js';

const KEY = 'sk-canary-0123456789';
const PATIENT_MS = 60_000;
const json = JSON.stringify;
const SSE = 'text/event-stream';
const delta = (content: string): string => `data: ${json({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const chat = (content: string, more: object = {}): string =>
  json({ model: 'gpt-4o', messages: [{ role: 'user', content }], ...more });
const answer = (content: string, more: object = {}): string =>
  json({
    model: 'gpt-4o-2026',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 5 },
    ...more,
  });

/** A call, and what its upstream answers. */
interface ScriptedCall {
  path?: string;
  headers?: Record<string, string>;
  body: string;
  status?: number;
  type?: string;
  encoding?: string;
  answer: string | Buffer | ((response: ServerResponse) => void);
}

const CHAT = '/v1/chat/completions';
const CORPUS: Record<string, ScriptedCall> = {
  'a chat': { body: chat('hello', { temperature: 0.2 }), answer: answer('hi') },
  'a chat that repeats its key': { body: chat(`my key is ${KEY}`, { user: KEY }), answer: answer(`"${KEY}"`) },
  'a stream': {
    body: chat('hello', { stream: true }),
    type: SSE,
    answer: `${delta('长崎 ')}${delta('🌊')}data: [DONE]\n\n`,
  },
  'a stream of tool calls': {
    body: chat('weather', { stream: true, tools: [{ type: 'function', function: { name: 'w' } }] }),
    type: SSE,
    answer: `data: ${json({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'w', arguments: '{"a":' } }] } }] })}\n\ndata: ${json({ choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '1}' } }] }, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`,
  },
  'a stream that is cut': {
    body: chat('hello', { stream: true }),
    type: SSE,
    answer: (response) => void response.write(delta('half'), () => response.destroy()),
  },
  'messages of Anthropic': {
    path: '/v1/messages',
    headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
    body: json({ model: 'claude', max_tokens: 9, system: 'be kind', messages: [{ role: 'user', content: 'hello' }] }),
    answer: json({
      model: 'claude',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 2, output_tokens: 3 },
    }),
  },
  'a chat of Ollama': {
    path: '/api/chat',
    body: json({ model: 'llama', messages: [{ role: 'user', content: 'hello' }] }),
    type: 'application/x-ndjson',
    answer: `${json({ model: 'llama', message: { content: 'h' } })}\n${json({ model: 'llama', message: { content: 'i' }, done: true, prompt_eval_count: 1, eval_count: 2 })}\n`,
  },
  'token arrays': {
    path: '/v1/embeddings',
    body: `{"model":"e","input":[${'[1,12345678901234567890,3],'.repeat(30_000)}[4]]}`,
    answer: json({ model: 'e', data: [{ embedding: Array(2_000).fill(0.123456789) }], usage: { prompt_tokens: 9 } }),
  },
  'an error': { body: chat('hello'), status: 401, answer: json({ error: { message: `wrong key ${KEY}` } }) },
  'a compressed answer': { body: chat('hello'), encoding: 'gzip', answer: gzipSync(answer('x'.repeat(400_000))) },
  'a preview': {
    headers: { 'x-spandrel-capture': 'Preview(5)' },
    body: chat('0123456789'),
    answer: answer('9876543210'),
  },
  'a call without content': {
    headers: { 'x-spandrel-capture': 'Off' },
    body: chat('secret words'),
    answer: answer('x'),
  },
  'a text that is too long': { body: chat('"\n🌊'.repeat(1_100_000)), answer: answer('y') },
  'many values that are too many': {
    path: '/v1/embeddings',
    body: `{"model":"e","input":[${'[1],'.repeat(1_700_000)}[4]]}`,
    answer: '{"usage":{"prompt_tokens":9}}',
  },
  'a request and a stream that are longer than what is kept': {
    body: json({
      messages: [
        ...Array.from({ length: 3_000 }, (_, n) => ({ role: 'user', content: `${n} ${'é '.repeat(1_500)}` })),
        'last',
      ],
      model: 'gpt-4o',
      stream: true,
    }),
    type: SSE,
    answer: [
      ...Array.from({ length: 600 }, (_, n) => delta(`${n} ${'word '.repeat(4_000)}`)),
      `data: ${json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } })}\n\ndata: [DONE]\n\n`,
    ].join(''),
  },
  'what is masked': {
    headers: { 'x-spandrel-user-id': 'jane@planted.example' },
    body: chat('I am jane@planted.example', { user: 'jane@planted.example' }),
    answer: answer('Hello jane@planted.example'),
  },
  'no JSON': { body: '<html>', answer: '<html>' },
};

const USER_PLUGINS = {
  'house.mjs': `export default { extensionPoint: 'provider', apiVersion: 1, name: 'house', setup: (_deps, { base }) => ({
    defaultBaseUrl: base, hosts: [], prices: {}, chat: {},
    recognises: ({ path }) => (path.startsWith('/house/') ? 'certain' : 'no'),
    endpoint: ({ path }) => path.endsWith('/say') ? {
      name: 'say', framing: 'sse',
      readRequest: (body) => ({ model: body.who, input: body.words.toReversed(), streaming: false, parameters: {} }),
      readAnswer: (body) => ({ model: null, text: body.said, finishReason: 'house', toolCalls: [], usage: {}, error: null }),
      readStream: () => ({ started: false, ended: false, push() {}, answer: () => null }),
    } : undefined,
    errorBody: () => ({}), errorMessage: () => undefined,
  }), config: (z) => z.object({ base: z.string() }) };`,
  // What a masker finds depends on the text alone; these do to their thread what the text says.
  'naughty.mjs': `
  const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  export default { extensionPoint: 'masker', apiVersion: 1, name: 'naughty', setup: () => ({ label: 'naughty', finder: () => ({
    lengthMin: 4,
    find: (text) => {
      if (text.startsWith('hang')) for (;;);
      if (text.startsWith('leave')) process.exit(1);
      if (text.startsWith('doze')) wait(300);
      return text.startsWith('find') ? [{ start: 0, end: 4 }] : [];
    },
  }) }) };`,
};

let folder: string;
let upstream: Server;
let upstreamUrl: string;
let api: FakeApi;
let entries: PluginEntry[];
const gateways: StartedGateway[] = [];
let scripts: ScriptedCall[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-long-calls-'));
  for (const [file, code] of Object.entries(USER_PLUGINS)) writeFileSync(join(folder, file), code);
  upstream = createServer((request, response) => {
    request.resume().on('end', () => {
      const {
        status = 200,
        type = 'application/json',
        encoding,
        answer: said,
      } = scripts[Number(request.headers['x-script'])]!;
      response.writeHead(status, { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) });
      if (typeof said === 'function') said(response);
      else response.end(said);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const built = ['openai', 'anthropic', 'ollama'].map((use) => ({ use, config: { base_url: upstreamUrl } }));
  const own = [
    { use: join(folder, 'house.mjs'), config: { base: upstreamUrl } },
    { use: join(folder, 'naughty.mjs'), config: {} },
    { use: 'email', config: {} },
  ];
  entries = [...own, ...built];
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  api = await startFakeApi();
  scripts = [];
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  await api.close();
});

async function start(settings: Partial<GatewaySettings>): Promise<StartedGateway> {
  const { providers, maskers } = await loadPlugins(entries, createLogger('silent', 'test'));
  const given = { apiUrl: api.url, flushMs: 5, readMs: 10 * PATIENT_MS, shutdownMs: 5_000, ...settings };
  const gateway = await startGateway(upstreamUrl, given, { providers, maskers, plugins: entries });
  gateways.push(gateway);
  return gateway;
}

async function call(gateway: StartedGateway, scripted: ScriptedCall): Promise<void> {
  const { path = CHAT, headers = {}, body } = scripted;
  const script = String(scripts.push(scripted) - 1);
  const answered = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, 'x-script': script, ...headers },
    body,
  });
  await answered.arrayBuffer().catch(() => undefined);
}

const said = (content: string): ScriptedCall => ({ body: chat(content), answer: answer('ok') });
/** A text that is read in a thread, masked or not. */
const long = (text: string): ScriptedCall => said(text + ' '.repeat(300_000));

function steady({ id: _id, trace_id: _trace, started_at: _at, ended_at: _end, ...span }: SentSpan): unknown {
  return {
    ...span,
    metadata: { ...span.metadata, time_to_first_token_ms: typeof span.metadata['time_to_first_token_ms'] },
  };
}

const withheldOf = async (gateway: StartedGateway): Promise<string> =>
  (await (await fetch(`${gateway.url}/metrics`)).text())
    .split('\n')
    .filter((line) => /^spandrel_gateway_withheld_contents_total.* [^0]/.test(line))
    .join();

describe('what is recorded of a call in a thread', () => {
  it('is what is recorded of it at once', async () => {
    api.masking = { rules: [ruleFor('email')], hash_key: null };
    const [here, aside] = [await start({ readHereBytes: Infinity }), await start({ readHereBytes: 0 })];
    const known = new Set<string>();
    const recordedBy = async (gateway: StartedGateway, scripted: ScriptedCall): Promise<unknown> => {
      await call(gateway, scripted);
      const spans = await recorded(api, known.size + 1, PATIENT_MS);
      const span = spans.find(({ id }) => !known.has(id))!;
      known.add(span.id);
      return steady(span);
    };
    for (const [name, scripted] of Object.entries(CORPUS)) {
      const first = await recordedBy(here, scripted);
      expect([name, await recordedBy(aside, scripted)]).toEqual([name, first]);
    }
    expect(await withheldOf(aside)).toBe('');
    expect(api.bodies.join()).not.toMatch(/sk-canary|@planted/);
  });

  it("is read by users' plugins", async () => {
    const gateway = await start({});
    const body = json({ who: 'w', words: ['one', 'two', ' '.repeat(300_000)] });
    await call(gateway, { path: '/house/say', body, answer: json({ said: 'three' }) });
    expect((await recorded(api, 1, PATIENT_MS))[0]).toMatchObject({
      name: 'w',
      input: [' '.repeat(300_000), 'two', 'one'],
      output: { text: 'three', finish_reason: 'house' },
    });
  });
});

describe('a call that cannot be read in its thread', () => {
  beforeEach(() => void (api.masking = { rules: [ruleFor('naughty')], hash_key: null }));

  it.each([
    ['deadline', 'hang'],
    ['failed', 'leave'],
  ])('is recorded without what was said, and the next is read: %s', async (reason, text) => {
    const gateway = await start({ readMs: 1_500 });
    await call(gateway, long(text));
    const [span] = await recorded(api, 1, PATIENT_MS);
    expect(span).toMatchObject({
      status: 'completed',
      metadata: { endpoint: CHAT, status_code: 200, content_withheld: reason },
    });
    expect(span).not.toHaveProperty('input');
    expect(span).not.toHaveProperty('output');
    await call(gateway, long('find me'));
    const spans = await recorded(api, 2, PATIENT_MS);
    expect(spans.at(-1)!.input).toEqual([
      { role: 'user', content: expect.stringMatching(/^\[naughty\] me {300000}$/) },
    ]);
    expect(await withheldOf(gateway)).toBe(`spandrel_gateway_withheld_contents_total{reason="${reason}"} 1`);
  });

  it('reports model and tokens from its ends where too many wait', async () => {
    const gateway = await start({ shutdownMs: 1_000, readMs: PATIENT_MS });
    for (let n = 0; n < 34; n++) await call(gateway, long('hang'));
    await call(gateway, long('one too many'));
    const [span] = await recorded(api, 1, PATIENT_MS);
    expect(span).toMatchObject({
      name: 'gpt-4o',
      kind: { model: 'gpt-4o', input_tokens: 3, output_tokens: 5 },
      metadata: { content_withheld: 'busy', truncated: true, response_model: 'gpt-4o-2026' },
    });
    expect(span).not.toHaveProperty('input');
    await gateways.pop()!.close();
    const reasons = (await recorded(api, 35)).map(({ metadata }) => metadata['content_withheld']);
    // The 32 that may wait, and those that threads had begun by then: two on a machine that is not busy.
    expect(reasons.filter((reason) => reason === 'stopped').length).toBeGreaterThanOrEqual(32);
    expect(new Set(reasons)).toEqual(new Set(['busy', 'stopped']));
  });
});

describe('a stop while calls are read in threads', () => {
  beforeEach(() => void (api.masking = { rules: [ruleFor('naughty')], hash_key: null }));

  it('waits for them', async () => {
    const gateway = await start({ shutdownMs: PATIENT_MS });
    await call(gateway, long('doze'));
    await gateways.pop()!.close();
    expect((await recorded(api))[0]).toMatchObject({ input: [{ content: expect.stringMatching(/^doze/) }] });
  });

  it('does not wait for ever', async () => {
    const gateway = await start({ shutdownMs: 1_500 });
    await call(gateway, long('hang'));
    await gateways.pop()!.close();
    expect((await recorded(api))[0]!.metadata).toMatchObject({ content_withheld: 'stopped' });
  });

  it('leaves their recordings in the spool directory', async () => {
    const spoolDir = mkdtempSync(join(tmpdir(), 'spandrel-long-spool-'));
    try {
      const gateway = await start({ spoolDir, shutdownMs: 8_000 });
      await call(gateway, long('find'));
      await recorded(api, 1, PATIENT_MS);
      await call(gateway, long('doze'));
      api.mood = 'hang';
      await gateways.pop()!.close();
      api.mood = 'up';
      await start({ spoolDir });
      expect((await recorded(api, 2, PATIENT_MS))[1]).toMatchObject({
        input: [{ content: expect.stringMatching(/^doze/) }],
      });
    } finally {
      rmSync(spoolDir, { recursive: true, force: true });
    }
  });
});

describe('the built program', () => {
  it("reads long calls in threads of its gateway, with users' plugins", async () => {
    const config = join(folder, 'config.yaml');
    writeFileSync(config, `plugins: [{ use: ./house.mjs, config: { base: '${upstreamUrl}' } }, openai, none]\n`);
    const program = await startSpandrel({ args: ['--config', config] });
    try {
      const words = Array.from({ length: 100_000 }, (_, n) => `word ${n}`);
      scripts = [{ body: '', answer: json({ said: 'three' }) }];
      const answered = await fetch(`${program.gatewayUrl}/house/say`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-script': '0' },
        body: json({ who: 'w', words }),
      });
      expect(await answered.json()).toEqual({ said: 'three' });
      const spans = async (): Promise<{ id: string }[]> =>
        ((await (await fetch(`${program.apiUrl}/api/spans?status=completed`)).json()) as { spans: { id: string }[] })
          .spans;
      await until(async () => (await spans()).length === 1, PATIENT_MS);
      const [{ id }] = (await spans()) as [{ id: string }];
      const span = (await (await fetch(`${program.apiUrl}/api/spans/${id}`)).json()) as SentSpan;
      expect(span.metadata).not.toHaveProperty('content_withheld');
      expect(span.input).toEqual(words.toReversed());
      const metrics = await (await fetch(`${program.gatewayUrl}/metrics`)).text();
      expect(metrics).toContain('spandrel_gateway_withheld_contents_total{reason="failed"} 0');
    } finally {
      expect(await program.stop()).toBe(0);
    }
  });
});
