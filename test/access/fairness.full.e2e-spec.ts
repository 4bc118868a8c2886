/** What one organization of cloud mode leaves to the others, and what a key keeps once it has ended: nothing. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessSettings } from '@spandrel/access';
import { ConnectionsSettings } from '@spandrel/connections';
import { renderSql } from '@spandrel/storage';
import type { Client } from 'pg';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';
import { startGateway } from '../gateway/support/start.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { connectClient, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';
import { everythingOf, plant, type TenantData } from './tenant-data.ts';

const STREAMS_MAX = 3;
/** Less than a statement waits for a lock. */
const LOCK_MS = 9_000;
const OTHER_READS = ['/api/spans?text_contains=other', '/api/traces', '/api/sessions'];

/** Whether work is done for a request. */
const asked = new AsyncLocalStorage<boolean>();

let postgres: TestPostgres;
let admin: Client;
let app: CloudApp;
let flooding: Tenant;
let other: Tenant;
let data: TenantData;

beforeAll(async () => {
  postgres = await startPostgres();
  const url = await createMigrated(postgres, 'fairness');
  [app, admin] = await Promise.all([
    cloudApp(url, {
      prepare: (nest) => {
        nest
          .getHttpAdapter()
          .getInstance()
          .addHook('onRequest', (_request, _reply, done) => asked.run(true, done));
      },
      settings: (settings) => {
        settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1'];
        settings.of(AccessSettings).eventStreams = STREAMS_MAX;
      },
    }),
    connectClient(url),
  ]);
  [flooding, other] = await Promise.all([app.createTenant(), app.createTenant()]);
  [data] = await Promise.all([plant(flooding, 'flooding'), plant(other, 'other')]);
});

afterAll(async () => {
  await app?.close();
  await admin?.end();
  await postgres?.stop();
});

describe('an organization that floods the database with long reads', () => {
  it('takes half of the places, so that others read as if it was not there', async () => {
    // What writes to the table beside them, such as the end of a run, awaits a lock of another kind.
    const readsAwaitingLock = async (): Promise<string[]> => {
      const { rows } = await admin.query<{ query: string }>(
        `select a.query from pg_locks l join pg_stat_activity a using (pid)
         where l.relation = 'datapoint'::regclass and l.mode = 'AccessShareLock' and not l.granted`,
      );
      return rows.map(({ query }) => query);
    };
    const path = `/api/datasets/${data.dataset}/datapoints`;
    // Reads that do not come to an end as long as it is locked.
    const flood = async () => {
      await admin.query('begin; lock table datapoint in access exclusive mode');
      const began = performance.now();
      try {
        const reads = Array.from({ length: 20 }, () => flooding.api.get(path));
        // A pool of 10 connections has 5 places for long reads.
        while ((await readsAwaitingLock()).length < 3 && performance.now() - began < LOCK_MS) await sleep(20);
        const others: unknown[] = [];
        for (const read of OTHER_READS) {
          others.push([read, (await other.api.get(read)).status]);
        }
        const waiting = await readsAwaitingLock();
        const lockedMs = performance.now() - began;
        await admin.query('rollback');
        const statuses = (await Promise.all(reads)).map(({ status }) => status);
        return { others, waiting, lockedMs, statuses };
      } finally {
        await admin.query('rollback');
      }
    };
    let seen = await flood();
    // Later than that reads were refused, as they are where a lock stays, and show nothing.
    for (let again = 0; seen.lockedMs > LOCK_MS && again < 10; again++) seen = await flood();
    expect(seen.others).toEqual(OTHER_READS.map((read) => [read, 200]));
    expect(seen.waiting).toHaveLength(3);
    expect(new Set(seen.statuses)).toEqual(new Set([200]));
  });

  it('is known by each of its long reads', async () => {
    const { storage } = app;
    const readLong = storage.readLong.bind(storage);
    const readers: (string | undefined)[] = [];
    storage.readLong = ((query, options) => {
      // What is done for all projects at its own times, beside all requests, names none.
      const isAsked = asked.getStore() === true;
      if (isAsked && renderSql(query, 'postgres').params.includes(flooding.project.id)) readers.push(options?.orgId);
      return readLong(query, options);
    }) as typeof storage.readLong;
    try {
      await everythingOf(flooding, data);
      const paths = [
        `/api/traces/${data.trace}`,
        `/api/export/json?trace_id=${data.trace}`,
        `/api/sessions/${encodeURIComponent(data.session)}`,
        `/api/spans?sort_by=cost&text_contains=flooding`,
        `/api/datasets/${data.dataset}/datapoints`,
        `/api/datasets/${data.dataset}/export`,
        `/api/datasets/${data.dataset}/queue`,
        `/api/datasets/${data.dataset}/compare?runs=${data.run},${data.run}`,
        '/api/datasets',
      ];
      for (const path of paths) expect([path, (await flooding.api.get(path)).status]).toEqual([path, 200]);
    } finally {
      storage.readLong = readLong;
    }
    expect(readers.length).toBeGreaterThan(20);
    expect(new Set(readers)).toEqual(new Set([flooding.org.id]));
  });
});

describe('an organization that opens event streams without end', () => {
  it('has as many as it may, and others theirs', async () => {
    const opened: AbortController[] = [];
    const listen = async ({ key }: Tenant): Promise<Response> => {
      const leave = new AbortController();
      opened.push(leave);
      return fetch(`${app.url}/api/events?token=${key}`, { signal: leave.signal });
    };
    try {
      const another = (await flooding.createKey(['read'])).key;
      const answers = await Promise.all([listen(flooding), listen(flooding), listen({ ...flooding, key: another })]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      for (const key of [flooding.key, another]) {
        const refusal = await flooding.api.as(key).get('/api/events');
        expect(refusal.body).toMatchObject({ status: 429, code: 'rate_limited', detail: expect.stringContaining('3') });
        expect(refusal.headers.get('retry-after')).toBe('10');
      }
      expect((await listen(other)).status).toBe(200);
      opened[0]!.abort();
      await until(async () => (await listen(flooding)).status === 200);
    } finally {
      for (const leave of opened) leave.abort();
    }
  });
});

describe('a WebSocket through the gateway', () => {
  it('ends with the key it came with', async () => {
    const upstream = await startFakeProvider();
    const [began, hour] = [Date.now(), 3_600_000];
    let now = began;
    const settings = { apiUrl: app.url, mode: 'cloud', keyFreshMs: 500 } as const;
    const gateway = await startGateway(upstream.url, settings, { clock: { now: () => now } });
    const open = async (key: string): Promise<WebSocket> => {
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=x&token=${key}`);
      await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = () => reject(new Error('no connection'));
      });
      return socket;
    };
    try {
      const deleted = await flooding.createKey(['ingest']);
      const expiring = await flooding.createKey(['ingest'], new Date(began + hour).toISOString());
      const [first, second, going] = [await open(deleted.key), await open(expiring.key), await open(flooding.key)];
      expect((await flooding.api.delete(`/api/keys/${deleted.id}`)).status).toBe(200);
      await until(() => first.readyState === WebSocket.CLOSED);
      expect(second.readyState).toBe(WebSocket.OPEN);
      now = began + hour;
      await until(() => second.readyState === WebSocket.CLOSED);
      const echoed = new Promise((resolve) => (going.onmessage = ({ data }) => resolve(data)));
      going.send('still there');
      expect(await echoed).toBe('still there');
      going.close();
    } finally {
      await gateway.close();
      await upstream.close();
    }
  });
});
