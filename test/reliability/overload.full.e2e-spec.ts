/** Far too much at once: memory stays bounded, health is answered, others are served, nothing worse than 503. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { SessionResource } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Api } from '../support/api.ts';
import { LivezWatch } from '../support/livez-watch.ts';
import type { Place, Program } from '../support/places.ts';
import { forgetPeak, peakMiB } from '../support/process-memory.ts';
import { programTime } from '../support/program-time.ts';
import { holdSockets, type HeldSockets } from '../support/raw-http.ts';
import { until } from '../support/spandrel.ts';
import { keptAt } from './kept.ts';
import { repetitions, THOROUGH } from '../support/repetitions.ts';
import { describeOnBothDatabases, showsAll } from '../support/databases.ts';

// Bounds in milliseconds, on machines that may be doing something else for a moment.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

let provider: FakeProvider;
let place: Place;
let spandrel: Program;
let api: Api;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider?.close());
/** For so long a database writes what comes. */
const LOAD_MS = THOROUGH ? 5_000 : 500;
/** Between what others do: more often would be more work for everybody, and show no more. */
const OTHERS_PAUSE_MS = 80;
const IDLE = 5_000;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const watch = (url: string): LivezWatch => {
  const livez = new LivezWatch(url, spandrel.pid);
  cleanUps.push(() => livez.stop());
  return livez;
};

describeOnBothDatabases('ten times too much', ({ name: database, takePlace }) => {
  beforeAll(async () => {
    place = await takePlace();
    spandrel = await place.start({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
    api = spandrel.api;
    await api.post('/api/traces', { id: 't' });
  });
  afterAll(() => place?.close());

  it('500 connections that write without pause: health under 1 s, memory bounded, every write 201 or 503', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 500 });
    cleanUps.push(() => agent.destroy());
    const livez = watch(spandrel.apiUrl);
    forgetPeak(spandrel.pid);
    const statuses = new Map<number, number>();
    const end = Date.now() + LOAD_MS;
    const trace = (await api.post<{ id: string }>('/api/traces', {})).body.id;
    const body = JSON.stringify({ trace_id: trace, name: 'n', input: 'x'.repeat(1_000) });
    const hammer = async (): Promise<void> => {
      while (Date.now() < end) {
        const status = await post(agent, `${spandrel.apiUrl}/api/spans`, body);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 500 }, hammer));
    const slowest = await livez.slowestMs();
    seen('500 connections', { ...Object.fromEntries(statuses), ms: slowest, MiB: peakMiB(spandrel.pid) });
    expect([...statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(slowest).toBeLessThan(1_000);
    expect(peakMiB(spandrel.pid)).toBeLessThan(1_280);
    // By its id: a test that is tried again has more than one.
    const stored = (await api.traces()).find(({ id }) => id === trace);
    expect(stored).toMatchObject({ span_count: statuses.get(201) });
    expect((await keptAt(place)).faults).toEqual([]);
  });

  it('20 bodies of 9 MB at once: health goes on, memory bounded, all stored', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    cleanUps.push(() => agent.destroy());
    const livez = watch(spandrel.apiUrl);
    forgetPeak(spandrel.pid);
    const body = JSON.stringify({ trace_id: 't', name: 'large', input: 'x'.repeat(9_000_000) });
    const alone = programTime(spandrel.pid);
    for (let n = 0; n < 5; n++) expect(await post(agent, `${spandrel.apiUrl}/api/spans`, body)).toBe(201);
    const twentyMs = alone() * 4;
    await livez.slowestMs();
    for (let round = 0; round < repetitions(3); round++) {
      const statuses = await Promise.all(
        Array.from({ length: 20 }, () => post(agent, `${spandrel.apiUrl}/api/spans`, body)),
      );
      expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
    }
    const slowest = await livez.slowestMs();
    seen('20 × 9 MB', { ms: slowest, twentyMs, MiB: peakMiB(spandrel.pid) });
    // One transaction takes all 180 MB, and health waits for it: see docs/reliability.md.
    expect(slowest).toBeLessThan(twentyMs);
    expect(peakMiB(spandrel.pid)).toBeLessThan(2_048);
    expect((await keptAt(place)).faults).toEqual([]);
  });

  // A connection that sends no whole request asks no database.
  if (showsAll(database)) waitingConnections();
});

/** Many connections that send little or nothing. */
function waitingConnections(): void {
  it('200 connections that drip a byte a second keep nobody from being served, on API and gateway', async () => {
    const held = await Promise.all(
      [
        [spandrel.apiUrl, '/api/spans'],
        [spandrel.gatewayUrl, '/v1/chat/completions'],
      ].flatMap(([url, path]) => [
        holdSockets(url!, 100, headOf(path!)),
        holdSockets(url!, 100, `${headOf(path!)}Content-Length: 1000\r\n\r\n`),
      ]),
    );
    cleanUps.push(() => held.forEach((sockets) => sockets.close()));
    const drip = setInterval(() => held.forEach((sockets) => sockets.write('x')), 1_000);
    cleanUps.push(() => clearInterval(drip));
    await othersAreServed(2_500);
    expect(held.map((sockets) => sockets.open())).toEqual([100, 100, 100, 100]);
  });

  it(`${IDLE} idle connections each keep nobody from being served, on API and gateway`, async () => {
    forgetPeak(spandrel.pid);
    const held: HeldSockets[] = [];
    cleanUps.push(() => held.forEach((sockets) => sockets.close()));
    for (const url of [spandrel.apiUrl, spandrel.gatewayUrl]) held.push(await holdSockets(url, IDLE));
    await othersAreServed(1_000);
    expect(held.map((sockets) => sockets.open())).toEqual([IDLE, IDLE]);
    seen(`${2 * IDLE} idle`, { MiB: peakMiB(spandrel.pid) });
    expect(peakMiB(spandrel.pid)).toBeLessThan(1_536);
  });
}

/** The beginning of a request of a caller who is let in. */
function headOf(path: string): string {
  const fields = { host: 'localhost', 'content-type': 'application/json', ...place.headers, ...place.gatewayHeaders };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}`;
}

/** Writes, reads and calls the gateway for a while; each takes under a second of the program's time. */
async function othersAreServed(ms: number): Promise<void> {
  const watches = [watch(spandrel.apiUrl), watch(spandrel.gatewayUrl)];
  const session = `others for ${ms} ms`;
  const before = provider.requests.length;
  const end = Date.now() + ms;
  let slowest = 0;
  let calls = 0;
  while (Date.now() < end) {
    const took = programTime(spandrel.pid);
    const { status } = await api.post('/api/spans', { trace_id: 't', name: 'other' });
    const listed = await api.get('/api/traces');
    const call = await fetch(`${spandrel.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-spandrel-session-id': session, ...place.gatewayHeaders },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: `call ${calls}` }] }),
    });
    expect([status, listed.status, call.status]).toEqual([201, 200, 200]);
    expect(await call.text()).toContain(`call ${calls++}`);
    slowest = Math.max(slowest, took());
    await pause(OTHERS_PAUSE_MS);
  }
  expect(provider.requests.length - before).toBe(calls);
  const health = await Promise.all(watches.map((livez) => livez.slowestMs()));
  seen('others', { calls, slowest: Math.round(slowest), health: health.join(' ') });
  expect(slowest).toBeLessThan(1_000);
  for (const slow of health) expect(slow).toBeLessThan(1_000);
  await until(async () => (await recordedIn(session)) === calls);
}

async function recordedIn(session: string): Promise<number | undefined> {
  const { body } = await api.get<{ sessions: SessionResource[] }>('/api/sessions');
  return body.sessions.find(({ session_id }) => session_id === session)?.span_count;
}

function post(agent: Agent, url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...place.headers,
    };
    request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode!));
    })
      .on('error', reject)
      .end(body);
  });
}

/** Figures for docs/reliability.md, shown with `SPANDREL_TEST_FIGURES=1`. */
function seen(what: string, figures: Record<string, unknown>): void {
  if (process.env['SPANDREL_TEST_FIGURES']) process.stderr.write(`${what}: ${JSON.stringify(figures)}\n`);
}
