import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '../test/support/ports.ts';
import { importSource } from './libs.ts';
import { median, singleFile } from './load.ts';
import { startPeer, type Peer } from './process.ts';

const { StoredEntry, writeCassette } = (await importSource(
  'apps/gateway/src/cassette/cassette-file.ts',
)) as typeof import('../apps/gateway/src/cassette/cassette-file.ts');
const { RequestMatch } = (await importSource(
  'apps/gateway/src/cassette/cassette-request.ts',
)) as typeof import('../apps/gateway/src/cassette/cassette-request.ts');
const { Cassette } = (await importSource(
  'apps/gateway/src/cassette/cassette.ts',
)) as typeof import('../apps/gateway/src/cassette/cassette.ts');

const ENTRIES = 10_000;
const LOADS = 5;

export interface CassetteFigures {
  /** Milliseconds until a cassette of 10,000 entries answers. */
  loadMs: number;
  bytes: number;
  /** Median milliseconds of a call. */
  replayMs: number;
  fileMs: number;
}

/** Half a page of lines, none of them in another entry. */
const page = (n: number): string =>
  Array.from({ length: 20 }, (_, line) => `Question ${n}, line ${line}: when is high water in Nagasaki?`).join('\n');
const body = (n: number) => ({ model: 'gpt-5.1', messages: [{ role: 'user', content: page(n) }] });
const answer = (n: number) => ({
  ...{ id: `chatcmpl-${n}`, object: 'chat.completion', created: 1_790_000_000, model: 'gpt-5.1' },
  choices: [{ index: 0, message: { role: 'assistant', content: page(n), refusal: null }, finish_reason: 'stop' }],
});

/** Loading a cassette of 10,000 calls in this process, and replays of one of them by a gateway against a file server. */
export async function measureCassettes(calls: number): Promise<CassetteFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const file = join(folder, 'bench.cassette.yaml');
  const match = new RequestMatch([]);
  const entries = Array.from({ length: ENTRIES }, (_, n) => {
    const request = { method: 'POST', provider: 'openai', path: '/v1/chat/completions', body: body(n) };
    const headers = { 'content-type': 'application/json' };
    return StoredEntry.of({ request, answer: { status: 200, headers, body: answer(n) } }, match);
  });
  writeCassette(file, { ignore: [], entries });
  writeFileSync(join(folder, 'answer.json'), JSON.stringify(answer(0)));
  const loads = Array.from({ length: LOADS }, () => {
    const started = performance.now();
    const cassette = new Cassette(file, 'bench', 'replay', () => (value) => value);
    if (!cassette.find(entries[ENTRIES >> 1]!.entry.request)) throw new Error('the cassette does not answer');
    return performance.now() - started;
  });
  const [gatewayPort, filePort] = await freePorts(2);
  const peers: Peer[] = [];
  try {
    const settings = { SPANDREL_CASSETTE_DIR: folder, SPANDREL_CASSETTE_NAME: 'bench' };
    const gateway = ['dist/apps/gateway/src/main.js', '--gateway-port', String(gatewayPort)];
    peers.push(await startPeer(process.execPath, gateway, [gatewayPort!], settings));
    const files = [resolve('bench/peers/static-file.ts'), String(filePort), join(folder, 'answer.json')];
    peers.push(await startPeer(process.execPath, files, [filePort!]));
    const urls = [gatewayPort, filePort].map((port) => `http://127.0.0.1:${port}/v1/chat/completions`);
    const asked = JSON.stringify(body(0));
    const [replay, served] = await singleFile(
      urls.map((url) => ({ url, headers: {} })),
      asked,
      calls,
    );
    const reports = (await (await fetch(`http://127.0.0.1:${gatewayPort}/cassettes`)).json()) as {
      cassettes: { hits: number; misses: number }[];
    };
    const { hits, misses } = reports.cassettes[0]!;
    if (hits < calls || misses > 0) throw new Error(`${hits} replayed of ${calls}, ${misses} missed`);
    return { loadMs: median(loads), bytes: statSync(file).size, replayMs: replay! / 1_000, fileMs: served! / 1_000 };
  } finally {
    for (const peer of peers) await peer.stop();
    rmSync(folder, { recursive: true });
  }
}
