import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../support/ports.ts';
import { Api } from '../support/api.ts';
import { bareRowsPerSecond } from './database.ts';
import { startPeer, type Peer } from './process.ts';

/** Milliseconds between the requests that are sent beside an import, and between looks at the memory. */
const BESIDE_MS = 5;
const MEMORY_MS = 50;
/** Datapoints that the import writes in one transaction. */
const BATCH = 256;

export interface ImportFigures {
  rows: number;
  bytesPerRow: number;
  perSecond: number;
  /** Rows per second of a bare loop over prepared statements, with equal transactions. */
  barePerSecond: number;
  /** Memory of the whole process, in bytes: `idle` before the import, `peak` while it runs. */
  rss: { idle: number; peak: number };
  /** 99th percentile of `POST /api/spans` while it imports; milliseconds. */
  p99Beside: number;
  imported: number;
}

/** The import of a file of JSON lines, beside spans that come in. @param rows of the file; 60 to 90 bytes each. */
export async function measureImport(rows: number): Promise<ImportFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const dataDir = join(folder, 'data');
  const file = join(folder, 'rows.jsonl');
  const [port] = await freePorts(1);
  let peer: Peer | undefined;
  try {
    writeRows(file, rows);
    peer = await startPeer(
      process.execPath,
      [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', dataDir],
      [port!],
    );
    const api = new Api(`http://127.0.0.1:${port}`);
    const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'bench' });
    const beside = new Beside(api, peer);
    const idle = peer.rssBytes();
    const started = performance.now();
    const imported = await upload(`${api.baseUrl}/api/datasets/${dataset.id}/import`, file);
    const perSecond = rows / ((performance.now() - started) / 1000);
    const { p99, peak } = await beside.stop();
    return {
      rows,
      bytesPerRow: statSync(file).size / rows,
      perSecond,
      barePerSecond: bareRowsPerSecond(dataDir, 'datapoint', BATCH),
      rss: { idle, peak },
      p99Beside: p99,
      imported,
    };
  } finally {
    await peer?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeRows(file: string, rows: number): void {
  writeFileSync(file, '');
  for (let from = 0; from < rows; from += 10_000) {
    const some = Array.from({ length: Math.min(10_000, rows - from) }, (_, i) => {
      const n = from + i;
      return `${JSON.stringify({ input: `question number ${n}`, expected: `answer ${n * 7}`, metadata: { n } })}\n`;
    });
    writeFileSync(file, some.join(''), { flag: 'a' });
  }
}

async function upload(url: string, file: string): Promise<number> {
  const { promise, resolve: done, reject } = Promise.withResolvers<string>();
  const headers = { 'content-type': 'application/x-ndjson', 'content-length': statSync(file).size };
  const sent = request(url, { method: 'POST', headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.on('end', () => done(text));
  });
  sent.on('error', reject);
  createReadStream(file).pipe(sent);
  return (JSON.parse(await promise) as { imported: number }).imported;
}

/** Sends spans and looks at the memory until it is stopped. */
class Beside {
  private going = true;
  private readonly millis: number[] = [];
  private peak = 0;
  private readonly api: Api;
  private readonly peer: Peer;
  private readonly loops: Promise<void>[];

  constructor(api: Api, peer: Peer) {
    this.api = api;
    this.peer = peer;
    this.loops = [this.spans(), this.memory()];
  }

  async stop(): Promise<{ p99: number; peak: number }> {
    this.going = false;
    await Promise.all(this.loops);
    const sorted = this.millis.toSorted((a, b) => a - b);
    return { p99: sorted[Math.floor(sorted.length * 0.99)]!, peak: this.peak };
  }

  private async spans(): Promise<void> {
    const { body: trace } = await this.api.post<{ id: string }>('/api/traces', {});
    while (this.going) {
      const started = performance.now();
      await this.api.post('/api/spans', { trace_id: trace.id, name: 'beside', input: 'x' });
      this.millis.push(performance.now() - started);
      await sleep(BESIDE_MS);
    }
  }

  private async memory(): Promise<void> {
    while (this.going) {
      this.peak = Math.max(this.peak, this.peer.rssBytes());
      await sleep(MEMORY_MS);
    }
  }
}
