/** What Postgres is allowed to cost: time of statements, connections, waiting for locks; and what it must be to start. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client, Pool } from 'pg';
import { Unavailable, createLogger, StartError } from '@spandrel/kernel';
import { openStorage, type Storage, type StorageConfig } from '@spandrel/storage';
import { assertUsable } from '../../libs/storage/src/postgres/postgres-pool.js';
import { connectClient, startOwnPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { TracingApp } from './tracing-app.ts';
import { anyRows } from '../support/any-rows.ts';

const logger = createLogger('silent', 'test');

let postgres: TestPostgres | undefined;
let url = '';
let admin: Client;
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  postgres = await startOwnPostgres();
  url = await postgres.createDatabase('limits');
  admin = await connectClient(url);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
afterAll(async () => {
  await admin.end();
  await postgres?.stop();
});

async function server(config: { poolMax?: number; statementTimeoutMs?: number } = {}): Promise<ServerApp> {
  const app = await startServerApp({ dialect: 'postgres', url, ...config });
  closers.push(app.close);
  return app;
}

/** Statements of the servers that are at it, or wait for a lock. */
async function running(like: string): Promise<number> {
  const { rows } = await admin.query<{ n: string }>(
    `select count(*) as n from pg_stat_activity
     where application_name = 'spandrel' and state = 'active' and query like $1`,
    [like],
  );
  return Number(rows[0]!.n);
}

/** Statements that wait for a whole table. */
async function awaitingTable(): Promise<number> {
  const { rows } = await admin.query(
    `select 1 from pg_stat_activity where datname = 'limits' and wait_event_type = 'Lock' and wait_event = 'relation'`,
  );
  return rows.length;
}

describe('a statement that takes too long', () => {
  it('is stopped, and its request answered 503; the next one is served', async () => {
    const { api, storage } = await server({ statementTimeoutMs: 2_000 });
    await admin.query(`
      create function dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(20); return new; end';
      create trigger dawdle before insert on trace for each row when (new.id = 'slow') execute function dawdle()`);
    const slow = await api.post('/api/traces', { id: 'slow' });
    expect([slow.status, slow.body.code, slow.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    await admin.query('drop trigger dawdle on trace; drop function dawdle');
    // Nor does one slow statement say that the database takes no writes.
    await storage.check();
    expect((await api.post('/api/traces', { id: 'slow' })).status).toBe(201);
  });

  it('waits for a lock for a bounded time too', async () => {
    const { api } = await server({ statementTimeoutMs: 2_000 });
    await api.post('/api/traces', { id: 'locked' });
    await admin.query("begin; select 1 from trace where id = 'locked' for update");
    const blocked = await api.patch('/api/traces/locked', { name: 'n' });
    await admin.query('rollback');
    expect([blocked.status, blocked.body.code]).toEqual([503, 'unavailable']);
    expect((await api.patch('/api/traces/locked', { name: 'n' })).status).toBe(200);
  });

  it('may be one of many rows all the same', async () => {
    const { storage } = await server({ statementTimeoutMs: 1_000 });
    const slept = storage.write(async (tx) => {
      await tx.disableStatementTimeout();
      return tx.all(anyRows()`select 1 as one, pg_sleep(1.2)`);
    });
    await expect(slept).resolves.toHaveLength(1);
    await expect(storage.write((tx) => tx.all(anyRows()`select pg_sleep(20)`))).rejects.toBeInstanceOf(Unavailable);
  });
});

describe('a prepared statement', () => {
  it('is an insert, or a list (ADR 0039): what else writers ask is planned for the tables as they are', async () => {
    const { api, storage } = await server({ poolMax: 2 });
    for (let n = 0; n < 8; n++) {
      await api.post('/api/ingest', {
        traces: [{ id: 'planned' }],
        spans: [{ id: `p${n}`, trace_id: 'planned', name: 'n' }],
      });
      expect((await api.post(`/api/spans/p${n}/complete`, {})).status).toBe(200);
    }
    const prepared = await storage.write((tx) =>
      tx.all(anyRows<{ text: string }>()`select statement as text from pg_prepared_statements`),
    );
    expect(prepared.length).toBeGreaterThan(0);
    const isList = (text: string): boolean => /^select [^]* order by [^]* limit \$\d+$/.test(text);
    expect(prepared.filter(({ text }) => !text.startsWith('insert into ') && !isList(text))).toEqual([]);
  });
});

describe('connections', () => {
  it('are left for writes and quick reads when long reads want them all', async () => {
    const { api, storage } = await server({ poolMax: 4 });
    await admin.query('select pg_advisory_lock(1)');
    const held = anyRows()`select pg_advisory_xact_lock_shared(1)::text`;
    const long = Array.from({ length: 12 }, () => storage.readLong(held));
    await until(async () => (await running('select pg_advisory_xact%')) === 2);
    expect((await api.post('/api/traces', { id: 'beside' })).status).toBe(201);
    expect((await api.patch('/api/traces/beside', { name: 'n' })).status).toBe(200);
    expect(await running('select pg_advisory_xact%')).toBe(2);
    const metrics = await (await fetch(`${api.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^spandrel_storage_long_reads_waiting 10$/m);
    await admin.query('select pg_advisory_unlock(1)');
    await Promise.all(long);
  });

  it('are waited for for some seconds; who got none in time is asked to come again', async () => {
    const { api, storage } = await server({ poolMax: 2 });
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const holders = [1, 2].map(() => storage.write(() => done));
    const starved = await api.post('/api/traces', { id: 'starved' });
    expect([starved.status, starved.body.code]).toEqual([503, 'unavailable']);
    finish();
    await Promise.all(holders);
    expect((await api.post('/api/traces', { id: 'starved' })).status).toBe(201);
  });
});

describe('a client that goes away', () => {
  it('takes its search with it', async () => {
    const app = await server();
    await app.api.post('/api/traces', { id: 'sought' });
    await app.api.post('/api/spans', { id: 'sought', trace_id: 'sought', name: 'n', input: 'hay' });
    await admin.query('begin; lock table span, span_payload in access exclusive mode');
    const gone = new AbortController();
    const searches = Array.from({ length: 3 }, () =>
      fetch(`${app.url}/api/spans?text_contains=needle`, { signal: gone.signal }).catch(() => 'gone'),
    );
    await until(async () => (await awaitingTable()) === 3);
    gone.abort();
    expect(await Promise.all(searches)).toEqual(['gone', 'gone', 'gone']);
    // The table is still locked: they ended because they were cancelled.
    await until(async () => (await awaitingTable()) === 0);
    await admin.query('rollback');
    expect((await app.api.get<{ count: number }>('/api/spans?text_contains=hay')).body.count).toBe(1);
  });
});

describe('a migration', () => {
  it('does not wait long for a table that others use, and comes again', async () => {
    const migrated = await postgres!.createDatabase('migrated');
    const other = await connectClient(migrated);
    await other.query('begin; create table trace (id int)');
    const opening = TracingApp.open({ dialect: 'postgres', url: migrated });
    const waits = async (): Promise<boolean> => {
      const { rows } = await admin.query(
        "select 1 from pg_stat_activity where datname = 'migrated' and wait_event_type = 'Lock' and query like 'create table%'",
      );
      return rows.length > 0;
    };
    await until(waits);
    await until(async () => !(await waits()));
    await other.query('rollback');
    await other.end();
    await (await opening).close();
  });
});

describe('the start', () => {
  const fault = async (config: StorageConfig): Promise<string> => {
    const error = await openStorage(config, { entities: [], logger }).then(
      (storage: Storage) => storage.close(),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StartError);
    return (error as StartError).message;
  };

  it('says what is wrong in one line without the password', async () => {
    const place = url.slice(url.lastIndexOf('@'));
    const faults = {
      'wrong password': await fault({ dialect: 'postgres', url: `postgres://spandrel:s3cr%21t${place}` }),
      'no such database': await fault({ dialect: 'postgres', url: `${url}-not` }),
      unreachable: await fault({ dialect: 'postgres', url: 'postgres://spandrel:s3cr%21t@127.0.0.1:1/none' }),
      'no URL': await fault({ dialect: 'postgres', url: 'spandrel:s3cr%21t@host' }),
    };
    expect(faults).toEqual({
      'wrong password': expect.stringMatching(
        /^DATABASE_URL: the database cannot be reached: password authentication failed/,
      ),
      'no such database': expect.stringMatching(
        /^DATABASE_URL: the database cannot be reached: database "limits-not" does not exist$/,
      ),
      unreachable: expect.stringMatching(/^DATABASE_URL: the database cannot be reached: connect ECONNREFUSED/),
      'no URL': 'DATABASE_URL: it must be like postgres://user:password@host:5432/name',
    });
    for (const line of Object.values(faults)) expect(line).not.toMatch(/s3cr|\n/);
  });

  it('says what is wrong with a database that may not be changed, in one line', async () => {
    await admin.query("create role reader login password 'reader'");
    const reader = (await postgres!.createDatabase('reading')).replace(/\/\/[^@]*@/, '//reader:reader@');
    expect(await fault({ dialect: 'postgres', url: reader })).toMatch(
      /^DATABASE_URL: the database could not be brought up to date: .*permission denied for schema public$/,
    );
  });

  it('refuses a Postgres that is too old, naming it', async () => {
    const query = async () => ({ rows: [{ encoding: 'UTF8', version: '14.19 (Debian)' }] });
    await expect(assertUsable({ query } as unknown as Pool, url, logger)).rejects.toThrow(
      'DATABASE_URL: Spandrel needs Postgres 15 to 18, the server is Postgres 14.19 (Debian)',
    );
  });
});
