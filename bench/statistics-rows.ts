import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddedResults, EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import { Api } from '../test/support/api.ts';
import { freePorts } from '../test/support/ports.ts';
import { random } from '../test/support/random.ts';
import { sendRequest } from '../test/support/send-request.ts';
import { until } from '../test/support/spandrel.ts';
import { createTenant } from '../test/support/tenant.ts';
import { Beside } from './beside.ts';
import { startCloudServer } from './cloud-server.ts';
import { median } from './load.ts';
import { startPeer, type Peer } from './process.ts';
import { goal, heading, row } from './report.ts';

const DATAPOINTS = 100_000;
/** Results of one request, and requests on the way. */
const RESULTS = 500;
const SENDERS = 2;
/** Datapoints of one import, and of one page of a list. */
const IMPORTED = 20_000;
const PAGE = 1_000;
const CATEGORIES = 8;
const RATE_LIMIT = 1_000_000;
/** Answers of each kind in a round, so that a 99th percentile is of many spans; for how long these are measured alone. */
const TURNS = 4;
const WITHOUT_MS = 2_000;
/** It ends what never comes. */
const END_MS_MAX = 60_000;

interface StatisticsFigures {
  /** External results a second, medians. */
  resultsPerSecond: number;
  /** Processor time of the server a result, in microseconds. */
  resultMicros: number;
  /** Milliseconds that an answer takes, medians, beside spans that come in. */
  alone: number;
  withBaseline: number;
  byGroup: number;
  byGroupWithBaseline: number;
  /** Milliseconds of the answer to a retry of a run all of whose samples failed. */
  retry: number;
  /** 99th percentile of `POST /api/spans` without that and meanwhile; milliseconds. */
  p99Without: number;
  p99Beside: number;
  requestsBeside: number;
}

/** Figures by the name of the database. */
export type StatisticsOnDatabases = Record<'SQLite' | 'Postgres', StatisticsFigures>;

/** Two external runs of {@link DATAPOINTS} on each database: how fast their results are kept, and how long their statistics take. */
export async function measureStatistics(rounds: number): Promise<StatisticsOnDatabases> {
  return { SQLite: await onSqlite(rounds), Postgres: await onPostgres(rounds) };
}

/** Prints the figures and notes them against the goals. */
export function reportStatistics(figures: StatisticsOnDatabases): void {
  heading(`External runs of ${DATAPOINTS} datapoints, ${RESULTS} results a request, and their statistics`);
  row(
    '',
    'results/s',
    'CPU us each',
    'alone ms',
    'baseline ms',
    'groups ms',
    'both ms',
    'retry ms',
    'spans p99',
    'beside p99',
    'spans',
  );
  for (const [database, each] of Object.entries(figures)) {
    row(
      database,
      each.resultsPerSecond.toFixed(0),
      each.resultMicros.toFixed(0),
      each.alone.toFixed(0),
      each.withBaseline.toFixed(0),
      each.byGroup.toFixed(0),
      each.byGroupWithBaseline.toFixed(0),
      each.retry.toFixed(0),
      each.p99Without.toFixed(1),
      each.p99Beside.toFixed(1),
      String(each.requestsBeside),
    );
  }
  goal('external results/s, SQLite', figures.SQLite.resultsPerSecond, '>=', 10_000);
  for (const [database, figure] of Object.entries(figures)) {
    const { alone, withBaseline, byGroup, byGroupWithBaseline, retry, p99Beside } = figure;
    goal(`statistics of 100,000 datapoints, ms, ${database}`, alone, '<', 1_500);
    goal(`the same with a baseline, ms, ${database}`, withBaseline, '<', 3_000);
    goal(`the same by a key of metadata, ms, ${database}`, byGroup, '<', 1_500);
    goal(`the same with a baseline, ms, ${database}`, byGroupWithBaseline, '<', 3_000);
    goal(`retry of 100,000 failed samples, ms, ${database}`, retry, '<', 3_000);
    goal(`POST /api/spans p99 ms beside statistics, ${database}`, p99Beside, '<', 50);
  }
}

async function onSqlite(rounds: number): Promise<StatisticsFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [port] = await freePorts(1);
  let peer: Peer | undefined;
  try {
    peer = await startPeer(
      process.execPath,
      [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', join(folder, 'data')],
      [port!],
    );
    return await measureOn(new Api(`http://127.0.0.1:${port}`, sendRequest), peer, rounds);
  } finally {
    await peer?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onPostgres(rounds: number): Promise<StatisticsFigures> {
  const { base, adminToken, peer, stop } = await startCloudServer();
  try {
    const operator = new Api(base, sendRequest).as(adminToken);
    const { api } = await createTenant(operator, { name: 'bench', rateLimit: RATE_LIMIT });
    return await measureOn(api, peer, rounds);
  } finally {
    await stop();
  }
}

async function measureOn(api: Api, peer: Peer, rounds: number): Promise<StatisticsFigures> {
  const datasetId = await makeDataset(api);
  const ids = await datapointIds(api, datasetId);
  const baseline = await externalRun(api, peer, datasetId, ids, 1);
  const run = await externalRun(api, peer, datasetId, ids, 2);
  const path = `/api/eval/${run.id}/statistics`;
  const withBaseline = `${path}?baseline=${baseline.id}`;
  const paths = {
    ...{ alone: path, withBaseline, byGroup: `${path}?group_by=category` },
    byGroupWithBaseline: `${withBaseline}&group_by=category`,
  };
  const figures = { alone: [], withBaseline: [], byGroup: [], byGroupWithBaseline: [] } as Record<
    keyof typeof paths,
    number[]
  >;
  // The first answer loads what computes them.
  await millisOf(api, path);
  const without = new Beside(api, peer);
  await sleep(WITHOUT_MS);
  const { p99: p99Without } = await without.stop();
  const beside = new Beside(api, peer);
  for (let turn = 0; turn < rounds * TURNS; turn++) {
    for (const [name, each] of Object.entries(paths)) {
      figures[name as keyof typeof paths].push(await millisOf(api, each));
    }
  }
  const { p99, requests } = await beside.stop();
  const failed = await externalRun(api, peer, datasetId, ids, 3, true);
  const started = performance.now();
  const { body: again } = await api.post<EvalRunSummary>(`/api/eval/${failed.id}/retry`, { what: 'failed' });
  const retry = performance.now() - started;
  if (again.retried_samples !== DATAPOINTS) throw new Error(`not tried again: ${JSON.stringify(again)}`);
  return {
    resultsPerSecond: median([baseline.perSecond, run.perSecond]),
    resultMicros: median([baseline.cpuMicros, run.cpuMicros]),
    alone: median(figures.alone),
    withBaseline: median(figures.withBaseline),
    byGroup: median(figures.byGroup),
    byGroupWithBaseline: median(figures.byGroupWithBaseline),
    retry,
    p99Without,
    p99Beside: p99,
    requestsBeside: requests,
  };
}

async function makeDataset(api: Api): Promise<string> {
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'bench' });
  for (let from = 0; from < DATAPOINTS; from += IMPORTED) {
    const rows = Array.from({ length: IMPORTED }, (_, i) =>
      JSON.stringify({
        input: `What does tide table ${from + i} say?`,
        ...{ expected_output: `high water at ${i % 24}`, metadata: { category: `coast ${i % CATEGORIES}` } },
      }),
    );
    const { status } = await api.send('POST', `/api/datasets/${dataset.id}/import`, rows.join('\n'), {
      'content-type': 'application/x-ndjson',
    });
    if (status !== 201) throw new Error(`not imported: ${status}`);
  }
  return dataset.id;
}

async function datapointIds(api: Api, datasetId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    type Page = { datapoints: { id: string }[]; next_cursor: string | null };
    const path: string = `/api/datasets/${datasetId}/datapoints?limit=${PAGE}${cursor && `&cursor=${cursor}`}`;
    const { body }: { body: Page } = await api.get<Page>(path);
    ids.push(...body.datapoints.map(({ id }) => id));
    cursor = body.next_cursor;
  }
  if (ids.length !== DATAPOINTS) throw new Error(`${ids.length} datapoints are listed`);
  return ids;
}

/** Starts an external run, sends all of its results, some right and some wrong, and waits for its end. @returns how fast they were kept. */
async function externalRun(
  api: Api,
  peer: Peer,
  datasetId: string,
  ids: readonly string[],
  seed: number,
  hasFailed = false,
) {
  const { body: run } = await api.post<EvalRunSummary>(`/api/datasets/${datasetId}/eval`, {
    name: `bench ${seed}`,
    execution: 'external',
    scoring: 'External',
  });
  const below = random(seed);
  const requests = Array.from({ length: Math.ceil(ids.length / RESULTS) }, (_, i) =>
    ids.slice(i * RESULTS, (i + 1) * RESULTS).map((datapoint_id) => ({
      datapoint_id,
      ...(hasFailed
        ? { error: 'no answer' }
        : { output: `${'high water at '.repeat(8)}${below(24)}`, scores: { External: below(4) > 0 ? 1 : 0 } }),
      latency_ms: 200 + below(800),
      input_tokens: 40 + below(40),
      output_tokens: below(60),
      cost: below(1_000) / 1e6,
    })),
  );
  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < requests.length) {
      const results = requests[next++]!;
      const { body } = await api.post<AddedResults>(`/api/eval/${run.id}/results`, { results });
      if (body.accepted !== results.length) throw new Error(`not accepted: ${JSON.stringify(body).slice(0, 500)}`);
    }
  };
  const [cpu, started] = [peer.cpuMicros(), performance.now()];
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const seconds = (performance.now() - started) / 1_000;
  const cpuMicros = (peer.cpuMicros() - cpu) / ids.length;
  // The statistics of the run are made behind the last answer.
  const status = async (): Promise<string> =>
    (await api.get<EvalRunSummary>(`/api/eval/${run.id}?items=none`)).body.status;
  await until(async () => (await status()) === 'completed', END_MS_MAX);
  return { id: run.id, perSecond: ids.length / seconds, cpuMicros };
}

async function millisOf(api: Api, path: string): Promise<number> {
  const started = performance.now();
  const { status, body } = await api.get<EvalStatistics>(path);
  const millis = performance.now() - started;
  if (status !== 200 || body.score.datapoints !== DATAPOINTS) throw new Error(`no statistics: ${JSON.stringify(body)}`);
  return millis;
}
