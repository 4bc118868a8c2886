import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../test/support/ports.ts';
import { openClients, readSlowly, type BenchClient } from './event-clients.ts';
import { startPeer, type Peer } from './process.ts';

const CLIENTS = 1_000;
/** Every fifth client of the steady run reads for a moment now and then. */
const SLOW_EVERY = 5;
const SLOW_PAUSE_MS = 2_000;
const SLOW_READ_MS = 5;
const EVENTS_PER_SECOND = 50;
/** Events of one transaction at full speed. */
const BURST = 10;
/** Who write at full speed. */
const WRITERS = 4;
const SETTLE_MS_MAX = 30_000;

/** Full speed: events of about 400 bytes, ten a burst, of several writers who each wait for their answer. */
interface FullSpeed {
  deliveriesPerSecond: number;
  /** CPU time of the server per delivery, in microseconds; writing the events is part of it. */
  cpuMicros: number;
  events: number;
}

export interface EventFigures {
  steady: {
    clients: number;
    slow: number;
    seconds: number;
    events: number;
    /** Fast clients that did not get every event once, in order. */
    failures: number;
    /** Slow clients that were disconnected. */
    cut: number;
    rss: { idle: number; peak: number };
  };
  spandrel: FullSpeed;
  nest: FullSpeed;
}

/** The event stream with 1,000 clients, and at full speed against Nest's `@Sse` in turns. */
export async function measureEvents(rounds: number, seconds: number, steadySeconds: number): Promise<EventFigures> {
  const turns: Record<'spandrel' | 'nest', FullSpeed[]> = { spandrel: [], nest: [] };
  for (let round = 0; round < rounds; round++) {
    turns.nest.push(await withNest((peer, port) => fullSpeed(peer, port, emitByNest(port), seconds)));
    turns.spandrel.push(await withSpandrel((peer, port) => fullSpeed(peer, port, emitBySpandrel(port), seconds)));
  }
  return {
    steady: await withSpandrel((peer, port) => steadyRun(peer, port, steadySeconds)),
    spandrel: median(turns.spandrel),
    nest: median(turns.nest),
  };
}

const median = (figures: readonly FullSpeed[]): FullSpeed =>
  figures.toSorted((a, b) => a.deliveriesPerSecond - b.deliveriesPerSecond)[Math.floor(figures.length / 2)]!;

async function withSpandrel<T>(work: (peer: Peer, port: number) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [port] = await freePorts(1);
  const args = [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', join(folder, 'data')];
  const peer = await startPeer(process.execPath, args, [port!], { SPANDREL_ACCESS_LOG: 'false' });
  try {
    return await work(peer, port!);
  } finally {
    await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withNest<T>(work: (peer: Peer, port: number) => Promise<T>): Promise<T> {
  const [port] = await freePorts(1);
  const peer = await startPeer(process.execPath, [resolve('bench/peers/nest-sse.ts'), String(port)], [port!]);
  try {
    return await work(peer, port!);
  } finally {
    await peer.stop();
  }
}

async function post(port: number, path: string, body: unknown = {}): Promise<void> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
}

/** Emits a burst. */
type Emit = () => Promise<void>;

function emitByNest(port: number): Emit {
  // The text is as long as the event of a span.
  const data = JSON.stringify({ type: 'span_created', span: { text: 'x'.repeat(340) } });
  return () => post(port, `/emit?count=${BURST}&data=${encodeURIComponent(data)}`);
}

function emitBySpandrel(port: number): Emit {
  let serial = 0;
  const traces = post(port, '/api/traces', { id: 'bench' });
  return async () => {
    await traces;
    const spans = Array.from({ length: BURST }, () => ({ id: `s${serial++}`, trace_id: 'bench', name: 'bench' }));
    await post(port, '/api/ingest', { spans });
  };
}

async function fullSpeed(peer: Peer, port: number, emit: Emit, seconds: number): Promise<FullSpeed> {
  // One client's ids are read; of the others the bytes are counted, which must be the same.
  const [reference] = await openClients(port, 1, true);
  const clients = [reference!, ...(await openClients(port, CLIENTS - 1, false))];
  await emit();
  await settled(clients);
  const before = { events: reference!.events, bytes: clients.map(({ bytes }) => bytes), cpu: peer.cpuMicros() };
  const started = performance.now();
  const write = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1_000) await emit();
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await settled(clients, before.bytes);
  const taken = (performance.now() - started - SETTLED_MS) / 1_000;
  const events = reference!.events - before.events;
  const cpuMicros = (peer.cpuMicros() - before.cpu) / (events * CLIENTS);
  if (reference!.faults > 0) throw new Error('events were lost or doubled');
  clients.forEach(({ socket }) => socket.destroy());
  return { deliveriesPerSecond: (events * CLIENTS) / taken, cpuMicros, events };
}

/** How long nothing must have come for everything to be there. */
const SETTLED_MS = 250;

/** Waits until all have had the same, counted from `before`, and nothing comes any more. */
async function settled(clients: readonly BenchClient[], before?: readonly number[]): Promise<void> {
  const deadline = performance.now() + SETTLE_MS_MAX;
  const got = (): number[] => clients.map(({ bytes }, index) => bytes - (before?.[index] ?? 0));
  for (let last = -1; ;) {
    const each = got();
    const sum = each.reduce((all, bytes) => all + bytes, 0);
    if (sum === last && (!before || each.every((bytes) => bytes === each[0]))) return;
    if (performance.now() > deadline)
      throw new Error(`clients have had ${Math.min(...each)} to ${Math.max(...each)} bytes`);
    last = sum;
    await sleep(SETTLED_MS);
  }
}

async function steadyRun(peer: Peer, port: number, seconds: number): Promise<EventFigures['steady']> {
  const idle = peer.rssBytes();
  const clients = await openClients(port, CLIENTS, true);
  const isSlow = (_: BenchClient, index: number): boolean => index % SLOW_EVERY === 0;
  const slow = clients.filter(isSlow);
  const quick = clients.filter((client, index) => !isSlow(client, index));
  const ends = slow.map((client) => readSlowly(client, SLOW_PAUSE_MS, SLOW_READ_MS));
  let peak = idle;
  const events = seconds * EVENTS_PER_SECOND;
  const started = performance.now();
  for (let n = 0; n < events; n++) {
    await post(port, '/api/traces', { name: `t${n}`, metadata: { text: 'x'.repeat(200) } });
    if (n % EVENTS_PER_SECOND === 0) peak = Math.max(peak, peer.rssBytes());
    const due = started + ((n + 1) * 1_000) / EVENTS_PER_SECOND;
    await sleep(Math.max(0, due - performance.now()));
  }
  const deadline = performance.now() + SETTLE_MS_MAX;
  while (quick.some((client) => client.events < events) && performance.now() < deadline) await sleep(50);
  peak = Math.max(peak, peer.rssBytes());
  ends.forEach((end) => end());
  const failures = quick.filter((client) => client.events !== events || client.faults > 0).length;
  const cut = slow.filter(({ socket }) => socket.closed).length;
  clients.forEach(({ socket }) => socket.destroy());
  return { clients: CLIENTS, slow: slow.length, seconds, events, failures, cut, rss: { idle, peak } };
}
