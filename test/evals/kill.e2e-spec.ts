/** kill -9 of the server in the middle of a run, again and again: it completes, and no finished item is called again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { EvalRunResource } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { freePort } from '../support/ports.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';

const KILLS = 5;
const DATAPOINTS = 500;
const CONCURRENCY = 8;

let provider: FakeProvider;
let server: Spandrel | undefined;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(async () => {
  await server?.stop('SIGKILL');
  await provider.close();
});

describe('kill -9 of the server in the middle of a run', () => {
  it(`of ${DATAPOINTS} datapoints, ${KILLS} times, repeats at most what was in flight`, async () => {
    const place = { port: await freePort(), dataDir: tempDir() };
    const config = join(place.dataDir, 'my.yaml');
    writeFileSync(config, `evals: { concurrency: ${CONCURRENCY} }\n`);
    const start = async (): Promise<Api> => {
      server = await startSpandrel({ command: 'server', ...place, args: ['--config', config] });
      return new Api(server.apiUrl);
    };
    let api = await start();
    const runId = await startRun(api);
    const read = async (): Promise<EvalRunResource> => (await api.get<EvalRunResource>(`/api/eval/${runId}`)).body;
    const progress: number[] = [];
    const called: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(async () => {
        progress.push((await read()).progress);
        return progress.at(-1)! >= (kill * DATAPOINTS) / (KILLS + 1);
      });
      await sleep(kill * 7);
      await server!.stop('SIGKILL');
      called.push(provider.requests.length);
      api = await start();
    }
    await until(async () => {
      progress.push((await read()).progress);
      return progress.at(-1) === DATAPOINTS;
    }, 30_000);
    const run = await read();
    expect(run).toMatchObject({ status: 'completed', total: DATAPOINTS, failed_count: 0, avg_score: 1 });
    expect(run.result_items).toHaveLength(DATAPOINTS);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(called).toEqual(called.toSorted((a, b) => a - b));

    const asked = askedCounts();
    expect(asked.size).toBe(DATAPOINTS);
    const again = [...asked.values()].reduce((sum, count) => sum + count - 1, 0);
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(KILLS * CONCURRENCY);
    expect(Math.max(...asked.values())).toBeLessThanOrEqual(1 + KILLS);
    expectSumsEqualRecount(place.dataDir, runId);
    expect(await server!.stop()).toBe(0);
  }, 120_000);
});

describe('SIGTERM in the middle of a run', () => {
  it('does not wait for a call that hangs; the run goes on after the start', async () => {
    const place = { port: await freePort(), dataDir: tempDir() };
    server = await startSpandrel({ command: 'server', ...place });
    let api = new Api(server.apiUrl);
    const runId = await startRun(api, [
      'fake:hang+times:1 never',
      ...Array.from({ length: 40 }, (_, i) => `fake:slow:30 ${i}`),
    ]);
    const read = async (): Promise<EvalRunResource> => (await api.get<EvalRunResource>(`/api/eval/${runId}`)).body;
    await until(async () => (await read()).progress > 3);
    provider.requests.length = 0;
    const told = performance.now();
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(performance.now() - told).toBeLessThan(9_000);
    expect(server.output()).not.toMatch(/"level":"(error|fatal)"/);
    server = await startSpandrel({ command: 'server', ...place });
    api = new Api(server.apiUrl);
    await until(async () => (await read()).status === 'completed', 20_000);
    expect(await read()).toMatchObject({ progress: 41, failed_count: 0 });
    expect([...askedCounts()].filter(([, count]) => count > 1)).toEqual([]);
    expect(await server.stop()).toBe(0);
  }, 60_000);
});

const QUESTIONS = Array.from({ length: DATAPOINTS }, (_, i) => `fake:slow:10 ${i}`);

async function startRun(api: Api, questions = QUESTIONS): Promise<string> {
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
  const { status, body } = await api.post<{ id: string }>(`/api/datasets/${dataset.id}/eval`, {
    name: 'run',
    scoring: 'Contains',
    config: { connection_id: connection.id, model: 'm' },
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

function expectSumsEqualRecount(dataDir: string, runId: string): void {
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    const kept = db
      .prepare('select progress, failed_count, score_sum, score_count, total_tokens from eval_run where id = ?')
      .get(runId);
    const counted = db
      .prepare(
        `select count(*) as progress, sum(status = 3) as failed_count, sum(score) as score_sum,
          count(score) as score_count, sum(tokens) as total_tokens from eval_result where run_id = ? and status >= 2`,
      )
      .get(runId);
    expect(kept).toEqual(counted);
  } finally {
    db.close();
  }
}
