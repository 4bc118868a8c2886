/** kill -9 in runs with repeats, several scorers and a cost cap, and in external runs: nothing is missing, doubled or dearer than the cap. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AddedResults, EvalRunResource, EvalStatistics, ResultItemResource } from '@spandrel/contract';
import { isWaiting, startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { FAKE_USAGE } from '../fake-provider/usage.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { differences } from '../support/differences.ts';
import type { Place, Program } from '../support/places.ts';
import { repetitions } from '../support/repetitions.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { forgetServer } from './forget-server.ts';
import { recountedStatistics, sampleRows, type SampleRow } from './recounted-statistics.ts';

const DATAPOINTS = 50;
const REPEATS = 3;
const SAMPLES = DATAPOINTS * REPEATS;
const CONCURRENCY = 6;
/** Dollars per million output tokens, and of a call. */
const PRICE = 100;
const CALL = (FAKE_USAGE.output * PRICE) / 1e6;
const RUN = {
  repeats: REPEATS,
  scorers: [
    { name: 'near', scoring: 'Contains' },
    { name: 'exact', scoring: 'ExactMatch', weight: 3 },
  ],
};

/** Every sixth datapoint is refused once; a third is right, a third nearly so, a third wrong. @param name distinguishes them from others. */
const rows = (name: string): object[] =>
  Array.from({ length: DATAPOINTS }, (_, i) => {
    const input = `${i % 6 === 5 ? 'fake:error-400+times:1' : 'fake:slow:20'} question ${i}, ${name}`;
    return { input, expected_output: [`You said: ${input}`, `question ${i}, ${name}`, 'another'][i % 3] };
  });

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider.close());

describeOnBothDatabases('kill -9 of the server', ({ name: database, takePlace }) => {
  // In cloud mode each costs the seconds between two looks for jobs of servers that died.
  const kills = repetitions(database === 'SQLite' ? 10 : 5);
  let place: Place;
  let server: Program;
  let connectionId: string;
  const config = join(tempDir(), 'my.yaml');
  const start = async (): Promise<void> => {
    server = await place.start({ command: 'server', args: ['--config', config] });
  };
  const read = async (runId: string): Promise<EvalRunResource> =>
    (await server.api.get<EvalRunResource>(`/api/eval/${runId}?items=none`)).body;
  const ended = async (runId: string): Promise<EvalRunResource> => {
    await until(async () => (await read(runId)).ended_at !== null, 30_000);
    return read(runId);
  };
  const dataset = async (datapoints: readonly object[]): Promise<string> => {
    const { body } = await server.api.post<{ id: string }>('/api/datasets', { name: 'kills' });
    const lines = datapoints.map((row) => JSON.stringify(row)).join('\n');
    await server.api.send('POST', `/api/datasets/${body.id}/import`, lines, { 'content-type': 'application/x-ndjson' });
    return body.id;
  };
  const startRun = async (datasetId: string, body: object): Promise<string> => {
    const started = await server.api.post<{ id: string }>(`/api/datasets/${datasetId}/eval`, { name: 'run', ...body });
    expect(started).toMatchObject({ status: 201 });
    return started.body.id;
  };
  /**
   * @param others runs that the server had in hand too.
   * @returns the samples that were recorded by then, and how often each question had been asked.
   */
  const kill = async (
    runId: string,
    repeats: number,
    ...others: string[]
  ): Promise<{ recorded: SampleRow[]; asked: AskedCounts }> => {
    await server.stop('SIGKILL');
    const recorded = await sampleRows(place, runId, repeats);
    const asked = askedCounts();
    for (const run of [runId, ...others]) await forgetServer(place, run);
    await start();
    return { recorded, asked };
  };
  /** Whether the statistics, and the sums of the run, are those of the rows. */
  const expectRecounted = async (run: EvalRunResource): Promise<void> => {
    const samples = await sampleRows(place, run.id, run.repeats);
    expect(new Set(samples.map(({ datapointId, repeat }) => `${datapointId} ${repeat}`)).size).toBe(samples.length);
    const { body: statistics } = await server.api.get<EvalStatistics>(`/api/eval/${run.id}/statistics`);
    const recounted = recountedStatistics(samples, run.repeats, run.pass_score);
    expect(differences(recounted, statistics, 1e-9)).toEqual([]);
    expect(statistics.pending_samples).toBe(run.sample_total - samples.length);
    const sums = {
      sample_progress: samples.length,
      failed_samples: statistics.failed_samples,
      // A run that was cut off counts the datapoints alone that have all their samples.
      ...(run.status === 'completed' && { avg_score: statistics.score.mean }),
      total_cost: statistics.cost.total,
      total_tokens: statistics.tokens,
    };
    expect(differences(sums, run, 1e-9)).toEqual([]);
  };

  beforeAll(async () => {
    const settings = [
      `evals: { concurrency: ${CONCURRENCY} }`,
      `connections: { allow_private: ['127.0.0.1'] }`,
      `pricing: { models: { priced: { input: 0, output: ${PRICE} } } }`,
    ];
    writeFileSync(config, `${settings.join('\n')}\n`);
    place = await takePlace();
    await start();
    const { body } = await server.api.post<{ id: string }>('/api/provider-connections', {
      name: 'fake',
      provider: 'custom',
      api_key: 'k',
      base_url: `${provider.url}/v1`,
    });
    connectionId = body.id;
  });
  afterAll(() => place?.close());

  it(`in a run whose cap is just what it costs, times: ${kills}: each sample is there once, no finished one is called again`, async () => {
    provider.requests.length = 0;
    const datasetId = await dataset(rows(database));
    const runConfig = { connection_id: connectionId, model: 'priced' };
    const cap = CALL * SAMPLES;
    const runId = await startRun(datasetId, { ...RUN, config: runConfig, max_cost_usd: cap });
    /** What had been asked, and how often, for datapoints of which all samples had been recorded. */
    const settled: AskedCounts = new Map();
    for (let killed = 1; killed <= kills; killed++) {
      const due = (killed * SAMPLES) / (kills + 1);
      await until(() => provider.requests.length >= due && provider.requests.some(isWaiting), 30_000);
      const { recorded, asked } = await kill(runId, REPEATS);
      expect(recorded.length).toBeLessThan(SAMPLES);
      for (const [id, samples] of Map.groupBy(recorded, ({ datapointId }) => datapointId)) {
        if (samples.length === REPEATS && !settled.has(id)) settled.set(id, asked.get(await questionOf(id))!);
      }
    }
    const run = await ended(runId);
    expect(run).toMatchObject({ status: 'completed', progress: DATAPOINTS, sample_progress: SAMPLES });
    expect(run.total_cost).toBeLessThanOrEqual(cap);
    expect(run.failed_samples).toBeGreaterThan(0);
    await expectRecounted(run);

    const asked = askedCounts();
    expect(asked.size).toBe(DATAPOINTS);
    expect([...asked.values()].filter((count) => count < REPEATS)).toEqual([]);
    const again = provider.requests.length - SAMPLES;
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(kills * CONCURRENCY);
    expect(settled.size).toBeGreaterThan(0);
    for (const [id, count] of settled) expect(asked.get(await questionOf(id))).toBe(count);

    async function questionOf(datapointId: string): Promise<string> {
      const { body } = await server.api.get<{ items: ResultItemResource[] }>(
        `/api/eval/${runId}/items?datapoint_id=${datapointId}`,
      );
      return body.items[0]!.input as string;
    }
  });

  describe('in a run that goes on again, and in one that takes answers of an earlier run over', () => {
    /** A connection that reaches nobody, until it is mended. */
    const broken = async (): Promise<{ id: string; mend: () => Promise<void> }> => {
      const body = { name: 'broken', provider: 'custom', api_key: 'k' };
      const { body: made } = await server.api.post<{ id: string }>('/api/provider-connections', {
        ...{ ...body, base_url: 'http://127.0.0.1:9/v1' },
      });
      const mended = { base_url: `${provider.url}/v1`, api_key: 'k' };
      return {
        id: made.id,
        mend: async () => void (await server.api.send('PUT', `/api/provider-connections/${made.id}`, mended)),
      };
    };
    const slow = (name: string): object[] =>
      Array.from({ length: DATAPOINTS }, (_, i) => ({ input: `fake:slow:20 ${i}, ${name}`, expected_output: 'said' }));
    /** Kills the server in the middle of what a run makes of it. @returns the run at its end, and what was recorded by then. */
    const killed = async (runId: string, due: number): Promise<{ run: EvalRunResource; before: SampleRow[] }> => {
      await until(() => provider.requests.length >= due && provider.requests.some(isWaiting), 30_000);
      const { recorded, asked } = await kill(runId, 1);
      const run = await ended(runId);
      expect(run).toMatchObject({ status: 'completed', progress: DATAPOINTS, failed_samples: 0 });
      await expectRecounted(run);
      const after = new Map((await sampleRows(place, runId, 1)).map((row) => [row.datapointId, row]));
      // A sample that was recorded is as it was: nobody was asked for it again.
      for (const row of recorded) expect(after.get(row.datapointId)).toEqual(row);
      expect(asked.size).toBeLessThan(DATAPOINTS);
      return { run, before: recorded };
    };
    const retry = async (runId: string, what: string): Promise<void> => {
      provider.requests.length = 0;
      expect((await server.api.post(`/api/eval/${runId}/retry`, { what })).status).toBe(200);
    };

    it('each sample that failed is called again, once but for those in flight', async () => {
      const connection = await broken();
      const body = { scoring: 'Contains', config: { connection_id: connection.id, model: 'priced' } };
      const runId = await startRun(await dataset(slow(`failed, ${database}`)), body);
      expect(await ended(runId)).toMatchObject({ failed_samples: DATAPOINTS });
      await connection.mend();
      await retry(runId, 'failed');
      const { run, before } = await killed(runId, DATAPOINTS / 2);
      expect(before.length).toBeLessThan(DATAPOINTS);
      expect(run).toMatchObject({ retried_samples: DATAPOINTS });
      expect(askedCounts().size).toBe(DATAPOINTS);
      expect(provider.requests.length - DATAPOINTS).toBeLessThanOrEqual(CONCURRENCY);
    });

    it('each output without a score is scored again, and no model is called', async () => {
      const connection = await broken();
      const judge = { connection_id: connection.id, model: 'fake:slow:20+judge:0.5' };
      const config = { connection_id: connectionId, model: 'priced', judge };
      const runId = await startRun(await dataset(slow(`unscored, ${database}`)), { scoring: 'LlmJudge', config });
      const first = await ended(runId);
      expect(first).toMatchObject({ failed_samples: DATAPOINTS });
      await connection.mend();
      await retry(runId, 'unscored');
      const { run } = await killed(runId, DATAPOINTS / 2);
      expect(run.total_cost).toBeCloseTo(first.total_cost!, 9);
      expect(run.avg_score).toBe(0.5);
      const models = provider.requests.map(
        ({ body }) => (JSON.parse(body.toString('utf8')) as { model: string }).model,
      );
      expect(new Set(models)).toEqual(new Set([judge.model]));
      expect(models.length - DATAPOINTS).toBeLessThanOrEqual(CONCURRENCY);
    });

    it('each answer is taken over once, and what nobody answered is called', async () => {
      const datasetId = await dataset(slow(`reused, ${database}`));
      const body = { scoring: 'Contains', config: { connection_id: connectionId, model: 'priced' } };
      const half = DATAPOINTS / 2;
      await ended(await startRun(datasetId, { ...body, filter: { limit: half } }));
      provider.requests.length = 0;
      const runId = await startRun(datasetId, { ...body, cache: 'reuse' });
      const { run } = await killed(runId, half / 2);
      expect(run).toMatchObject({ reused_samples: half });
      expect(run.total_cost).toBeCloseTo(half * CALL, 9);
      expect(askedCounts().size).toBe(half);
      expect(provider.requests.length - half).toBeLessThanOrEqual(CONCURRENCY);
    });
  });

  describe('in a run that its cap stops, and in an external one beside it', () => {
    const affordable = 70;
    let capped: string;
    let external: string;
    let results: object[];

    const send = async (some: readonly object[]): Promise<AddedResults> =>
      (await server.api.post<AddedResults>(`/api/eval/${external}/results`, { results: some })).body;

    beforeAll(async () => {
      external = await startRun(await dataset(rows('external')), {
        execution: 'external',
        repeats: 2,
        scorers: [
          { name: 'said', scoring: 'External' },
          { name: 'near', scoring: 'Contains' },
        ],
      });
      const { body: work } = await server.api.get<{ items: ResultItemResource[] }>(
        `/api/eval/${external}/items?status=pending&limit=${DATAPOINTS}`,
      );
      results = work.items.flatMap(({ datapoint_id, input }, i) =>
        [0, 1].map((repeat) => ({
          datapoint_id,
          repeat,
          output: `You said: ${String(input)}`,
          scores: { said: (i + repeat) % 2 },
          latency_ms: i,
          cost: 0.25,
        })),
      );
      provider.requests.length = 0;
      capped = await startRun(await dataset(rows(`capped, ${database}`)), {
        ...RUN,
        config: { connection_id: connectionId, model: 'priced' },
        max_cost_usd: CALL * (affordable + 0.5),
        gates: [{ metric: 'failed_samples', op: '<=', value: SAMPLES }],
      });
      await until(() => provider.requests.length >= affordable / 4, 30_000);
      const half = results.length / 2;
      expect(await send(results.slice(0, half))).toEqual({ accepted: half, rejected: [] });
      await kill(capped, REPEATS, external);
    });

    it('no more is recorded than the cap pays for, and no less', async () => {
      const run = await ended(capped);
      expect(run).toMatchObject({ status: 'cancelled', stop_reason: 'cost_cap', passed: false });
      expect(run.total_cost).toBeCloseTo(CALL * affordable, 9);
      await expectRecounted(run);
    });

    it('what was accepted is there once, when another process finishes it', async () => {
      // The caller does not know what had arrived, and sends it again with the rest.
      expect(await send(results)).toEqual({ accepted: results.length, rejected: [] });
      const run = await ended(external);
      expect(run).toMatchObject({ status: 'completed', progress: DATAPOINTS, sample_progress: results.length });
      expect(run.total_cost).toBeCloseTo(results.length * 0.25, 9);
      await expectRecounted(run);
      expect(await server.stop()).toBe(0);
    });
  });
});

/** How often the provider was asked each question. */
type AskedCounts = Map<string, number>;

function askedCounts(): AskedCounts {
  const counts = new Map<string, number>();
  for (const { body } of provider.requests) {
    const { messages } = JSON.parse(body.toString('utf8')) as { messages: { content: string }[] };
    const text = messages.at(-1)!.content;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}
