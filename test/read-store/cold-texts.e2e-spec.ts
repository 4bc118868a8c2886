import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { LOCAL_SCOPE, METRICS } from '@spandrel/kernel';
import { MemoryReadStore } from '@spandrel/plugin-api/testing';
import type { Registry } from '@prometheus-io/client';
import { CoolDays, LoadReadStore, rebuildReadStore } from '@spandrel/read-store';
import { DAY_MS, integer, shapeOf } from '@spandrel/storage';
import { ReadStoreChangeStore } from '../../libs/read-store/src/read-store-change.store.js';
import { CHANGE_KIND } from '../../libs/read-store/src/read-store.entity.js';
import { ReadStoreSettings } from '../../libs/read-store/src/read-store.settings.js';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { CONNECTIONS, type McpClient } from '../mcp/clients.ts';
import { logExport, spanExport, traceIdOf } from '../otlp/exported.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';

const NUMBER = shapeOf({ number: integer() });
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS + DAY_MS / 2;
const at = (ms: number): string => new Date(ms).toISOString();
/** An answer without the moment at which it was made; of a file of traces, its texts. */
const unstamped = (answer: string): string =>
  /data-part="trace-0">.*?<\/script>/.exec(answer)?.[0] ?? answer.replace(/"exported_at":"[^"]*"/, '');
const message = (content: string) => [{ role: 'user', content }];
const kind = { type: 'llm_call', model: 'gpt', provider: 'openai', input_tokens: 3, output_tokens: 5, cost: 0.25 };

describeOnBothDatabases('texts of old days', ({ newDatabase }) => {
  const store = new MemoryReadStore();
  let app: ServerApp;
  let datasetId: string;
  let runId: string;
  let provider: FakeProvider;
  let connectionId: string;
  let mcp: McpClient;

  const load = (): Promise<void> => app.app.get(LoadReadStore).execute();
  const cool = (): Promise<void> => app.app.get(CoolDays).execute(Date.now());
  const number = async (query: typeof HOT): Promise<number> => (await app.storage.readLong(query))[0]!.number;
  const HOT = NUMBER.query`select count(*) as number from span_payload p where p.output is not null`;
  const COLD = NUMBER.query`select count(*) as number from span_payload p where p.cold_digest is not null`;
  const text = async (path: string): Promise<[string, number, string]> => {
    const answer = await fetch(app.url + path);
    return [path, answer.status, unstamped(await answer.text())];
  };
  const span = (id: string, trace: string, startedAt: number, more: object = {}) => ({
    ...{ id, trace_id: trace, name: `work of ${id}`, kind, status: 'completed', metadata: { region: 'eu' } },
    ...{ started_at: at(startedAt), ended_at: at(startedAt + 20) },
    ...{ input: message(`Where is ${id}? ${'é😀'.repeat(40)}`), output: { text: `In "${trace}"`, n: 1e21 } },
    ...more,
  });
  const ingest = async (traces: string[], spans: object[]): Promise<void> => {
    const body = { traces: traces.map((id) => ({ id, session_id: 'talk' })), spans };
    expect((await app.api.post('/api/ingest', body)).status).toBe(200);
    await load();
  };

  /** A store that failed is not asked for some seconds: they pass. */
  const real = performance.now.bind(performance);
  let passed = 0;
  const passTime = () => {
    passed += 10_000;
    jest.spyOn(performance, 'now').mockImplementation(() => real() + passed);
  };

  /** Everything that shows texts. */
  const shown = async () => {
    const paths = [
      ...['/api/traces/t1?view=full', '/api/traces/t2?view=outline&preview=60', '/api/traces/big'],
      ...['/api/spans/t1-0', '/api/spans?limit=1000&sort_order=asc', '/api/spans?view=outline&preview=40'],
      ...['/api/spans?text_contains=WHERE+is+t2-1', '/api/spans?output_contains=t2&metadata.region=eu'],
      ...['/api/spans?text_contains=where&session_id=talk&limit=7', '/api/traces?preview=30'],
      ...[
        '/api/sessions/talk?preview=50',
        '/api/export/json',
        '/api/traces/t1/bundle',
        '/api/count/spans?text_contains=t1',
      ],
      `/api/eval/${runId}/items?include=kind`,
    ];
    const tools = [
      ['get_span', { span_id: 't1-1' }],
      ['get_trace', { trace_id: 't2' }],
      ['list_spans', { text_contains: 'where is t1' }],
    ] as const;
    return Promise.all([
      ...paths.map(text),
      ...tools.map(async ([name, args]): Promise<[string, number, string]> => {
        const answer = await mcp.call(name, args);
        return [name, answer.isError ? 500 : 200, answer.text];
      }),
    ]);
  };
  const created = async <Body>(path: string, body: object): Promise<Body> => {
    const answer = await app.api.post<Body>(path, body);
    expect([path, answer.body, Math.floor(answer.status / 100)]).toEqual([path, answer.body, 2]);
    return answer.body;
  };
  /** Tries the call of a span again. @returns the answer's status and what the provider was asked. */
  const tryAgain = async (span_id: string): Promise<[number, string]> => {
    const body = JSON.stringify({ connection_id: connectionId, span_id });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${app.url}/api/try`, { method: 'POST', headers, body });
    await answer.text();
    return [answer.status, String(provider.requests.at(-1)?.body ?? '')];
  };

  beforeAll(async () => {
    Object.assign(globalThis, { memoryReadStore: store });
    app = await startServerApp(await newDatabase('cold_texts'), {
      settings: (settings) => {
        const memory = { use: resolve('test/read-store/memory-plugin.mjs'), config: {} };
        settings.core.plugins = [...settings.core.plugins, memory];
        Object.assign(settings.of(ReadStoreSettings), { plugin: 'memory', hotDays: 1 });
      },
    });
    await rebuildReadStore(app.storage);
    const many = Array.from({ length: 1_100 }, (_, index) => span(`big-${index}`, 'big', NOON - DAY_MS + index));
    await ingest(['big'], many);
    const few = (trace: string, start: number) =>
      [0, 1, 2].map((index) => span(`${trace}-${index}`, trace, start + index));
    const failed = span('t1-failed', 't1', NOON + 9, { status: { failed: { error: 'It broke' } }, output: null });
    await ingest(
      ['t1', 't2', 'now'],
      [...few('t1', NOON), failed, ...few('t2', NOON + 60_000), ...few('now', Date.now() - 5_000)],
    );
    const runs = span('t2-runs', 't2', NOON + 70_000, { status: 'running', ended_at: undefined, output: undefined });
    await ingest([], [runs]);
    datasetId = (await created<{ id: string }>('/api/datasets', { name: 'kept' })).id;
    await created(`/api/datasets/${datasetId}/export-spans`, { span_ids: ['t1-1', 't2-2'] });
    const run = { name: 'before', execution: 'external', scorers: [{ name: 'own', scoring: 'External' }] };
    runId = (await created<{ id: string }>(`/api/datasets/${datasetId}/eval`, run)).id;
    provider = await startFakeProvider();
    const connection = { name: 'ours', provider: 'openai', api_key: 'sk-fake', base_url: `${provider.url}/v1` };
    connectionId = (await created<{ id: string }>('/api/provider-connections', connection)).id;
    mcp = await CONNECTIONS['client 2 over HTTP']!({ url: app.url });
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await mcp?.close();
    await app?.close();
    await provider?.close();
  });

  it('stay where they are when the store has lost one, which is said', async () => {
    const lost = [...store.kept].find(([key]) => key.endsWith(' t1-1'))!;
    store.kept.delete(lost[0]);
    await cool();
    expect(await number(COLD)).toBe(1_100);
    expect(await app.app.get<Registry>(METRICS).metrics()).toMatch(/^spandrel_read_store_days\{state="differs"\} 1$/m);
    store.kept.set(...lost);
  });

  it('go, and everything is shown as before', async () => {
    await app.api.delete('/api/spans/big-7');
    await load();
    // What was given away already is brought back by nothing but a change.
    const hot = await number(HOT);
    const before = await shown();
    expect(before.filter(([, status]) => status !== 200)).toEqual([]);
    await cool();
    expect(await number(HOT)).toBe(3);
    expect(hot).toBeGreaterThan(3);
    expect(await number(COLD)).toBe(1_099 + 8);
    for (const [index, answer] of (await shown()).entries()) expect(answer).toEqual(before[index]);
    expect(await app.app.get<Registry>(METRICS).metrics()).toMatch(/^spandrel_read_store_days\{state="cold"\} 2$/m);
    const many = jest.spyOn(store, 'texts');
    await text('/api/traces/t1?view=full');
    // The text index may read spans of all traces meanwhile.
    const ofTrace = many.mock.calls.filter(([{ spans }]) => spans.every(({ trace_id: id }) => id === 't1'));
    expect(ofTrace).toHaveLength(1);
    many.mockRestore();
  });

  it('come into datasets, from which evaluations take them', async () => {
    const added = await app.api.post<{ datapoints: { kind: unknown }[] }>(`/api/datasets/${datasetId}/export-spans`, {
      span_ids: ['t1-0', 'big-5'],
    });
    expect(added.status).toBeLessThan(300);
    const { body } = await app.api.get<object>(`/api/datasets/${datasetId}/datapoints`);
    expect(JSON.stringify(body)).toContain('Where is big-5?');
    expect(JSON.stringify(body)).toContain('Where is t1-0?');
    const run = { name: 'after', execution: 'external', scorers: [{ name: 'own', scoring: 'External' }] };
    const { id } = await created<{ id: string }>(`/api/datasets/${datasetId}/eval`, run);
    expect((await text(`/api/eval/${id}/items?include=kind`))[2]).toContain('Where is big-5?');
  });

  it('are sent again where their call is tried again', async () => {
    const [status, asked] = await tryAgain('t1-2');
    expect([status, asked]).toEqual([200, expect.stringContaining('Where is t1-2?')]);
  });

  it('merge with what comes by OTLP later', async () => {
    const send = async (path: string, body: object): Promise<void> => {
      expect((await app.api.unchecked.post(path, body)).status).toBe(200);
      await load();
    };
    const calls = [
      { trace: 'old', span: 'call of old', startedAt: NOON + 80_000 },
      { trace: 'new', span: 'call of new', startedAt: Date.now() - 60_000 },
    ] as const;
    const says = async (content: string, after: number) => {
      const said = { event: 'gen_ai.user.message', body: { content } };
      for (const { startedAt, ...call } of calls)
        await send('/v1/logs', logExport({ ...call, ...said, at: startedAt + after }));
    };
    const exported = async (attributes: Record<string, string>) => {
      for (const call of calls) await send('/v1/traces', spanExport({ ...call, attributes }));
    };
    const read = async (at: 0 | 1) => {
      const { body } = await app.api.get<{ spans: Record<string, unknown>[] }>(
        `/api/traces/${traceIdOf(calls[at].trace)}`,
      );
      return body.spans.map(({ input, output, kind }) => ({ input, output, kind }));
    };
    const chat = { 'gen_ai.operation.name': 'chat' };
    await exported(chat);
    await says('why?', 5);
    const cold = await number(COLD);
    await cool();
    expect(await number(COLD)).toBe(cold + 1);
    await says('and when?', 10);
    expect(await read(0)).toEqual(await read(1));
    await cool();
    await exported({ ...chat, 'gen_ai.request.model': 'gpt', 'gen_ai.provider.name': 'openai' });
    const asked = ['why?', 'and when?'].map((content) => ({ role: 'user', content }));
    expect(await read(0)).toEqual([
      expect.objectContaining({ input: asked, kind: expect.objectContaining({ model: 'gpt' }) }),
    ]);
    expect(await read(0)).toEqual(await read(1));
    await cool();
    expect(await read(0)).toEqual(await read(1));
  });

  it('are missed where they are asked for while the store is away; what does without them goes on', async () => {
    const away = jest.spyOn(store, 'texts').mockRejectedValue(new Error('away'));
    const missed = await app.api.get('/api/spans/t1-0');
    expect([missed.status, missed.body.code]).toEqual([503, 'texts_unavailable']);
    expect(missed.body.detail).toContain('is there');
    expect((await app.api.get('/api/traces/t1?view=full')).body.code).toBe('texts_unavailable');
    expect((await tryAgain('t1-0'))[0]).toBe(503);
    expect(await mcp.call('get_span', { span_id: 't1-0' })).toMatchObject({
      ...{ isError: true, text: expect.stringContaining('texts_unavailable') },
    });
    for (const path of [
      '/api/traces/t1?view=outline&preview=20',
      '/api/traces?preview=20',
      '/api/spans?view=outline',
    ]) {
      expect((await text(path)).slice(0, 2)).toEqual([path, 200]);
    }
    const late = { spans: [span('t1-0', 't1', NOON, { output: 'late' })] };
    expect((await app.api.post('/api/ingest', late)).status).toBe(503);
    expect((await app.api.delete('/api/spans/t1-2')).status).toBe(200);
    away.mockRestore();
  });

  it('are in the database again for a write that needs them', async () => {
    passTime();
    await ingest([], [{ id: 't2-0', trace_id: 't2', name: 'late', status: 'completed', metadata: { late: true } }]);
    const completed = await app.api.post('/api/spans/t2-runs/complete', { output: 'done' });
    expect(completed.status).toBe(200);
    expect(await number(HOT)).toBe(6);
    const [, , full] = await text('/api/traces/t2?view=full');
    expect(full).toContain('Where is t2-0?');
    expect(full).toContain('Where is t2-runs?');
    expect(full).toContain('"late":true');
    const before = await shown();
    await load();
    await cool();
    expect(await number(HOT)).toBe(4);
    expect(await shown()).toEqual(before);
  });

  it('that are still to be loaded stay, and go at a later look', async () => {
    const resent = { id: 't2-0', trace_id: 't2', name: 'later', status: 'completed', metadata: { late: true } };
    await ingest([], [resent]);
    await cool();
    const hot = await number(HOT);
    // A server that ends between a batch and its confirmation leaves such a change, and its lease.
    const noted = { projectId: LOCAL_SCOPE.projectId, kind: CHANGE_KIND.span, id: 't2-0', moved: false };
    await ingest([], [resent]);
    await app.storage.write((tx) => app.app.get(ReadStoreChangeStore).note(tx, [noted], Date.now()));
    const loader = jest.spyOn(app.app.get(LoadReadStore), 'execute').mockResolvedValue();
    await cool();
    expect(await number(HOT)).toBe(hot + 1);
    loader.mockRestore();
    await load();
    await cool();
    expect(await number(HOT)).toBe(hot);
  });

  it('are not lost by a new beginning, and come back when the setting goes', async () => {
    await expect(rebuildReadStore(app.storage)).rejects.toThrow('alone has texts');
    const { has } = store;
    store.has = null;
    await app.api.post('/api/spans', { trace_id: 'now', name: 'one more' });
    await expect(load()).rejects.toThrow('alone has texts');
    store.has = has;
    passTime();
    const before = await shown();
    app.app.get(ReadStoreSettings).hotDays = null;
    await cool();
    expect(await number(COLD)).toBe(0);
    expect(await shown()).toEqual(before);
    expect(await rebuildReadStore(app.storage)).toBe(1);
  });
});
