import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { measureAccessLog } from './access-log-rows.ts';
import { bareSpansPerSecond, bytesOnDisk, countSpans } from './database.ts';
import { median, medianTurn, run, warmUp, type Turn } from './load.ts';
import { freePorts } from '../test/support/ports.ts';
import { startPeer, type Peer } from './process.ts';
import { proseOf } from './prose.ts';

const CONNECTIONS = 64;
const INGEST_SPANS = 500;
const WARM_UP_SECONDS = 2;
/** Which ways take the POST that nothing stores, and which create and complete. */
const HTTP_WAYS = ['bare node http', 'Fastify + zod', 'nothing stored'] as const;
const PAIR_WAYS = ['nothing stored', 'one transaction each', 'Spandrel'] as const;
const peerFile = (name: string): string => resolve(`bench/peers/${name}.ts`);

export interface ServerFigures {
  /** POST of a 1.2 KB span that nothing stores: what HTTP alone costs. */
  http: Record<'bare node http' | 'Fastify + zod' | 'Spandrel, nothing stored', Turn>;
  /** Create and complete of a span: two requests. */
  pairs: Record<'nothing stored' | 'one transaction each' | 'Spandrel', Turn>;
  /** What a span of 1.2 KB that was created and completed takes in the database file and its log. */
  bytesASpan: number;
  /** What a line of the access log costs, in microseconds of the server's CPU. */
  accessLogMicros: number;
  ingest: { spansPerSecond: number; bareSpansPerSecond: number; stored: number; sent: number };
}

/** Texts that differ from span to span, since equal ones would flatter whatever compresses them. */
const TEXTS = 4_096;
const inputs = Array.from({ length: TEXTS }, (_, n) => proseOf(n, 1_000));
const outputs = Array.from({ length: TEXTS }, (_, n) => proseOf(TEXTS + n, 300));

const span = (traceId: string, n = 0) => ({
  trace_id: traceId,
  name: 'chat',
  kind: { type: 'llm_call', model: 'gpt-4o', provider: 'openai' },
  input: [{ role: 'user', content: inputs[n % TEXTS]! }],
});
const finished = (n: number) => ({
  output: { text: outputs[n % TEXTS]!, finish_reason: 'stop' },
  kind: { type: 'llm_call', model: 'gpt-4o', provider: 'openai', input_tokens: 120, output_tokens: 80 },
});

/** The API against the same HTTP stack storing nothing, and storing one transaction a request. */
export async function measureServer(rounds: number, seconds: number): Promise<ServerFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const dataDir = join(folder, 'data');
  const [api, bare, fastify, nothing, each] = await freePorts(5);
  const peers: Peer[] = [];
  const start = async (file: string, port: number, ...args: string[]): Promise<Peer> => {
    const peer = await startPeer(process.execPath, [file, ...args], [port]);
    peers.push(peer);
    return peer;
  };
  try {
    const own = await start(
      resolve('dist/apps/server/src/main.js'),
      api!,
      '--port',
      String(api),
      '--data-dir',
      dataDir,
    );
    const ways = {
      'bare node http': { port: bare!, peer: await start(peerFile('plain-http'), bare!, String(bare)) },
      'Fastify + zod': { port: fastify!, peer: await start(peerFile('plain-fastify'), fastify!, String(fastify)) },
      'nothing stored': {
        port: nothing!,
        peer: await start(peerFile('server-storing'), nothing!, String(nothing), 'nothing'),
      },
      'one transaction each': {
        port: each!,
        peer: await start(peerFile('server-storing'), each!, String(each), 'each', dataDir),
      },
      Spandrel: { port: api!, peer: own },
    };
    const traceId = await createTrace(api!);
    const http = new Turns();
    const pairs = new Turns();
    const empty = { bytes: bytesOnDisk(dataDir), spans: countSpans(dataDir) };
    await warmAll(ways, traceId);
    for (let round = 0; round < rounds; round++) {
      for (const name of HTTP_WAYS) {
        http.add(name, await post(ways[name], JSON.stringify(span(traceId)), seconds));
        await sleep(200);
      }
      for (const name of PAIR_WAYS) {
        pairs.add(name, await createAndComplete(ways[name], traceId, seconds));
        await sleep(200);
      }
    }
    const bytesASpan = (bytesOnDisk(dataDir) - empty.bytes) / (countSpans(dataDir) - empty.spans);
    return {
      bytesASpan,
      accessLogMicros: await measureAccessLog(rounds),
      http: {
        'bare node http': http.median('bare node http'),
        'Fastify + zod': http.median('Fastify + zod'),
        'Spandrel, nothing stored': http.median('nothing stored'),
      },
      pairs: {
        'nothing stored': pairs.median('nothing stored'),
        'one transaction each': pairs.median('one transaction each'),
        Spandrel: pairs.median('Spandrel'),
      },
      ingest: await measureIngest(api!, dataDir, rounds, seconds),
    };
  } finally {
    for (const peer of peers.toReversed()) await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The turns of each row. */
class Turns {
  private readonly byRow = new Map<string, Turn[]>();

  add(row: string, turn: Turn): void {
    this.byRow.set(row, [...(this.byRow.get(row) ?? []), turn]);
  }

  median(row: string): Turn {
    return medianTurn(this.byRow.get(row)!);
  }
}

/** Figures are of compiled code: unmeasured turns, in the shapes that are measured. */
async function warmAll(
  ways: Record<(typeof HTTP_WAYS | typeof PAIR_WAYS)[number], Way>,
  traceId: string,
): Promise<void> {
  for (const name of HTTP_WAYS) {
    await warmUp(() => post(ways[name], JSON.stringify(span(traceId)), WARM_UP_SECONDS));
  }
  for (const name of PAIR_WAYS) {
    await warmUp(() => createAndComplete(ways[name], traceId, WARM_UP_SECONDS));
  }
}

interface Way {
  port: number;
  peer: Peer;
}

const post = ({ port, peer }: Way, body: string, seconds: number): Promise<Turn> =>
  run({ url: `http://127.0.0.1:${port}/api/spans`, body, connections: CONNECTIONS, seconds }, peer);

/** Each connection creates a span with an id of its own and completes it, over and over. */
function createAndComplete({ port, peer }: Way, traceId: string, seconds: number): Promise<Turn> {
  const creates = inputs.map((_, n) => JSON.stringify(span(traceId, n)).slice(1));
  const completes = outputs.map((_, n) => JSON.stringify(finished(n)));
  let ids = 0;
  const prefix = `b${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  return run(
    {
      url: `http://127.0.0.1:${port}`,
      requests: [
        {
          method: 'POST',
          path: '/api/spans',
          setupRequest: (request, context) => {
            const n = ids++;
            const id = `${prefix}-${n}`;
            Object.assign(context, { id, n });
            return { ...request, body: `{"id":"${id}",${creates[n % TEXTS]}` };
          },
        },
        {
          method: 'POST',
          setupRequest: (request, context) => {
            const { id, n } = context as { id: string; n: number };
            return { ...request, path: `/api/spans/${id}/complete`, body: completes[n % TEXTS]! };
          },
        },
      ],
      connections: CONNECTIONS,
      seconds,
    },
    peer,
  );
}

async function createTrace(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/traces`, { method: 'POST' });
  return ((await response.json()) as { id: string }).id;
}

/** Bulk ingest of finished spans, one sender with two requests on the way, against the bare loop over the same rows. */
async function measureIngest(
  port: number,
  dataDir: string,
  rounds: number,
  seconds: number,
): Promise<ServerFigures['ingest']> {
  const perSecond: number[] = [];
  const limits: number[] = [];
  const before = countSpans(dataDir);
  let sent = 0;
  let serial = 0;
  const sendOne = async (): Promise<void> => {
    const first = serial * INGEST_SPANS;
    const traceId = `ingest-${serial++}`;
    const spans = Array.from({ length: INGEST_SPANS }, (_, i) => ({
      id: `${traceId}-${i}`,
      ...span(traceId, first + i),
      ...finished(first + i),
      status: 'completed',
    }));
    const body = JSON.stringify({ traces: [{ id: traceId }], spans });
    const response = await fetch(`http://127.0.0.1:${port}/api/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const answer = (await response.json()) as { accepted: { spans: number } };
    sent += answer.accepted.spans;
  };
  for (let round = 0; round < rounds; round++) {
    const from = sent;
    const started = performance.now();
    const deadline = started + seconds * 1000;
    const sender = async (): Promise<void> => {
      while (performance.now() < deadline) await sendOne();
    };
    await Promise.all([sender(), sender()]);
    perSecond.push((sent - from) / ((performance.now() - started) / 1000));
    limits.push(bareSpansPerSecond(dataDir, INGEST_SPANS));
  }
  return {
    spansPerSecond: median(perSecond),
    bareSpansPerSecond: median(limits),
    stored: countSpans(dataDir) - before,
    sent,
  };
}
