/** kill -9 of the server in the middle of a replay: it goes on, by itself or when it is asked again, and no part is made twice. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EvalRunResource, EvalStatistics, ReplayResource } from '@spandrel/contract';
import { forgetServer } from '../evals/forget-server.ts';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { tempDir, until } from '../support/spandrel.ts';

const CALLS = 400;
const CONCURRENCY = 8;
/** When it is killed, and what is there then. */
const MOMENTS = {
  'it is asked for': 'select 1',
  'its spans are chosen': `select 1 from replay where id = 'ID'`,
  'it has datapoints': `select 1 from datapoint where dataset_id in (select dataset_id from replay where id = 'ID')`,
  'it has what was recorded': `select 1 from eval_run where id in (select baseline_run_id from replay where id = 'ID')`,
  'it has recorded results': `select 1 from eval_result where status >= 2 and run_id in
    (select baseline_run_id from replay where id = 'ID')`,
  'its run has begun': `select 1 from eval_run where id in (select run_id from replay where id = 'ID')`,
  'its run has results': `select 1 from eval_result where status >= 2 and run_id in
    (select run_id from replay where id = 'ID')`,
};

describeOnBothDatabases('a replay in whose middle the server is killed', ({ takePlace }) => {
  let place: Place;
  let server: Program;
  let provider: FakeProvider;
  let connectionId: string;
  /** Statuses of the replays right after the kills. */
  const left: (number | undefined)[] = [];
  const config = join(tempDir(), 'my.yaml');
  const start = async (): Promise<void> => {
    server = await place.start({ command: 'server', args: ['--config', config] });
  };
  const rows = <Row>(query: string, id: string): Promise<Row[]> => place.rows<Row>(query.replaceAll('ID', id));

  beforeAll(async () => {
    writeFileSync(
      config,
      `{ evals: { concurrency: ${CONCURRENCY} }, connections: { allow_private: ['127.0.0.1'] } }\n`,
    );
    provider = await startFakeProvider();
    place = await takePlace();
    await start();
    const body = { name: 'fake', provider: 'custom', api_key: 'k', base_url: `${provider.url}/v1` };
    connectionId = (await server.api.post<{ id: string }>('/api/provider-connections', body)).body.id;
    const spans = Array.from({ length: CALLS }, (_, index) => ({
      ...{ id: `call-${index}`, trace_id: 'recorded', name: 'answer', output: { text: `You said: question ${index}` } },
      kind: { type: 'llm_call', model: 'm', provider: 'custom' },
      input: [{ role: 'user', content: `question ${index}` }],
      started_at: new Date(Date.now() - 60_000 + index).toISOString(),
      ended_at: new Date(Date.now() - 58_000 + index).toISOString(),
    }));
    const { body: ingested } = await server.api.post('/api/ingest', { traces: [{ id: 'recorded' }], spans });
    expect(ingested).toMatchObject({ rejected: [] });
  });
  afterAll(async () => {
    await place?.close();
    await provider?.close();
  });

  it.each(Object.entries(MOMENTS))('once %s', async (moment, there) => {
    const id = moment.replaceAll(' ', '-');
    const ask = () =>
      server.api.post<ReplayResource>('/api/replays', {
        ...{ id, name: id, scoring: 'ExactMatch', source: { filters: { trace_id: 'recorded' } } },
        change: { connection_id: connectionId },
      });
    provider.requests.length = 0;
    const asked = ask().catch(() => undefined);
    await until(async () => (await rows(there, id)).length > 0);
    await server.stop('SIGKILL');
    await asked;
    const [row] = await rows<{ status: number; run_id: string }>(
      `select status, run_id from replay where id = 'ID'`,
      id,
    );
    left.push(row?.status);
    if (row) await forgetServer(place, row.run_id);
    const goesOnAlone = left.length % 2 === 0 && row !== undefined;
    // In cloud mode another server may still be at it: what its lease is for.
    if (row && place.mode === 'cloud') await rows(`update replay set lease_until = 0 where id = 'ID'`, id);
    await start();
    if (!goesOnAlone) expect(await ask()).toMatchObject({ status: 201, body: { id, status: 'ready' } });

    const read = async () => (await server.api.get<ReplayResource>(`/api/replays/${id}`)).body;
    await until(async () => (await read()).status === 'ready', 30_000);
    const replay = await read();
    expect(replay).toMatchObject({ matched: CALLS, taken: CALLS, replayed: CALLS, left_out: [], error: null });
    for (const run of [replay.baseline_run_id, replay.run_id]) {
      const at = `/api/eval/${run}?items=none`;
      await until(async () => (await server.api.get<EvalRunResource>(at)).body.ended_at !== null, 60_000);
      expect((await server.api.get(at)).body).toMatchObject({
        ...{ status: 'completed', total: CALLS, progress: CALLS, failed_count: 0, avg_score: 1 },
      });
    }
    const count = async (query: string) => Number((await rows<{ n: number }>(query, id))[0]!.n);
    expect(await count(`select count(*) as n from replay where name = 'ID'`)).toBe(1);
    expect(await count(`select count(*) as n from dataset where name = 'Replay: ID'`)).toBe(1);
    const ofDataset = `where dataset_id = '${replay.dataset_id}'`;
    expect(await count(`select count(*) as n from eval_run ${ofDataset}`)).toBe(2);
    const { body: points } = await server.api.get<{ datapoints: { source_span_id: string }[] }>(
      `/api/datasets/${replay.dataset_id}/datapoints?limit=1000&preview=0`,
    );
    expect(points.datapoints).toHaveLength(CALLS);
    expect(new Set(points.datapoints.map(({ source_span_id: span }) => span)).size).toBe(CALLS);
    const { body: statistics } = await server.api.get<EvalStatistics>(
      `/api/eval/${replay.run_id}/statistics?baseline=${replay.baseline_run_id}`,
    );
    expect(statistics.comparison).toMatchObject({ pairs: CALLS, unpaired_run: 0, unpaired_baseline: 0 });
    // Calls that were under way are made again, and no others.
    expect(provider.requests.length).toBeGreaterThanOrEqual(CALLS);
    expect(provider.requests.length).toBeLessThanOrEqual(CALLS + CONCURRENCY);
    expect((await ask()).body).toEqual(replay);
  });

  it('was cut in its middle', () => {
    expect(left).toContain(0);
  });
});
