/** Clients that read slowly or not at all: they cost a bounded amount of memory and nobody else a thing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EventsSettings, DomainEvents } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import { cloudApp } from '../support/cloud-app.ts';
import { scopeOfProject } from '../support/in-process.ts';
import type { Place } from '../support/places.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { peakMiB, forgetPeak } from '../support/process-memory.ts';
import { holdSockets } from '../support/raw-http.ts';
import { startServerApp, type ServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { ADMIN_TOKEN, createTenant } from '../support/tenant.ts';
import { EventClient, range } from './event-client.ts';
import { metric, openStreams } from './stream-basics.ts';
import { POSTGRES, showsAll, SQLITE } from '../support/databases.ts';
import { THOROUGH } from '../support/repetitions.ts';

/** Events that are more than the buffers of a connection take, some 8 MB. */
const MANY = 60;
const LARGE = 250_000;

/** A project of its own, and what puts a request into it. */
interface Project {
  scope: Scope;
  headers: Record<string, string>;
}

/** A server in this process: one for all tests of a database, whose limits each of them sets. */
interface Lab {
  server: ServerApp;
  newProject(name: string): Promise<Project>;
  close(): Promise<unknown>;
}

async function onSqlite(options: ServerAppOptions): Promise<Lab> {
  const server = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }, options);
  const newProject = async (name: string): Promise<Project> => ({
    scope: scopeOfProject(name),
    headers: { 'x-test-project': name },
  });
  return { server, newProject, close: () => server.close() };
}

async function onPostgres(options: ServerAppOptions): Promise<Lab> {
  const postgres: TestPostgres = await startPostgres();
  const server = await cloudApp(await createMigrated(postgres, 'slow_clients'), options);
  const newProject = async (name: string): Promise<Project> => {
    const { scope, key } = await createTenant(server.api, { name });
    return { scope, headers: { authorization: `Bearer ${key}` } };
  };
  return { server, newProject, close: () => server.close().then(() => postgres.stop()) };
}

describe.each([
  ['SQLite', onSqlite],
  ['Postgres', onPostgres],
] as const)('a client that reads slowly, on %s', (database, open) => {
  /** What of the streams asks no database. */
  const itOfStreams = (title: string, test: () => Promise<void>): void => {
    if (showsAll(database)) it(title, test);
  };
  let limits: EventsSettings;
  let lab: Lab;
  let server: ServerApp;
  let project: Project;
  const clients: EventClient[] = [];
  beforeAll(async () => {
    lab = await open({ settings: (settings) => void (limits = settings.of(EventsSettings)) });
    ({ server } = lab);
  });
  afterEach(async () => {
    clients.splice(0).forEach((client) => client.close());
    await until(async () => (await openStreams(server)) === 0);
  });
  afterAll(() => lab?.close());

  let serial = 0;
  async function begin(of: Partial<EventsSettings>): Promise<void> {
    Object.assign(limits, of);
    project = await lab.newProject(`slow-${serial++}`);
  }

  async function listen(query = ''): Promise<EventClient> {
    const client = await EventClient.open(server.url, { query, headers: project.headers });
    clients.push(client);
    return client;
  }

  /** Emits events of `bytes` each, in transactions of their own. */
  async function emit(count: number, bytes: number): Promise<void> {
    const events = server.app.get(DomainEvents);
    for (let n = 0; n < count; n++) {
      await server.storage.write((tx) =>
        events.emit(tx, project.scope, { type: 'span_deleted', span_id: 'x'.repeat(bytes) }),
      );
      await sleep(1);
    }
  }

  const streamsCut = () => metric(server, 'spandrel_event_streams_cut_total');

  it('is sent from the log when it is too slow for live, and misses nothing', async () => {
    await begin({ queuedBytes: 100_000, stalledMs: 30_000, behindMs: 30_000 });
    const quick = await listen();
    const slow = await listen();
    slow.pause();
    await emit(MANY, LARGE);
    await quick.has(MANY);
    expect(slow.events.length).toBeLessThan(MANY);
    slow.resume();
    await slow.has(MANY, 20_000);
    await emit(20, 10);
    await Promise.all([slow.has(MANY + 20), quick.has(MANY + 20)]);
    expect(slow.ids).toEqual(range(1, MANY + 20));
    expect(slow.events).toEqual(quick.events);
    expect(await streamsCut()).toBe(0);
  });

  itOfStreams('gets an event larger than what may wait', async () => {
    await begin({ queuedBytes: 1, stalledMs: 5_000, behindMs: 5_000 });
    const client = await listen();
    await emit(3, 2_000_000);
    await client.has(3);
    expect(client.ids).toEqual([1, 2, 3]);
  });

  it('is disconnected when it takes nothing for too long', async () => {
    await begin({ queuedBytes: 50_000, stalledMs: 1_000, behindMs: 60_000 });
    const slow = await listen();
    const quick = await listen();
    slow.pause();
    const began = Date.now();
    await emit(MANY, LARGE);
    await until(async () => (await openStreams(server)) === 1, 15_000);
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_000);
    expect(await streamsCut()).toBe(1);
    await quick.has(MANY);
    slow.resume();
    await slow.ended();
    // What it got is whole, and it can resume behind it.
    const last = slow.ids.at(-1) ?? 0;
    expect(slow.ids).toEqual(range(1, last));
    const resumed = await listen(`since=${last}`);
    await resumed.has(MANY - last);
    expect(resumed.ids).toEqual(range(last + 1, MANY));
  });

  itOfStreams('is disconnected when it falls behind and does not catch up', async () => {
    await begin({ queuedBytes: 50_000, stalledMs: 60_000, behindMs: 1_500 });
    const slow = await listen();
    slow.pause();
    await emit(MANY, LARGE);
    await until(async () => (await openStreams(server)) === 0, 15_000);
    const metrics = await fetch(`${server.url}/metrics`, { headers: server.api.headers });
    expect(await metrics.text()).toMatch(/^spandrel_event_streams_cut_total\{reason="behind"\} 1$/m);
  });

  itOfStreams('is not disconnected for being silent while there is nothing to take', async () => {
    await begin({ queuedBytes: 50_000, stalledMs: 1_000, behindMs: 1_000 });
    const client = await listen();
    await sleep(2_500);
    await emit(1, 10);
    await client.has(1);
  });

  it('may take its time for a replay', async () => {
    await begin({ queuedBytes: 50_000, stalledMs: 10_000, behindMs: 1_000 });
    await emit(100, 200_000);
    const client = await listen('since=0');
    for (let n = 0; n < 25; n++) {
      client.pause();
      await sleep(100);
      client.resume();
      await sleep(10);
    }
    await client.has(100);
    expect(client.ids).toEqual(range(1, 100));
  });
});

// All streams that an organization may have by default, when tests take their time, and on both databases; fewer show the
// same bound, and memory is taken by streams, not by what is behind them.
describe.each(
  [[THOROUGH ? 1_000 : 100, THOROUGH ? 400 : 250, SQLITE] as const, [100, 250, POSTGRES] as const].filter(
    ([, , { name }]) => showsAll(name),
  ),
)('%i clients of which one reads', (count, growthMiB, { name: database, takePlace }) => {
  let place: Place | undefined;
  afterAll(() => place?.close());

  it(`cost a bounded amount of memory on ${database}; silent ones are cut, and nobody else is slower for them`, async () => {
    const file = join(tempDir(), 'spandrel.yaml');
    writeFileSync(file, 'events: { stalled_seconds: 8 }\n');
    place = await takePlace();
    const { headers } = place;
    const program = await place.start({ command: 'server', args: ['--config', file] });
    const lines = ['Host: localhost', ...Object.entries(headers).map((header) => header.join(': ')), '\r\n'];
    const silent = await holdSockets(program.apiUrl, count - 1, `GET /api/events HTTP/1.1\r\n${lines.join('\r\n')}`);
    silent.sockets.forEach((socket) => socket.pause());
    const good = await EventClient.open(program.apiUrl, { headers });
    const { api } = program;
    const openNow = async (): Promise<number> => {
      const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const text = await (await fetch(`${program.apiUrl}/metrics`, { headers: admin })).text();
      return Number(/^spandrel_event_streams (\d+)$/m.exec(text)?.[1]);
    };
    await until(async () => (await openNow()) === count);
    await api.post('/api/traces', { id: 't' });
    await good.has(1);
    forgetPeak(program.pid);
    const before = peakMiB(program.pid);
    // More than the sockets' own buffers take: 100 clients × 8 MB would be 800 MB.
    const input = 'x'.repeat(200_000);
    let slowestMs = 0;
    for (const n of range(1, 40)) {
      const sent = Date.now();
      expect((await api.post('/api/spans', { id: `s${n}`, trace_id: 't', name: 's', input })).status).toBe(201);
      slowestMs = Math.max(slowestMs, Date.now() - sent);
    }
    await good.has(41, 30_000);
    expect(good.ids).toEqual(range(1, 41));
    const peak = peakMiB(program.pid);
    process.stdout.write(
      `${count} clients, one of which reads: ${before} → ${peak} MiB, slowest write ${slowestMs} ms\n`,
    );
    expect(peak - before).toBeLessThan(growthMiB);
    await until(async () => (await openNow()) === 1, 30_000);
    silent.close();
    good.close();
    expect(await program.stop()).toBe(0);
  });
});
