import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '../test/support/ports.ts';
import { Api } from '../test/support/api.ts';
import { Beside } from './beside.ts';
import { bareRowsPerSecond } from './database.ts';
import { startPeer, type Peer } from './process.ts';

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
