import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EvalRunSummary, EvalStatistics, ReplayResource } from '@spandrel/contract';
import { said, startScriptedProvider } from '../test/evals/scripted-provider.ts';
import { freePorts } from '../test/support/ports.ts';
import { Caller } from './caller.ts';
import { startCloudServer } from './cloud-server.ts';
import { median } from './load.ts';
import { startPeer } from './process.ts';
import { proseOf } from './prose.ts';

const CALLS = 300;
/** Milliseconds between two looks at a run. */
const LOOK_MS = 50;

/** Seconds from the request for a replay of 300 calls until its comparison says how it went, medians; a judge sees all pairs twice. */
export interface ReplayFigures {
  sqlite: number;
  postgres: number;
}

/** Replays of recorded calls against a provider that answers at once, judged by preference. */
export async function measureReplay(rounds: number): Promise<ReplayFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const config = join(folder, 'bench.yaml');
  writeFileSync(config, `connections: { allow_private: ['127.0.0.1'] }\n`);
  const provider = await startScriptedProvider(({ body }) => {
    const { content } = (body['messages'] as { content: string }[]).at(-1)!;
    return said(content.startsWith('BEGIN') ? '{"preference":"neither","reason":"alike"}' : `New: ${content}`);
  });
  try {
    const [port] = await freePorts(1);
    const args = ['--port', String(port), '--data-dir', join(folder, 'data'), '--config', config];
    const local = await startPeer(process.execPath, [resolve('dist/apps/server/src/main.js'), ...args], [port!]);
    const sqlite = await replays(Caller.of(`http://127.0.0.1:${port}`, ''), provider.url, rounds).finally(local.stop);
    const cloud = await startCloudServer(['--config', config]);
    const measured = async () => replays(await Caller.withKey(cloud.base, cloud.adminToken), provider.url, rounds);
    return { sqlite, postgres: await measured().finally(cloud.stop) };
  } finally {
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replays(caller: Caller, url: string, rounds: number): Promise<number> {
  const connection = await caller.post<{ id: string }>('/api/provider-connections', {
    ...{ name: 'bench', provider: 'custom', api_key: 'sk-bench', base_url: `${url}/v1` },
  });
  const now = Date.now();
  const spans = Array.from({ length: CALLS }, (_, index) => ({
    ...{ id: `call-${index}`, trace_id: 'recorded', name: 'answer', output: { text: `Old: ${proseOf(index, 600)}` } },
    kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 500, output_tokens: 150 },
    input: [{ role: 'user', content: `Question ${index}: ${proseOf(index + CALLS, 2_000)}` }],
    started_at: new Date(now - 60_000 + index).toISOString(),
    ended_at: new Date(now - 58_000 + index).toISOString(),
  }));
  await caller.post('/api/ingest', { traces: [{ id: 'recorded' }], spans });
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) seconds.push(await oneReplay(caller, connection.id));
  return median(seconds);
}

async function oneReplay(caller: Caller, connectionId: string): Promise<number> {
  const began = performance.now();
  const { run_id: run, baseline_run_id: baseline } = await caller.post<ReplayResource>('/api/replays', {
    ...{ name: 'bench', scoring: 'Preference', source: { filters: { trace_id: 'recorded' } } },
    change: { connection_id: connectionId, model: 'gpt-4.1-mini' },
  });
  while ((await caller.get<EvalRunSummary>(`/api/eval/${run}?items=none`)).ended_at === null) await sleep(LOOK_MS);
  const { comparison } = await caller.get<EvalStatistics>(`/api/eval/${run}/statistics?baseline=${baseline}`);
  const seconds = (performance.now() - began) / 1_000;
  if (comparison?.pairs !== CALLS) throw new Error(`${comparison?.pairs} pairs of ${CALLS}`);
  return seconds;
}
