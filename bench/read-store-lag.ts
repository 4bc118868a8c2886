import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { Api } from '../test/support/api.ts';
import { freePorts } from '../test/support/ports.ts';
import { sendRequest } from '../test/support/send-request.ts';
import { Beside } from './beside.ts';
import { startPeer } from './process.ts';
import { SpanMaker } from './read-store-data.ts';
import { goal, heading, row } from './report.ts';

const PER_SECOND = 5_000;
const REQUEST_SPANS = 500;
/** What is recorded before anything is measured: code is compiled, and the first inserts find the engine cold. */
const WARM_UP_SECONDS = 10;
const LAG = /^spandrel_read_store_lag_seconds (\S+)$/m;

interface Recording {
  /** Spans a second that were recorded; fewer than were to be where the machine did not manage. */
  perSecond: number;
  p50: number;
  p99: number;
  /** The longest that the store was behind, in seconds; none without a store. */
  lag: number | undefined;
}

/** Records spans at a steady rate with the store and without it, on SQLite. @param chdbFolder where chdb is installed. */
export async function measureLag(seconds: number, chdbFolder: string): Promise<Record<'with' | 'without', Recording>> {
  const engine = (folder: string) => ({
    plugins: [{ use: 'clickhouse', config: { path: join(folder, 'engine'), installed_in: resolve(chdbFolder) } }],
    read_store: { plugin: 'clickhouse' },
  });
  return { without: await record(seconds, () => ({})), with: await record(seconds, engine) };
}

async function record(seconds: number, config: (folder: string) => object): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [port] = await freePorts(1);
  writeFileSync(join(folder, 'config.yaml'), stringify(config(folder)));
  const options = ['--port', String(port), '--data-dir', join(folder, 'data'), '--config', join(folder, 'config.yaml')];
  const peer = await startPeer(process.execPath, [resolve('dist/apps/server/src/main.js'), ...options], [port!]);
  const base = `http://127.0.0.1:${port}`;
  const headers = { 'content-type': 'application/json' };
  try {
    const [warmUp, count] = [WARM_UP_SECONDS * PER_SECOND, (WARM_UP_SECONDS + seconds) * PER_SECOND];
    const maker = new SpanMaker(count, Date.now());
    const bodies = Array.from({ length: count / REQUEST_SPANS }, (_, n) =>
      JSON.stringify(maker.ingest(n * REQUEST_SPANS, (n + 1) * REQUEST_SPANS)),
    );
    let beside: Beside | undefined;
    const lags: number[] = [];
    const began = performance.now();
    for (const [n, body] of bodies.entries()) {
      if (n * REQUEST_SPANS >= warmUp) beside ??= new Beside(new Api(base, sendRequest), peer);
      await sleep(Math.max(0, began + (n * REQUEST_SPANS * 1_000) / PER_SECOND - performance.now()));
      const response = await fetch(`${base}/api/ingest`, { method: 'POST', headers, body });
      if (!response.ok) throw new Error(`not ingested: ${response.status} ${await response.text()}`);
      await response.body?.cancel();
      const [, lag] = LAG.exec(await (await fetch(`${base}/metrics`)).text()) ?? [];
      if (lag !== undefined && beside) lags.push(Number(lag));
    }
    const perSecond = count / ((performance.now() - began) / 1_000);
    const { p50, p99 } = await beside!.stop();
    return { perSecond, p50, p99, lag: lags.length === 0 ? undefined : Math.max(...lags) };
  } finally {
    await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints what the store costs who records, and notes it against the goals. */
export function reportLag(figures: Awaited<ReturnType<typeof measureLag>>): void {
  heading(
    `${PER_SECOND} spans/s by POST /api/ingest on SQLite, POST /api/spans beside them, without and with the store`,
  );
  row('', 'spans/s', 'p50 ms', 'p99 ms', 'lag s');
  for (const name of ['without', 'with'] as const) {
    const { perSecond, p50, p99, lag } = figures[name];
    row(`${name} the store`, perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), lag?.toFixed(1) ?? '-');
  }
  goal('read store: lag at 5,000 spans/s, s', figures.with.lag, '<', 2);
  goal('POST /api/spans p99 with the store / without', figures.with.p99 / figures.without.p99, '<=', 1.05);
}
