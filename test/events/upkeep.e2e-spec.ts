/** What has a clock: keep-alives, pruning, and the end of streams when the server stops. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sql, type StorageConfig } from '@spandrel/storage';
import { Api } from '../support/api.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { holdSockets } from '../support/raw-http.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';
import { EventClient, range } from './event-client.ts';

const RETENTION_MS = 3_600;

let postgres: TestPostgres | undefined;
const cleanUps: (() => unknown)[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function startApp(config: StorageConfig, retentionMs?: number): Promise<ServerApp> {
  const server = await startServerApp(config, {
    settings: ({ events }) => void (events.retentionMs = retentionMs ?? events.retentionMs),
  });
  cleanUps.push(() => server.close());
  return server;
}

async function listen(url: string, query = ''): Promise<EventClient> {
  const client = await EventClient.open(url, { query });
  cleanUps.push(() => client.close());
  return client;
}

async function start(config = ''): Promise<Spandrel> {
  const file = join(tempDir(), 'spandrel.yaml');
  writeFileSync(file, config);
  const server = await startSpandrel({ command: 'server', ...(config !== '' && { args: ['--config', file] }) });
  cleanUps.push(() => server.stop('SIGKILL'));
  return server;
}

describe.each(['SQLite', 'Postgres'])('pruning on %s', (database) => {
  it('takes what is old, a bit at a time, and never gives a number twice', async () => {
    const config: StorageConfig =
      database === 'SQLite'
        ? { dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }
        : { dialect: 'postgres', url: await postgres!.createDatabase('pruning') };
    const server = await startApp(config, RETENTION_MS);
    const live = await listen(server.url);
    const trace = (project?: string) =>
      server.api.send('POST', '/api/traces', {}, project === undefined ? {} : { 'x-test-project': project });
    for (let n = 0; n < 600; n++) await trace();
    await trace('other');
    const rows = async (): Promise<number> =>
      (await server.storage.read<{ n: number }>(sql`select count(*) as n from event_log`))[0]!.n;
    const written = Date.now();
    await until(async () => (await rows()) === 0, 20_000);
    expect(Date.now() - written).toBeGreaterThan(RETENTION_MS - 1_500);
    await trace();
    await trace();
    await live.has(602);
    expect(live.ids).toEqual(range(1, 602));
    // What is left of the log is replayed to a client that was away for longer.
    const late = await listen(server.url, 'since=5');
    await late.has(2);
    expect(late.ids).toEqual([601, 602]);
    const never = await listen(server.url, 'since=0');
    await until(async () => (await rows()) === 0, 20_000);
    const empty = await listen(server.url, 'since=3');
    await trace();
    for (const [client, ids] of [
      [never, [601, 602, 603]],
      [empty, [603]],
    ] as const) {
      await client.has(ids.length);
      expect(client.ids).toEqual(ids);
    }
  }, 60_000);

  it('leaves what is young, and the rest of the log in place', async () => {
    const config: StorageConfig =
      database === 'SQLite'
        ? { dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }
        : { dialect: 'postgres', url: await postgres!.createDatabase('pruning_young') };
    const server = await startApp(config, 24 * 3_600_000);
    for (let n = 0; n < 5; n++) await server.api.post('/api/traces', {});
    await server.storage.write((tx) =>
      tx.run(sql`update event_log set created_at = ${Date.now() - 24 * 3_600_000 - 1_000} where last_seq in (1, 2, 4)`),
    );
    const left = async (): Promise<number[]> =>
      (await server.storage.read<{ seq: number }>(sql`select last_seq as seq from event_log order by last_seq`)).map(
        ({ seq }) => seq,
      );
    await until(async () => !(await left()).includes(1), 20_000);
    // What else would go, would go with it or with the next look.
    await sleep(1_000);
    // In order only: number 4 stays until 3 goes.
    expect(await left()).toEqual([3, 4, 5]);
  }, 30_000);
});

describe('a quiet stream', () => {
  it('carries a comment every 15 seconds', async () => {
    const server = await startApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
    const client = await listen(server.url);
    await until(() => client.comments.length === 2, 40_000);
    expect(client.text).toBe('retry: 2000\n\n: keep-alive\n\n: keep-alive\n\n');
  }, 45_000);
});

describe('a server that stops', () => {
  it('ends streams at once and exits with 0', async () => {
    const server = await start();
    const api = new Api(server.apiUrl);
    const clients = await Promise.all(range(1, 50).map(() => listen(server.apiUrl)));
    await api.post('/api/traces', { name: 'last' });
    const stopping = Date.now();
    expect(await server.stop()).toBe(0);
    expect(Date.now() - stopping).toBeLessThan(3_000);
    for (const client of clients) {
      await client.ended();
      expect(client.ids).toEqual([1]);
    }
  });

  it('does not wait for clients that do not read', async () => {
    const server = await start('events: { stalled_seconds: 600, behind_seconds: 600 }\n');
    const api = new Api(server.apiUrl);
    const silent = await holdSockets(server.apiUrl, 20, 'GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    cleanUps.push(() => silent.close());
    silent.sockets.forEach((socket) => socket.pause());
    const replaying = connect(Number(new URL(server.apiUrl).port), '127.0.0.1');
    cleanUps.push(() => replaying.destroy());
    replaying.on('error', () => undefined).pause();
    replaying.write('GET /api/events?since=0 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await api.post('/api/traces', { id: 't' });
    for (const n of range(1, 60))
      await api.post('/api/spans', { id: `s${n}`, trace_id: 't', name: 's', input: 'x'.repeat(300_000) });
    const stopping = Date.now();
    expect(await server.stop()).toBe(0);
    expect(Date.now() - stopping).toBeLessThan(3_000);
  }, 60_000);

  it('lets a client resume after the restart where it was', async () => {
    const first = await start();
    const api = new Api(first.apiUrl);
    const before = await listen(first.apiUrl);
    for (const n of range(1, 3)) await api.post('/api/traces', { name: `t${n}` });
    await before.has(3);
    expect(await first.stop()).toBe(0);
    const port = Number(new URL(first.apiUrl).port);
    const second = await startSpandrel({ command: 'server', dataDir: first.dataDir, port });
    cleanUps.push(() => second.stop('SIGKILL'));
    await api.post('/api/traces', { name: 't4' });
    const after = await listen(second.apiUrl, `since=${before.ids.at(-1)}`);
    await api.post('/api/traces', { name: 't5' });
    await after.has(2);
    expect(after.ids).toEqual([4, 5]);
  }, 40_000);
});
