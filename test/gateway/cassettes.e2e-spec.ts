/** Calls of real clients are recorded once, and come back from the cassette with the provider switched off. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLogger, loadPlugins, loadSettings } from '@spandrel/kernel';
import { generateText, streamText } from 'ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import type { CassetteSettings } from '../../apps/gateway/src/cassette/cassette.settings.ts';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { startFakeApi, type FakeApi } from './support/fake-api.ts';
import { rawRequest } from './support/raw.ts';
import { startGateway, type StartedGateway } from './support/start.ts';

const { core } = loadSettings([], { args: [], env: {}, cwd: process.cwd() });
const { maskers } = await loadPlugins(core.plugins, createLogger('silent', 'test'), ['masker']);

let dir: string;
let api: FakeApi;
let provider: FakeProvider;
let gateway: StartedGateway;

beforeEach(async () => {
  dir = tempDir();
  api = await startFakeApi();
  provider = await startFakeProvider();
});
afterEach(async () => {
  await gateway?.close();
  await provider.close();
  await api.close();
});

/** A gateway with cassettes; the one before is closed. */
async function startWith(settings: Partial<CassetteSettings>): Promise<void> {
  await gateway?.close();
  const cassettes = { dir, mode: 'replay', timing: 'none', name: null, ...settings } as const;
  gateway = await startGateway(provider.url, { apiUrl: api.url }, { maskers, cassettes });
}

const KEYS = { openai: `sk-canary-${'a1B2c3D4'.repeat(5)}`, anthropic: `sk-ant-api03-${'Z9y8X7w6'.repeat(8)}` };

const headers = (cassette: string) => ({ 'X-Spandrel-Cassette': cassette });
const openai = (cassette = 'chat') =>
  new OpenAI({ apiKey: KEYS.openai, baseURL: `${gateway.url}/v1`, maxRetries: 2, defaultHeaders: headers(cassette) });
const anthropic = (cassette = 'chat') =>
  new Anthropic({ apiKey: KEYS.anthropic, baseURL: gateway.url, maxRetries: 0, defaultHeaders: headers(cassette) });
const ollama = (cassette = 'chat') => new Ollama({ host: gateway.url, headers: headers(cassette) });
const aiSdk = (cassette = 'chat') =>
  createOpenAI({ apiKey: KEYS.openai, baseURL: `${gateway.url}/v1`, headers: headers(cassette) }).chat('gpt-5.1');

const user = (content: string) => [{ role: 'user' as const, content }];
const tool = {
  type: 'function' as const,
  function: { name: 'get_tide', description: 'Tide times', parameters: { type: 'object', properties: {} } },
};

async function collect(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** What a client is answered, or how it fails. */
const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: Error & { status?: number }) => ({ failed: error.constructor.name, status: error.status }));

/** Five turns, each a call of a tool whose id is new in every run. */
async function agentLoop(): Promise<unknown> {
  const messages: OpenAI.ChatCompletionMessageParam[] = user('when is the tide?');
  for (let step = 0; step < 5; step++) {
    const answer = await openai().chat.completions.create({ model: 'fake:tools', messages, tools: [tool] });
    const { message } = answer.choices[0]!;
    const id = `call_${crypto.randomUUID()}`;
    messages.push({ ...message, tool_calls: message.tool_calls!.slice(0, 1).map((call) => ({ ...call, id })) });
    messages.push({ role: 'tool', tool_call_id: id, content: `tide ${step}` });
  }
  return messages.map(({ role, content }) => [role, content]);
}

/** Every kind of call, by every client. */
const calls: Record<string, () => Promise<unknown>> = {
  'openai: chat': () => openai().chat.completions.create({ model: 'gpt-5.1', messages: user('tides? 🌊') }),
  'openai: a stream': async () =>
    collect(await openai().chat.completions.create({ model: 'gpt-5.1', stream: true, messages: user('tides?') })),
  'openai: tools': () =>
    openai().chat.completions.create({ model: 'gpt-5.1', messages: user('fake:tools'), tools: [tool] }),
  'openai: responses': async () =>
    collect(await openai().responses.create({ model: 'gpt-5.1', stream: true, input: 'tides?' })),
  'openai: embeddings': () => openai().embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] }),
  'openai: models': () => openai().models.list(),
  'openai: compressed': () => openai().chat.completions.create({ model: 'gpt-5.1', messages: user('fake:gzip') }),
  'openai: an error': () =>
    outcome(openai().chat.completions.create({ model: 'gpt-5.1', messages: user('fake:error-400') })),
  'openai: 429, then an answer': () =>
    openai().chat.completions.create({ model: 'gpt-5.1', messages: user('fake:error-429+times:2') }),
  'openai: a cut stream': () =>
    outcome(
      openai()
        .chat.completions.create({ model: 'gpt-5.1', stream: true, messages: user('fake:cut') })
        .then(collect),
    ),
  'openai: an agent': agentLoop,
  'anthropic: chat': () =>
    anthropic().messages.create({ model: 'claude-opus-4-8', max_tokens: 9, messages: user('tides?') }),
  'anthropic: a stream': () =>
    anthropic()
      .messages.stream({ model: 'claude-opus-4-8', max_tokens: 9, messages: user('tides?') })
      .finalMessage(),
  'anthropic: an error': () =>
    outcome(anthropic().messages.create({ model: 'claude-opus-4-8', max_tokens: 9, messages: user('fake:error-529') })),
  'ollama: chat': () => ollama().chat({ model: 'llama3', messages: user('tides?') }),
  'ollama: a stream': async () =>
    collect(await ollama().chat({ model: 'llama3', stream: true, messages: user('tides?') })),
  'ai sdk: text': async () => (await generateText({ model: aiSdk(), prompt: 'tides?' })).text,
  'ai sdk: a stream': () => collect(streamText({ model: aiSdk(), prompt: 'tides?' }).textStream),
  'fetch, without a client': async () => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers('chat'), 'content-type': 'application/json', authorization: `Bearer ${KEYS.openai}` },
      body: JSON.stringify({ model: 'gpt-5.1', messages: user('raw') }, null, 4),
    });
    return [answer.status, await answer.text()];
  },
};

it('replays what every client was answered, byte for byte, with the provider switched off', async () => {
  await startWith({ mode: 'record' });
  const recorded: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) recorded[name] = JSON.stringify(await call());
  expect(Object.values(recorded).filter((answer) => answer.includes('failed'))).toHaveLength(3);
  await startWith({ mode: 'replay' });
  await provider.close();
  const asked = provider.requests.length;
  const replayed: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) replayed[name] = JSON.stringify(await call());
  expect(replayed).toEqual(recorded);
  expect(provider.requests).toHaveLength(asked);
  const { cassettes } = (await (await fetch(`${gateway.url}/cassettes`)).json()) as { cassettes: unknown[] };
  expect(cassettes).toMatchObject([{ name: 'chat', misses: 0, recorded: 0, unused: [] }]);
});

it('is recorded as spans as ever', async () => {
  await startWith({ mode: 'record' });
  await openai().chat.completions.create({ model: 'gpt-5.1', messages: user('a') });
  await startWith({ mode: 'replay' });
  await openai().chat.completions.create({ model: 'gpt-5.1', messages: user('a') });
  await until(() => [...api.spans.values()].filter(({ status }) => status === 'completed').length === 2);
  expect([...api.spans.values()].map(({ output }) => output?.text)).toEqual(['You said: a', 'You said: a']);
});

it('holds a cassette for each of ten tests in parallel', async () => {
  const test = async (n: number): Promise<unknown> => {
    const client = openai(`parallel/test-${n}`);
    const texts: (string | null)[] = [];
    for (const step of [1, 2, 3]) {
      const messages = user(`test ${n} step ${step}`);
      const { choices } = await client.chat.completions.create({ model: 'gpt-5.1', messages });
      texts.push(choices[0]!.message.content);
    }
    return texts;
  };
  const tests = Array.from({ length: 10 }, (_, n) => n);
  await startWith({ mode: 'record' });
  const recorded = await Promise.all(tests.map(test));
  // A gateway that runs on puts them in place as well.
  await until(() => existsSync(join(dir, 'parallel')) && readdirSync(join(dir, 'parallel')).length === 10);
  await startWith({ mode: 'replay' });
  expect(await Promise.all(tests.map(test))).toEqual(recorded);
  expect(provider.requests).toHaveLength(30);
});

it('ends a run of tests when asked to: orders begin at their first recording, and a recording is made new', async () => {
  const finish = async (method = 'DELETE') => {
    const answer = await fetch(`${gateway.url}/cassettes`, { method });
    return [answer.status, await answer.json()] as const;
  };
  const statuses = async (times: number) => {
    const answers: number[] = [];
    const body = JSON.stringify({ model: 'gpt-5.1', messages: user('fake:error-429+times:1') });
    const sent = { method: 'POST', headers: { ...headers('chat'), 'content-type': 'application/json' }, body };
    for (let i = 0; i < times; i++) {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, sent);
      await answer.text();
      answers.push(answer.status);
    }
    return answers;
  };
  const entries = () => readFileSync(join(dir, 'chat.cassette.yaml'), 'utf8').match(/^--- #/gm)!.length;
  await startWith({ mode: 'record' });
  await statuses(2);
  expect(await finish()).toMatchObject([200, { cassettes: [{ name: 'chat', recorded: 2 }] }]);
  expect(entries()).toBe(2);
  await startWith({ mode: 'replay' });
  expect(await statuses(3)).toEqual([429, 200, 200]);
  expect(await statuses(3)).toEqual([200, 200, 200]);
  await finish();
  expect(await statuses(3)).toEqual([429, 200, 200]);
  expect(await finish('POST')).toMatchObject([405, { code: 'method_not_allowed' }]);
  await startWith({ mode: 'record' });
  await statuses(1);
  await finish();
  await statuses(3);
  await finish();
  expect(entries()).toBe(3);
});

it('says how a changed prompt differs, in the shape of each provider, and lets no call leave', async () => {
  const prompt = (time: string) => `Remind me to water the plants at ${time}`;
  const ask = {
    openai: (time: string) => openai().chat.completions.create({ model: 'gpt-5.1', messages: user(prompt(time)) }),
    anthropic: (time: string) =>
      anthropic().messages.create({ model: 'claude-opus-4-8', max_tokens: 9, messages: user(prompt(time)) }),
    ollama: (time: string) => ollama().chat({ model: 'llama3', stream: false, messages: user(prompt(time)) }),
  };
  await startWith({ mode: 'record' });
  for (const call of Object.values(ask)) await call('6 pm');
  await startWith({ mode: 'replay' });
  for (const call of Object.values(ask)) {
    const failed = await call('5 pm').then(
      () => undefined,
      (error: Error & { status?: number; status_code?: number }) => error,
    );
    expect(failed?.status ?? failed?.status_code).toBe(409);
    expect(failed?.message.replaceAll('\\"', '"')).toContain(
      'messages[0].content: "…water the plants at 5 pm" is "…water the plants at 6 pm" on the cassette',
    );
  }
  expect(provider.requests).toHaveLength(3);
  await startWith({ mode: 'hybrid' });
  for (const call of Object.values(ask)) await Promise.all([call('5 pm'), call('6 pm')]);
  expect(provider.requests).toHaveLength(6);
});

it('writes no key: not of headers, queries, bodies and answers', async () => {
  const planted = {
    header: `sk-proj-${'h1'.repeat(20)}`,
    query: `AIza${'q2'.repeat(17)}x`,
    body: `sk-ant-api03-${'b3'.repeat(30)}`,
    own: 'correct-horse-battery',
  };
  await startWith({ mode: 'record' });
  const call = async (key: string): Promise<string> => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions?key=${planted.query}&v=1`, {
      method: 'POST',
      headers: { ...headers('keys'), authorization: `Bearer ${key}`, 'x-api-key': planted.header, cookie: 'a=b-c-d-e' },
      body: JSON.stringify({
        model: 'gpt-5.1',
        messages: user(`keys ${planted.body} and ${planted.own}`),
        api_key: planted.header,
      }),
    });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const said = await call(planted.own);
  expect(said).toContain(planted.body);
  await startWith({ mode: 'replay' });
  const file = readFileSync(join(dir, 'keys.cassette.yaml'), 'utf8');
  for (const key of Object.values(planted)) expect(file).not.toContain(key);
  expect(file).toContain('/v1/chat/completions?v=1');
  expect(await call(planted.own)).toBe(said.replaceAll(planted.body, '[secret]').replaceAll(planted.own, '[redacted]'));
});

it('fails the one call whose recording or request cannot be read', async () => {
  await startWith({ mode: 'record' });
  await openai('sound').chat.completions.create({ model: 'gpt-5.1', messages: user('a') });
  await startWith({ mode: 'replay' });
  const sound = readFileSync(join(dir, 'sound.cassette.yaml'), 'utf8');
  const damages: Record<string, (text: string) => string> = {
    cut: (text) => text.slice(0, text.indexOf('answer:')),
    status: (text) => text.replace('status: 200', 'status: 99999'),
    interim: (text) => text.replace('status: 200', 'status: 101'),
    'no-headers': (text) => text.replace(/headers:\n.*\n/, 'headers:\n'),
    name: (text) => text.replace('content-type:', '"a\\r\\nb":'),
    value: (text) => text.replace(/content-type: .*/, String.raw`content-type: "a\r\nset-cookie: b"`),
    framing: (text) => text.replace(/content-type: .*/, 'content-length: 3'),
    events: (text) => text.replace('answer:\n', 'answer:\n  events: 5\n'),
    yaml: (text) => text.replace('answer:\n', 'answer: {\n'),
  };
  const ask = async (name: string, body: unknown) => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers(name), 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return answer.status;
  };
  const call = { model: 'gpt-5.1', messages: user('a') };
  for (const [name, damage] of Object.entries(damages)) {
    const damaged = damage(sound);
    expect([name, damaged === sound]).toEqual([name, false]);
    writeFileSync(join(dir, `${name}.cassette.yaml`), damaged);
    expect([name, await ask(name, call)]).toEqual([name, 409]);
  }
  expect(await ask('sound', `{"messages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)).toBe(409);
  expect(await ask('sound', call)).toBe(200);
});

it('pauses as the provider did when asked to', async () => {
  const stream = async (): Promise<number> => {
    const started = performance.now();
    const body = { model: 'gpt-5.1', stream: true as const, messages: user('fake:slow-stream:60') };
    await collect(await openai().chat.completions.create(body));
    return performance.now() - started;
  };
  await startWith({ mode: 'record' });
  await stream();
  await startWith({ mode: 'replay', timing: 'recorded' });
  // A pause is at least as long as it says.
  const pauses = /pauses_ms: (.*)/.exec(readFileSync(join(dir, 'chat.cassette.yaml'), 'utf8'))![1]!.split(' ');
  const sum = pauses.reduce((total, pause) => total + Number(pause), 0);
  expect(sum).toBeGreaterThan(60);
  expect(await stream()).toBeGreaterThanOrEqual(sum - pauses.length);
});

it('takes no name that leads out of its folder, no WebSocket, and no call without a folder', async () => {
  await startWith({ mode: 'record' });
  const ask = (cassette: string) =>
    outcome(openai(cassette).chat.completions.create({ model: 'gpt-5.1', messages: user('a') }));
  for (const name of [
    '../out',
    'a/../../out',
    '/etc/out',
    '.hidden',
    'a//b',
    'a\\..\\b',
    'a'.repeat(201),
    'a/..b/c..',
  ]) {
    expect([name, await ask(name)]).toEqual([name, { failed: 'BadRequestError', status: 400 }]);
  }
  await startWith({ dir: null });
  expect(await ask('chat')).toEqual({ failed: 'BadRequestError', status: 400 });
  await startWith({ mode: 'record' });
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa('0123456789abcdef')}\r\n`;
  const socket = `GET /v1/realtime?model=m HTTP/1.1\r\nHost: localhost\r\nX-Spandrel-Cassette: chat\r\n${upgrade}\r\n`;
  const { head, body } = await rawRequest(gateway.port, socket);
  expect([head, body.toString()]).toEqual([
    expect.stringMatching(/^HTTP\/1.1 426 /),
    expect.stringContaining('A cassette has calls over HTTP'),
  ]);
  expect(provider.requests).toEqual([]);
  await expect(
    startGateway(provider.url, { mode: 'cloud' }, { cassettes: { dir, mode: 'replay', timing: 'none', name: null } }),
  ).rejects.toThrow('cassettes are for local mode');
});
