/** kill -9 of the server in the middle of a run, again and again: it completes, and no finished item is called again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EvalRunResource, StartedMatrix } from '@spandrel/contract';
import { isWaiting, startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Api } from '../support/api.ts';
import type { Place, Program } from '../support/places.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { forgetServer } from './forget-server.ts';

const DATAPOINTS = 160;
const CONCURRENCY = 8;

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider.close());

describeOnBothDatabases('a run in whose middle the server ends', ({ name: database, takePlace }) => {
  // In cloud mode each costs the seconds between two looks for jobs of servers that died. Several of one run are in kill-samples.full.e2e-spec.ts.
  const kills = database === 'SQLite' && THOROUGH ? 2 : 1;
  let place: Place;
  let server: Program;
  const config = join(tempDir(), 'my.yaml');
  const start = async (): Promise<void> => {
    server = await place.start({ command: 'server', args: ['--config', config] });
  };
  const read = async (runId: string): Promise<EvalRunResource> =>
    (await server.api.get<EvalRunResource>(`/api/eval/${runId}`)).body;
  beforeAll(async () => {
    writeFileSync(
      config,
      `{ evals: { concurrency: ${CONCURRENCY} }, connections: { allow_private: ['127.0.0.1'] } }\n`,
    );
    place = await takePlace();
    await start();
  });
  afterAll(() => place?.close());

  it(`by kill -9, times: ${kills}, repeats at most what was in flight`, async () => {
    provider.requests.length = 0;
    const runId = await startRun(
      server.api,
      Array.from({ length: DATAPOINTS }, (_, i) => `fake:slow:20 ${i}`),
    );
    const progress: number[] = [];
    for (let kill = 1; kill <= kills; kill++) {
      const due = (kill * DATAPOINTS) / (kills + 1);
      await until(() => provider.requests.length >= due && provider.requests.some(isWaiting), 30_000);
      await server.stop('SIGKILL');
      const [left] = await place.rows<{ progress: number }>(`select progress from eval_run where id = '${runId}'`);
      expect(Number(left!.progress)).toBeLessThan(DATAPOINTS);
      await forgetServer(place, runId);
      await start();
      progress.push(Number(left!.progress), (await read(runId)).progress);
    }
    await until(() => provider.requests.length >= DATAPOINTS, 30_000);
    await until(async () => (await read(runId)).status === 'completed');
    const run = await read(runId);
    expect(run).toMatchObject({ status: 'completed', total: DATAPOINTS, failed_count: 0, avg_score: 1 });
    expect(run.result_items).toHaveLength(DATAPOINTS);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));

    const asked = askedCounts();
    expect(asked.size).toBe(DATAPOINTS);
    const again = [...asked.values()].reduce((sum, count) => sum + count - 1, 0);
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(kills * CONCURRENCY);
    await expectSumsEqualRecount(place, runId);
  });

  it('by kill -9, while it and others are started together: all of them are there and end, or none is', async () => {
    const { datasetId, connectionId } = await prepare(
      server.api,
      Array.from({ length: 12 }, (_, i) => `fake:slow:20 together ${i}`),
    );
    const body = {
      ...{ id: 'together', name: 'together', scoring: 'Contains', config: { connection_id: connectionId } },
      models: ['a', 'b', 'c'],
    };
    const startMatrix = () => server.api.post<StartedMatrix>(`/api/datasets/${datasetId}/eval/matrix`, body);
    const requests = provider.requests.length;
    const starting = startMatrix().catch(() => undefined);
    // The first start is cut wherever it is, at the latest when its runs call.
    await Promise.race([starting, until(() => provider.requests.length > requests, 30_000)]);
    await server.stop('SIGKILL');
    await starting;
    const rows = await place.rows<{ id: string }>(`select id from eval_run where group_id = 'together'`);
    expect([0, 3]).toContain(rows.length);
    for (const { id } of rows) await forgetServer(place, id);
    await start();
    const { status, body: started } = await startMatrix();
    expect([status, started.group_id]).toEqual([201, 'together']);
    expect(started.runs.map(({ id }) => id).toSorted()).toEqual(['together.1', 'together.2', 'together.3']);
    for (const { id } of started.runs) {
      await until(async () => (await read(id)).status === 'completed', 60_000);
      expect(await read(id)).toMatchObject({ group_id: 'together', progress: 12, failed_count: 0, avg_score: 1 });
      await expectSumsEqualRecount(place, id);
    }
  });

  it('by SIGTERM, while a call hangs that it does not wait for, goes on after the start', async () => {
    const runId = await startRun(server.api, [
      `fake:hang+times:1 never, on ${database}`,
      ...Array.from({ length: 40 }, (_, i) => `fake:slow:30 ${i}`),
    ]);
    await until(async () => (await read(runId)).progress > 3);
    provider.requests.length = 0;
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(server.output()).not.toMatch(/"level":"(error|fatal)"/);
    await start();
    await until(async () => (await read(runId)).status === 'completed', 20_000);
    expect(await read(runId)).toMatchObject({ progress: 41, failed_count: 0 });
    expect([...askedCounts()].filter(([, count]) => count > 1)).toEqual([]);
    await expectSumsEqualRecount(place, runId);
    expect(await server.stop()).toBe(0);
    // Local mode is quiet unless somebody asks for more.
    const reported = linesOf(server).map(({ msg }) => msg);
    const inCloud = ['starting', 'migrations', 'ready', 'eval run taken over', 'stopping', 'stopped'];
    expect(reported.toSorted()).toEqual(place.mode === 'cloud' ? inCloud.toSorted() : []);
    if (place.mode === 'cloud') {
      const [taken] = linesOf(server).filter(({ msg }) => msg === 'eval run taken over');
      expect(taken).toMatchObject({ level: 'info', run_id: runId, total: 41, progress: expect.any(Number) });
    }
  });
});

/** The log of a server without its requests. */
const linesOf = (of: Program): { msg: string }[] =>
  of
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string })
    .filter(({ msg }) => msg !== 'request');

async function prepare(api: Api, questions: readonly string[]): Promise<{ datasetId: string; connectionId: string }> {
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'kills' });
  const rows = questions.map((question) => JSON.stringify({ input: question, expected_output: `: ${question}` }));
  await api.send('POST', `/api/datasets/${dataset.id}/import`, rows.join('\n'), {
    'content-type': 'application/x-ndjson',
  });
  const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
    name: 'fake',
    provider: 'custom',
    api_key: 'k',
    base_url: `${provider.url}/v1`,
  });
  return { datasetId: dataset.id, connectionId: connection.id };
}

async function startRun(api: Api, questions: readonly string[]): Promise<string> {
  const { datasetId, connectionId } = await prepare(api, questions);
  const { status, body } = await api.post<{ id: string }>(`/api/datasets/${datasetId}/eval`, {
    name: 'run',
    scoring: 'Contains',
    config: { connection_id: connectionId, model: 'm' },
  });
  expect(status).toBe(201);
  return body.id;
}

function askedCounts(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { body } of provider.requests) {
    const { messages } = JSON.parse(body.toString('utf8')) as { messages: { content: string }[] };
    const text = messages.at(-1)!.content;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

async function expectSumsEqualRecount(place: Place, runId: string): Promise<void> {
  if (place.mode === 'local') expect(await place.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const kept = await place.rows(
    `select progress, failed_count, score_sum, score_count, total_tokens from eval_run where id = '${runId}'`,
  );
  const counted = await place.rows(
    `select count(*) as progress, sum(case status when 3 then 1 else 0 end) as failed_count, sum(score) as score_sum,
      count(score) as score_count, sum(tokens) as total_tokens
      from eval_result where run_id = '${runId}' and status >= 2`,
  );
  // Postgres writes sums as texts.
  expect(kept).toHaveLength(1);
  expect(numbersOf(kept)).toEqual(numbersOf(counted));
}

const numbersOf = (rows: unknown[]): number[] => rows.flatMap((row) => Object.values(Object(row)).map(Number));
