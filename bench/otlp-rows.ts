import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Api } from '../test/support/api.ts';
import { freePorts } from '../test/support/ports.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { Beside } from './beside.ts';
import { Caller } from './caller.ts';
import { tableBytes } from './database.ts';
import { median } from './load.ts';
import { jsonExport, protobufExport } from './otlp-export.ts';
import { builtInDialects, measureReading, readExport, type ReadingWay } from './otlp-reading.ts';
import { startPeer, type Peer } from './process.ts';

const SPANS = 512;
/** Exports of one turn, by two senders. */
const EXPORTS = 16;
const SENDERS = 2;
const LARGE_SPANS = 10_000;
/** An export near the limit of what is taken. */
const LARGEST_SPANS = 70_000;
const READING_TURNS = 30;

const WAYS = ['POST /api/ingest', 'OTLP', 'OTLP, gzip', 'OTLP, JSON'] as const;
type Way = (typeof WAYS)[number];

/** Spans a second, and CPU of the server a span in microseconds. */
interface Rate {
  perSecond: number;
  cpuMicros: number;
}

export interface OtlpFigures {
  /** CPU microseconds a span. */
  reading: Record<ReadingWay, number>;
  sqlite: Record<Way, Rate>;
  postgres: Record<Way, Rate>;
  bytes: { sent: number; stored: number };
  beside: { exports: number; spansPerSecond: number; p99: number };
  /** What one large export takes, in bytes. */
  memory: { body: number; idle: number; peak: number; after: number };
}

/** Exports of OpenTelemetry from their bytes to the disk. */
export async function measureOtlp(rounds: number): Promise<OtlpFigures> {
  const reading = await measureReading(READING_TURNS);
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  try {
    return {
      reading,
      ...(await measureLocal(join(folder, 'local'), rounds)),
      ...(await measureCloud(join(folder, 'cloud'), rounds)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureLocal(
  dataDir: string,
  rounds: number,
): Promise<Pick<OtlpFigures, 'sqlite' | 'bytes' | 'beside' | 'memory'>> {
  const [port] = await freePorts(1);
  const peer = await startServer(port!, dataDir);
  const sender = new Sender(port!, {});
  try {
    const bytes = await measureBytes(sender, dataDir);
    const sqlite = await measureRates(sender, peer, rounds);
    const beside = await measureBeside(sender, peer, new Api(`http://127.0.0.1:${port}`));
    const memory = await measureMemory(sender, peer);
    return { sqlite, bytes, beside, memory };
  } finally {
    sender.close();
    await peer.stop();
  }
}

async function measureCloud(dataDir: string, rounds: number): Promise<Pick<OtlpFigures, 'postgres'>> {
  const postgres = await startPostgres();
  const [port] = await freePorts(1);
  const adminToken = randomBytes(24).toString('hex');
  let peer: Peer | undefined;
  try {
    peer = await startServer(port!, dataDir, {
      SPANDREL_MODE: 'cloud',
      DATABASE_URL: await postgres.createDatabase('bench_otlp'),
      SPANDREL_SECRET_KEY: randomBytes(32).toString('hex'),
      SPANDREL_ADMIN_TOKEN: adminToken,
    });
    const { headers } = await Caller.withKey(`http://127.0.0.1:${port}`, adminToken);
    const sender = new Sender(port!, { authorization: headers['authorization']! });
    const rates = await measureRates(sender, peer, rounds);
    sender.close();
    return { postgres: rates };
  } finally {
    await peer?.stop();
    await postgres.stop();
  }
}

const startServer = (port: number, dataDir: string, env: Record<string, string> = {}): Promise<Peer> =>
  startPeer(
    process.execPath,
    [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', dataDir],
    [port],
    env,
  );

let serial = 0;

/** Sends bodies, each on the connection of one of its senders. */
class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  private readonly port: number;
  private readonly headers: Record<string, string>;

  constructor(port: number, headers: Record<string, string>) {
    this.port = port;
    this.headers = headers;
  }

  send(path: string, body: Buffer, headers: Record<string, string>): Promise<void> {
    const { promise, resolve: done, reject } = Promise.withResolvers<void>();
    const all = { ...this.headers, ...headers, 'content-length': body.length };
    const options = { host: '127.0.0.1', port: this.port, method: 'POST', path, headers: all, agent: this.agent };
    request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        if (response.statusCode === 200) done();
        else reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 500)}`));
      });
    })
      .on('error', reject)
      .end(body);
    return promise;
  }

  close(): void {
    this.agent.destroy();
  }
}

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** One request of a way, with ids of its own. */
interface Prepared {
  path: string;
  body: Buffer;
  headers: Record<string, string>;
}

type Dialects = Awaited<ReturnType<typeof builtInDialects>>;

function prepared(way: Way, dialects: Dialects): Prepared {
  serial++;
  const body = protobufExport(SPANS, serial);
  switch (way) {
    case 'OTLP':
      return { path: '/v1/traces', body, headers: PROTOBUF };
    case 'OTLP, gzip':
      return { path: '/v1/traces', body: gzipSync(body), headers: { ...PROTOBUF, 'content-encoding': 'gzip' } };
    case 'OTLP, JSON':
      return { path: '/v1/traces', body: Buffer.from(jsonExport(SPANS, serial)), headers: JSON_TYPE };
    case 'POST /api/ingest':
      return { path: '/api/ingest', body: Buffer.from(JSON.stringify(ingestOf(body, dialects))), headers: JSON_TYPE };
  }
}

/** The spans of an export as a native sender would send them. */
function ingestOf(body: Buffer, dialects: Dialects): object {
  const iso = (ms: unknown): string => new Date(ms as number).toISOString();
  const spans = readExport(body, dialects).map((span) => ({
    ...span,
    started_at: iso(span.started_at),
    ended_at: iso(span.ended_at),
  }));
  return { traces: [...new Set(spans.map((span) => span.trace_id))].map((id) => ({ id })), spans };
}

/** The ways take turns; the first turns warm up. */
async function measureRates(sender: Sender, peer: Peer, rounds: number): Promise<Record<Way, Rate>> {
  const dialects = await builtInDialects();
  const turns = Object.fromEntries(WAYS.map((way) => [way, [] as Rate[]])) as Record<Way, Rate[]>;
  for (let round = -1; round < rounds; round++) {
    for (const way of WAYS) {
      const bodies = Array.from({ length: EXPORTS }, () => prepared(way, dialects));
      const cpu = peer.cpuMicros();
      const started = performance.now();
      const each = async (): Promise<void> => {
        for (let next = bodies.pop(); next; next = bodies.pop()) await sender.send(next.path, next.body, next.headers);
      };
      await Promise.all(Array.from({ length: SENDERS }, each));
      const spans = EXPORTS * SPANS;
      const perSecond = spans / ((performance.now() - started) / 1000);
      if (round >= 0) turns[way].push({ perSecond, cpuMicros: (peer.cpuMicros() - cpu) / spans });
      await sleep(200);
    }
  }
  const medians = WAYS.map((way) => [
    way,
    {
      perSecond: median(turns[way].map(({ perSecond }) => perSecond)),
      cpuMicros: median(turns[way].map(({ cpuMicros }) => cpuMicros)),
    },
  ]);
  return Object.fromEntries(medians) as Record<Way, Rate>;
}

/** What an export takes in the tables of a new database, indexes aside. */
async function measureBytes(sender: Sender, dataDir: string): Promise<OtlpFigures['bytes']> {
  const before = tableBytes(dataDir, ['span', 'span_payload']);
  let sent = 0;
  for (let exports = 0; exports < EXPORTS; exports++) {
    const body = protobufExport(SPANS, ++serial);
    sent += body.length;
    await sender.send('/v1/traces', body, PROTOBUF);
  }
  const stored = tableBytes(dataDir, ['span', 'span_payload']) - before;
  return { sent: sent / EXPORTS / SPANS, stored: stored / EXPORTS / SPANS };
}

/** Exports of 10,000 spans one after another, beside spans that come one by one. */
async function measureBeside(sender: Sender, peer: Peer, api: Api): Promise<OtlpFigures['beside']> {
  const bodies = Array.from({ length: 6 }, () => protobufExport(LARGE_SPANS, ++serial));
  const beside = new Beside(api, peer);
  const started = performance.now();
  for (const body of bodies) await sender.send('/v1/traces', body, PROTOBUF);
  const spansPerSecond = (bodies.length * LARGE_SPANS) / ((performance.now() - started) / 1000);
  const { p99 } = await beside.stop();
  return { exports: bodies.length, spansPerSecond, p99 };
}

const LOOKS_MS = 20;
const AFTER_MS = 10_000;

async function measureMemory(sender: Sender, peer: Peer): Promise<OtlpFigures['memory']> {
  const body = protobufExport(LARGEST_SPANS, ++serial);
  await sleep(AFTER_MS);
  const idle = peer.rssBytes();
  let peak = idle;
  const looks = setInterval(() => (peak = Math.max(peak, peer.rssBytes())), LOOKS_MS);
  await sender.send('/v1/traces', body, PROTOBUF);
  clearInterval(looks);
  await sleep(AFTER_MS);
  // An idle process collects nothing: what the export left goes when others come.
  for (let exports = 0; exports < EXPORTS; exports++) {
    await sender.send('/v1/traces', protobufExport(SPANS, ++serial), PROTOBUF);
  }
  return { body: body.length, idle, peak, after: peer.rssBytes() };
}
