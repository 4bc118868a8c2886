/** `spandrel demo`, as a newcomer types it, beside data of the user's own. */
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type {
  AnalyticsSummary,
  CaptureRuleResource,
  DatapointResource,
  EvalRunResource,
  QueueItemResource,
  SessionResource,
  SpanResource,
} from '@spandrel/contract';
import type { Place, Program } from './support/places.ts';
import { describeOnDatabase, SQLITE, POSTGRES } from './support/databases.ts';
import { pathWithNpx } from './support/npx.ts';
import { freePort } from './support/ports.ts';
import { COMPILE_CACHE, runSpandrel, spawnSpandrel, until } from './support/spandrel.ts';
import { compactLatencies } from '../libs/analytics/src/latency-histogram.ts';

const DATASET = '/api/datasets/spandrel-demo';

/** The variables of a plain shell: not those that `npm test` sets. */
const SHELL = {
  PATH: pathWithNpx(
    process.env['PATH']!.split(delimiter)
      .filter((folder) => !folder.includes('node_modules'))
      .join(delimiter),
  ),
  HOME: process.env['HOME']!,
  NODE_COMPILE_CACHE: COMPILE_CACHE,
};

function npxDemo(...flags: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn('npx', ['spandrel', 'demo', ...flags], { env: SHELL, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((done) => child.on('close', (code) => done({ code, output })));
}

describeOnDatabase(SQLITE, 'spandrel demo', ({ takePlace }) => {
  let place: Place;
  let program: Program;
  let flags: string[];
  let before: Awaited<ReturnType<typeof contents>>;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start();
    flags = ['--port', new URL(program.apiUrl).port, '--gateway-port', new URL(program.gatewayUrl).port];
    await makeUserData(program);
    before = await contents(place);
  });
  afterAll(() => place?.close());

  const spans = async (query: string): Promise<SpanResource[]> =>
    (await program.api.get<{ spans: SpanResource[] }>(`/api/spans?limit=1000&${query}`)).body.spans;
  const all = async <Item>(path: string, member: string): Promise<Item[]> =>
    (await program.api.get<Record<string, Item[]>>(path)).body[member]!;

  it('records an example, says that its model is a fake, and what to open', async () => {
    const { code, output } = await npxDemo(...flags);
    expect([code, output]).toEqual([0, expect.stringContaining('a fake model inside this command')]);
    expect(output).toContain(`npx spandrel demo ${flags.join(' ')} --remove`);
    for (const path of [
      '/traces?tag=spandrel-demo',
      '/traces/spandrel-demo-weather-agent',
      '/sessions/spandrel-demo-session',
    ]) {
      expect(output).toContain(`   ${program.apiUrl}${path}\n`);
    }
    // Every address that it names has something to show.
    const addresses = [...output.matchAll(/'(http:\/\/127\.0\.0\.1:\d+\/api[^']*)'/g)].map(([, url]) => url!);
    expect(addresses.length).toBeGreaterThanOrEqual(9);
    for (const url of addresses) {
      const { status, body } = await program.api.get<{ count?: number }>(url.slice(program.apiUrl.length));
      expect([url, status, body.count === undefined || body.count > 0]).toEqual([url, 200, true]);
    }
  });

  it('shows what lists, sessions and analytics are for', async () => {
    const recorded = await spans('tag=spandrel-demo');
    const kinds = Map.groupBy(recorded, ({ kind }) => kind.type);
    expect([...kinds].map(([kind, its]) => [kind, its.length]).toSorted()).toEqual([
      ['custom', 1],
      ['llm_call', 9],
      ['retrieval', 1],
      ['tool_call', 1],
    ]);
    expect(recorded.filter(({ status }) => typeof status === 'object').map(({ error }) => error)).toEqual([
      'HTTP 404: The model `demo-fake-chta` does not exist',
      expect.stringMatching(/^HTTP 400: This fake model's maximum context length/),
    ]);
    expect(recorded.filter(({ metadata }) => metadata['streaming'] === true)).toHaveLength(1);
    for (const { kind, metadata } of recorded) {
      if (kind.type !== 'llm_call') expect(metadata).toMatchObject({ demo: true });
      else expect([kind['provider'], kind['model']]).toEqual(['custom', expect.stringMatching(/^demo-fake-/)]);
    }
    for (const trace of await program.api.traces('tag=spandrel-demo'))
      expect(trace.metadata).toMatchObject({ demo: true });
    const sessions = await all<SessionResource>('/api/sessions', 'sessions');
    expect(sessions.find(({ session_id: id }) => id === 'spandrel-demo-session')).toMatchObject({ trace_count: 3 });
    const { body: summary } = await program.api.get<AnalyticsSummary>('/api/analytics/summary');
    expect(Object.keys(summary.models)).toEqual(
      expect.arrayContaining(['demo-fake-agent', 'demo-fake-chat', 'demo-fake-embedding']),
    );
  });

  it('made a dataset by rule and file, a run that found the wrong answer, and a review', async () => {
    const datapoints = await all<DatapointResource>(`${DATASET}/datapoints`, 'datapoints');
    expect(datapoints.map(({ source }) => source).toSorted()).toEqual([
      ...['file_upload', 'file_upload', 'file_upload'],
      ...['span_export', 'span_export', 'span_export'],
    ]);
    const [rule] = await all<CaptureRuleResource>(`${DATASET}/capture-rules`, 'capture_rules');
    expect(rule).toMatchObject({ captured_count: 3 });
    const [run] = await all<EvalRunResource>(`${DATASET}/eval`, 'runs');
    expect(run).toMatchObject({ status: 'completed', total: 6, failed_count: 0, avg_score: 5 / 6 });
    const { body: whole } = await program.api.get<EvalRunResource>(`/api/eval/${run!.id}`);
    const [wrong, ...others] = whole.result_items.filter(({ score }) => score === 0);
    expect([wrong, others]).toEqual([expect.objectContaining({ output: 'Sydney', expected: 'Canberra' }), []]);
    const { body: sent } = await program.api.get<{ spans: SpanResource[] }>(`/api/traces/${wrong!.trace_id}`);
    expect(sent.spans).toEqual([expect.objectContaining({ name: 'model call' })]);
    const items = await all<QueueItemResource>(`${DATASET}/queue`, 'items');
    expect(items.map(({ status }) => status)).toEqual(['completed', 'pending']);
  });

  it('is left out of the capture rules of the user, and of his data', async () => {
    const [, dataset] = await all<{ id: string; name: string; datapoint_count: number }>('/api/datasets', 'datasets');
    expect(dataset).toMatchObject({ name: 'of the user', datapoint_count: 2 });
  });

  it('is there once when it is made twice', async () => {
    // A rule of the user may still look at spans of the demo, which it leaves out.
    await until(async () => (await place.rows('select 1 from capture_task')).length === 0);
    const made = await contents(place);
    const { code, output } = await runSpandrel(['demo', ...flags]);
    expect([code, output]).toEqual([0, expect.stringContaining('there already; nothing was added')]);
    expect(await contents(place)).toEqual(made);
  });

  it('is removed, and nothing else', async () => {
    const { code, output } = await runSpandrel(['demo', ...flags, '--remove']);
    expect([code, output]).toEqual([
      0,
      `Removed the demo from ${program.apiUrl}: 13 traces, the dataset with its capture rule, runs and reviews, the connection to the fake model. Nothing else was touched.\n`,
    ]);
    expect(await contents(place)).toEqual(before);
    expect((await runSpandrel(['demo', ...flags, '--remove'])).output).toBe(
      `There is nothing of the demo at ${program.apiUrl}.\n`,
    );
  });

  it('that was interrupted is removed too, and made again by the next command', async () => {
    const half = async (): Promise<void> => {
      const child = spawnSpandrel(['demo', ...flags], {}, 'ignore');
      const ended = new Promise((done) => child.on('close', done));
      await until(async () => (await program.api.traces('tag=spandrel-demo')).length > 1);
      child.kill('SIGKILL');
      await ended;
      // What was under way when it was killed has been recorded.
      await until(async () => (await spans('status=running&kind=llm_call')).length === 0);
    };
    await half();
    expect((await runSpandrel(['demo', ...flags])).code).toBe(0);
    expect(await spans('tag=spandrel-demo')).toHaveLength(12);
    await runSpandrel(['demo', ...flags, '--remove']);
    await half();
    expect((await runSpandrel(['demo', ...flags, '--remove'])).code).toBe(0);
    expect(await contents(place)).toEqual(before);
  });

  it('says what is missing', async () => {
    const port = String(await freePort());
    const { code, output } = await runSpandrel(['demo', '--port', port]);
    expect([code, output]).toEqual([
      1,
      `spandrel: http://127.0.0.1:${port}: Spandrel does not answer there (ECONNREFUSED); start it: npm start -- --port ${port}\n`,
    ]);
    const noGateway = await runSpandrel(['demo', ...flags.slice(0, 2), '--gateway-port', port]);
    expect([noGateway.code, noGateway.output]).toEqual([
      1,
      expect.stringMatching(
        `^spandrel: http://127.0.0.1:${port}: the gateway does not answer there \\(ECONNREFUSED\\)`,
      ),
    ]);
    expect(await contents(place)).toEqual(before);
  });
});

describeOnDatabase(POSTGRES, 'spandrel demo in cloud mode', ({ takePlace }) => {
  let place: Place;
  let program: Program;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start();
  });
  afterAll(() => place?.close());

  it('is refused, and says why', async () => {
    const { code, output } = await runSpandrel(['demo'], { SPANDREL_API_URL: program.apiUrl });
    expect([code, output]).toEqual([1, expect.stringMatching(/^spandrel: the demo is for local mode: /)]);
  });
});

/** What a user may have: traces, a dataset with a rule that takes everything, a connection. */
async function makeUserData({ api }: Program): Promise<void> {
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'of the user' });
  await api.post(`/api/datasets/${dataset.id}/capture-rules`, { name: 'all' });
  for (const model of ['gpt-4o', 'demo-fake-chat']) {
    const { body: trace } = await api.post<{ id: string }>('/api/traces', {
      session_id: 'of the user',
      tags: ['prod'],
    });
    const span = { trace_id: trace.id, name: 'call', kind: { type: 'llm_call', model }, input: 'Hello' };
    const { body: made } = await api.post<{ id: string }>('/api/spans', span);
    await api.post(`/api/spans/${made.id}/complete`, { output: 'Hi' });
  }
  await api.post('/api/provider-connections', {
    ...{ name: 'Demo: fake model', provider: 'custom', api_key: '', base_url: 'http://127.0.0.1:9/v1' },
  });
  await until(
    async () => (await api.get<DatapointsOf>(`/api/datasets/${dataset.id}/datapoints`)).body.datapoints.length === 2,
  );
}

interface DatapointsOf {
  datapoints: DatapointResource[];
}

/** Every row of every table, but for the log of events, which says what happened and forgets it after a day. */
async function contents(place: Place): Promise<[table: string, rows: unknown[]][]> {
  const tables = await place.rows<{ name: string }>(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`,
  );
  const kept = tables.map(({ name }) => name).filter((name) => !name.startsWith('event_'));
  return Promise.all(
    kept.map(async (name) => [
      name,
      (await place.rows<object>(`select * from "${name}" order by 1, 2`)).map(comparable),
    ]),
  );
}

/** A row with its histogram, if it has one, as it is when every bin of it is written once. */
const comparable = (row: object): object =>
  'latencies' in row ? { ...row, latencies: compactLatencies(String(row.latencies)) } : row;
