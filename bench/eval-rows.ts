import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { EvalRunSummary } from '@spandrel/contract';
import { freePorts } from '../test/support/ports.ts';
import { Api } from '../test/support/api.ts';
import { median } from './load.ts';
import { startPeer, type Peer } from './process.ts';

const DATAPOINTS = 10_000;
const CONCURRENCY = 32;
/** Milliseconds between the requests that are sent beside a run. */
const BESIDE_MS = 10;

export interface EvalFigures {
  /** Datapoints a second, medians. */
  perSecond: number;
  /** Calls per second of a bare loop over undici. */
  barePerSecond: number;
  /** 99th percentile of `POST /api/spans` while runs go on; milliseconds. */
  p99Beside: number;
  startMs: number;
  processed: number;
}

/** A run against an instant provider, beside the same calls made by a bare loop. */
export async function measureEvals(rounds: number): Promise<EvalFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [port, upstreamPort] = await freePorts(2);
  const peers: Peer[] = [];
  try {
    const config = join(folder, 'bench.yaml');
    writeFileSync(config, `evals: { concurrency: ${CONCURRENCY} }\n`);
    peers.push(
      await startPeer(process.execPath, [resolve('bench/peers/upstream.ts'), String(upstreamPort)], [upstreamPort!]),
      await startPeer(
        process.execPath,
        [
          resolve('dist/apps/server/src/main.js'),
          ...['--port', String(port), '--data-dir', join(folder, 'data'), '--config', config],
        ],
        [port!],
      ),
    );
    const api = new Api(`http://127.0.0.1:${port}`);
    const base = `http://127.0.0.1:${upstreamPort}/v1`;
    const { datasetId, connectionId } = await prepare(api, base);
    await bareLoop(base, 1_000);
    const figures = { own: [] as number[], bare: [] as number[], beside: [] as number[], startMs: [] as number[] };
    let processed = 0;
    for (let round = 0; round < rounds; round++) {
      figures.bare.push(await bareLoop(base, DATAPOINTS));
      await sleep(200);
      const turn = await oneRun(api, datasetId, connectionId);
      figures.own.push(turn.perSecond);
      figures.beside.push(...turn.beside);
      figures.startMs.push(turn.startMs);
      processed += turn.processed;
    }
    return {
      perSecond: median(figures.own),
      barePerSecond: median(figures.bare),
      p99Beside: figures.beside.toSorted((a, b) => a - b)[Math.floor(figures.beside.length * 0.99)]!,
      startMs: median(figures.startMs),
      processed,
    };
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepare(api: Api, base: string): Promise<{ datasetId: string; connectionId: string }> {
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'bench' });
  const rows = Array.from({ length: DATAPOINTS }, (_, i) =>
    JSON.stringify({ input: question(i), expected_output: 'x' }),
  );
  await api.send('POST', `/api/datasets/${dataset.id}/import`, rows.join('\n'), {
    'content-type': 'application/x-ndjson',
  });
  const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
    name: 'bench',
    provider: 'custom',
    api_key: 'sk-bench',
    base_url: base,
  });
  return { datasetId: dataset.id, connectionId: connection.id };
}

const question = (i: number): string => `What does tide table ${i} say about ${'the harbour '.repeat(8)}?`;

async function oneRun(api: Api, datasetId: string, connectionId: string) {
  const { body: trace } = await api.post<{ id: string }>('/api/traces', {});
  const started = performance.now();
  const { body: run } = await api.post<{ id: string }>(`/api/datasets/${datasetId}/eval`, {
    name: 'bench',
    scoring: 'Contains',
    config: { connection_id: connectionId, model: 'gpt-4o' },
  });
  const startMs = performance.now() - started;
  const beside: number[] = [];
  for (;;) {
    const sent = performance.now();
    await api.post('/api/spans', { trace_id: trace.id, name: 'beside', input: 'x'.repeat(1_000) });
    beside.push(performance.now() - sent);
    if (beside.length % 10 === 0) {
      const { body } = await api.get<{ runs: EvalRunSummary[] }>(`/api/datasets/${datasetId}/eval?limit=1`);
      const [now] = body.runs;
      if (now?.id === run.id && now.status !== 'running' && now.status !== 'pending') {
        const seconds = (Date.parse(now.ended_at!) - Date.parse(now.started_at!)) / 1_000;
        return { startMs, beside, perSecond: now.progress / seconds, processed: now.progress - now.failed_count };
      }
    }
    await sleep(BESIDE_MS);
  }
}

/** The calls of a run and nothing else. @returns how many a second. */
async function bareLoop(base: string, count: number): Promise<number> {
  const dispatcher = new Agent({ connections: CONCURRENCY });
  let next = 0;
  const started = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) {
      const messages = [{ role: 'user', content: question(next++) }];
      const { body } = await request(`${base}/chat/completions`, {
        method: 'POST',
        dispatcher,
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench' },
        body: JSON.stringify({ model: 'gpt-4o', messages }),
      });
      const answer = (await body.json()) as { choices: { message: { content: string } }[] };
      if (answer.choices[0]!.message.content.length === 0) throw new Error('an answer without text');
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const perSecond = count / ((performance.now() - started) / 1_000);
  await dispatcher.close();
  return perSecond;
}
