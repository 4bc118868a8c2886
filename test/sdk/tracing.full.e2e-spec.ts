/** What the SDK records, read back from a server; and docs/sdk.md, whose examples run as they stand there. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource, TraceListItem } from '@spandrel/contract';
import { Spandrel as Sdk } from '@spandrel/sdk';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { builtSdk } from '../support/built-sdk.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';
import { usersPath } from '../support/users-path.ts';

let provider: FakeProvider;
let spandrel: Spandrel;
let api: Api;
/** A project in which the SDK and a client are installed. */
const project = tempDir();
beforeAll(async () => {
  provider = await startFakeProvider();
  spandrel = await startSpandrel({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
  api = new Api(spandrel.apiUrl);
  mkdirSync(join(project, 'node_modules/@spandrel'), { recursive: true });
  symlinkSync(dirname(await builtSdk()), join(project, 'node_modules/@spandrel/sdk'));
  symlinkSync(resolve('node_modules/openai'), join(project, 'node_modules/openai'));
});
afterAll(async () => {
  await spandrel?.stop();
  await provider?.close();
});

/** Runs a program on the Node of the PATH, the oldest that the SDK promises. */
function run(program: string): Promise<{ code: number | null; out: string; err: string }> {
  const file = join(project, 'example.mjs');
  writeFileSync(file, program);
  const child = spawn('node', [file], {
    env: {
      PATH: usersPath(),
      OPENAI_API_KEY: 'sk-example',
      SPANDREL_API_URL: spandrel.apiUrl,
      SPANDREL_GATEWAY_URL: spandrel.gatewayUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  return new Promise((done) => child.on('close', (code) => done({ code, ...written })));
}

/** The traces with a name, and their spans by name. */
async function recorded(name: string): Promise<{ trace: TraceListItem; spans: Record<string, SpanResource> }> {
  const { body: list } = await api.get<{ traces: TraceListItem[] }>(`/api/traces?name_contains=${name}`);
  expect(list.traces).toHaveLength(1);
  const { body } = await api.get<{ trace: TraceListItem; spans: SpanResource[] }>(`/api/traces/${list.traces[0]!.id}`);
  return { trace: body.trace, spans: Object.fromEntries(body.spans.map((span) => [span.name, span])) };
}

describe('the examples of docs/sdk.md', () => {
  const blocks = [...readFileSync('docs/sdk.md', 'utf8').matchAll(/^```(\w+)\n(.*?)^```/gms)];
  const examples = blocks.flatMap(([, language, code], index) => {
    if (language !== 'js') return [];
    const shown = blocks.slice(index + 1, index + 3);
    const end = shown.findIndex(([, other]) => other === 'js');
    const below = Object.fromEntries((end < 0 ? shown : shown.slice(0, end)).map(([, other, text]) => [other!, text!]));
    return [{ code: code!, prints: below['text'] ?? '', spans: JSON.parse(below['json'] ?? '[]') as object[] }];
  });

  it('are there', () => expect(examples.length).toBeGreaterThan(9));

  it.each(examples.map((example, index) => [index + 1, example] as const))(
    'example %i does what stands below it',
    async (_number, { code, prints, spans }) => {
      const before = new Set((await api.spans()).map(({ id }) => id));
      expect(await run(code)).toEqual({ code: 0, out: prints, err: '' });
      const isNew = ({ id, status }: SpanResource): boolean => !before.has(id) && status !== 'running';
      const made = async (): Promise<SpanResource[]> => (await api.spans()).filter(isNew);
      // The gateway records a moment later.
      await until(async () => (await made()).length === spans.length);
      const left = await made();
      for (const expected of spans) {
        const index = left.findIndex((span) => isWithin(expected, span));
        if (index < 0) expect(left).toEqual([expected]);
        left.splice(index, 1);
      }
    },
  );
});

/** Whether all that is expected is there; objects may have more. */
function isWithin(expected: unknown, actual: unknown): boolean {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) {
    return JSON.stringify(expected) === JSON.stringify(actual);
  }
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(expected).every(([name, value]) => isWithin(value, (actual as Record<string, unknown>)[name]));
}

describe('what is recorded', () => {
  it('is read back with every member', async () => {
    const sdk = new Sdk({ apiUrl: spandrel.apiUrl });
    const kind = {
      type: 'llm_call',
      model: 'own-model',
      provider: 'me',
      input_tokens: 5,
      output_tokens: 7,
      cost: 0.25,
      temperature: 0,
    };
    const ids = await sdk.trace(
      'every member',
      {
        sessionId: 'session ü',
        userId: 'ada',
        tags: ['a', 'b,c'],
        metadata: { 'a b': { deep: [null, 1.5] }, truncated: 'mine' },
      },
      async (trace) => {
        const call = sdk.startSpan('call', {
          kind,
          input: [{ role: 'user', content: 'NUL \0 and \ud800' }],
          startedAt: 1_000_000,
        });
        call.run(() => sdk.startSpan('below').fail(new Error('no', { cause: new Error('why') }), { output: ['part'] }));
        call.end({ output: { text: 'x', finish_reason: 'stop' }, metadata: { own: true }, endedAt: 1_002_500 });
        sdk.startSpan('cut', { input: 'ä'.repeat(1_000_000), metadata: { truncated: 'mine', b: 1 } }).end();
        return { trace: trace.id, call: call.id };
      },
    );
    sdk.startSpan('open');
    expect(await sdk.flush()).toMatchObject({ delivered: 4, pending: 0, dropped: 0, rejected: 0, lastError: null });

    const { trace, spans } = await recorded('every');
    expect(trace).toMatchObject({
      id: ids.trace,
      name: 'every member',
      session_id: 'session ü',
      user_id: 'ada',
      tags: ['a', 'b,c'],
      metadata: { 'a b': { deep: [null, 1.5] }, truncated: 'mine' },
      span_count: 3,
      error_count: 1,
      total_tokens: 12,
      total_cost: 0.25,
    });
    expect(spans['call']).toEqual({
      id: ids.call,
      trace_id: ids.trace,
      parent_id: null,
      name: 'call',
      kind,
      input: [{ role: 'user', content: 'NUL \0 and \ud800' }],
      output: { text: 'x', finish_reason: 'stop' },
      status: 'completed',
      error: null,
      started_at: '1970-01-01T00:16:40.000Z',
      ended_at: '1970-01-01T00:16:42.500Z',
      metadata: { own: true, duration_ms: 2_500, total_tokens: 12, cost: 0.25, cost_source: 'sender' },
    });
    expect(spans['below']).toMatchObject({
      parent_id: ids.call,
      status: { failed: { error: 'no (caused by: why)' } },
      output: ['part'],
      kind: { type: 'custom', kind: 'custom', attributes: {} },
    });
    const { input, metadata } = spans['cut']!;
    expect(Buffer.byteLength(JSON.stringify(input))).toBeLessThanOrEqual(1_048_576);
    expect(metadata).toMatchObject({ truncated: true, b: 1 });
    expect((await recorded('open')).spans['open']).toMatchObject({ status: 'running' });
  });

  it('joins what the gateway records of the same trace, whose tags it has from the start', async () => {
    const sdk = new Sdk({ apiUrl: spandrel.apiUrl, gatewayUrl: spandrel.gatewayUrl });
    const call = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };
    const post = (): Promise<Response> =>
      sdk.fetch(`${spandrel.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-example' },
        body: JSON.stringify(call),
      });
    const id = await sdk.trace('by gateway', { userId: 'Zoë', tags: ['eval'] }, async (trace) => {
      expect((await post()).status).toBe(200);
      return trace.id;
    });
    const read = async (): Promise<{ trace: TraceListItem; spans: SpanResource[] }> =>
      (await api.get<{ trace: TraceListItem; spans: SpanResource[] }>(`/api/traces/${id}`)).body;
    await until(async () => (await read()).spans?.[0]?.status === 'completed');
    const { trace, spans } = await read();
    expect(trace).toMatchObject({ user_id: 'Zoë', tags: ['eval'] });
    expect(spans[0]!.parent_id).toBeNull();
    await sdk.flush();
    expect((await read()).trace.name).toBe('by gateway');
  });
});

it('a rejection that nobody handles ends the program as it would have, and is recorded', async () => {
  const { code, err } = await run(`
    import { Spandrel } from '@spandrel/sdk';
    const spandrel = new Spandrel();
    process.on('unhandledRejection', async (error) => {
      console.error('unhandled', error.message);
      await spandrel.flush();
      process.exit(7);
    });
    void spandrel.observe(async () => { throw new Error('nobody cares'); }, { name: 'unhandled' })();
  `);
  expect([code, err]).toEqual([7, 'unhandled nobody cares\n']);
  expect((await recorded('unhandled')).spans['unhandled']).toMatchObject({ error: 'nobody cares' });
});
