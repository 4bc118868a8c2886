/** The gateway before the API server of cloud mode: what is recorded under a key is in its project, and nowhere else. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource, TraceListItem } from '@spandrel/contract';
import { CLOUD_FLUSH_MS } from '../../apps/gateway/src/gateway.settings.js';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { cloudApp, type CloudApp } from '../support/cloud-app.js';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres } from '../support/postgres.js';
import type { Tenant } from '../support/tenant.js';
import { until } from './support/fake-api.js';
import { startGateway, type StartedGateway } from './support/start.js';

/** Between calls of one that calls all the while: many times as many as it may send requests, and far fewer than it could. */
const PAUSE_MS = 20;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let app: CloudApp;
let upstream: FakeProvider;
let gateway: StartedGateway;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'gateway'));
  upstream = await startFakeProvider();
  gateway = await startGateway(upstream.url, {
    apiUrl: app.url,
    mode: 'cloud',
    keyFreshMs: 500,
    flushMs: CLOUD_FLUSH_MS,
  });
});
afterAll(async () => {
  await gateway.close();
  await app.close();
  await upstream.close();
  await postgres.stop();
});

async function call(key: string, content: string): Promise<number> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-spandrel-key': key, 'x-spandrel-trace-id': 'shared' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  });
  await answer.text();
  return answer.status;
}
/** What was said in each recorded call of the shared trace. */
const contentsOf = async ({ api }: Tenant): Promise<unknown[]> => {
  const { body } = await api.get<{ spans: SpanResource[] }>('/api/spans?trace_id=shared&limit=100&status=completed');
  return body.spans.map(({ input }) => (input as [{ content: string }])[0].content);
};
/** Recorded calls of the shared trace, at one request. */
const countOf = async ({ api }: Tenant): Promise<number> => {
  const { body } = await api.get<{ traces: TraceListItem[] }>('/api/traces?limit=1');
  return body.traces[0]?.span_count ?? 0;
};

describe('two tenants', () => {
  it('that call at once and name the same trace each have their own recordings', async () => {
    const [alice, bob] = [await app.createTenant(), await app.createTenant()];
    const { key } = await bob.createKey(['ingest']);
    const calls = Array.from({ length: 40 }, (_, i) => (i % 2 ? call(key, 'of bob') : call(alice.key, 'of alice')));
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
    await until(async () => (await contentsOf(alice)).length + (await contentsOf(bob)).length >= 40);
    expect(await contentsOf(alice)).toEqual(Array(20).fill('of alice'));
    expect(await contentsOf(bob)).toEqual(Array(20).fill('of bob'));
  });

  it('lose a key when it is deleted, and need one that may record', async () => {
    const alice = await app.createTenant();
    const { key, id } = await alice.createKey(['ingest']);
    expect(await call(key, 'Hi')).toBe(200);
    expect((await alice.api.delete(`/api/keys/${id}`)).status).toBe(200);
    await until(async () => (await call(key, 'Hi')) === 401);
    expect(await call((await alice.createKey(['read'])).key, 'Hi')).toBe(403);
    expect(await call((await alice.createKey(['ingest'], new Date(Date.now() - 1).toISOString())).key, 'Hi')).toBe(401);
  });

  it('are let in with keys never seen while their organization has no requests left', async () => {
    const busy = await app.createTenant({ rateLimit: 20 });
    const keys = await Promise.all([1, 2, 3].map(() => busy.createKey(['ingest'])));
    const asked = async (): Promise<number> => (await busy.api.get('/api/traces')).status;
    for (const { key } of keys) {
      while (!(await Promise.all(Array.from({ length: 10 }, asked))).every((status) => status === 429));
      expect(await call(key, 'Hi')).toBe(200);
    }
  });

  it('lose no recording to the limit of requests, which a busy gateway hardly touches', async () => {
    const busy = await app.createTenant({ rateLimit: 10 });
    let calls = 0;
    const endsAt = performance.now() + 1_500;
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (; calls < 60 || performance.now() < endsAt; calls++) {
          expect(await call(busy.key, 'Hi')).toBe(200);
          await pause(PAUSE_MS);
        }
      }),
    );
    await until(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return (await countOf(busy)) >= calls;
    });
    expect(await countOf(busy)).toBe(calls);
  });
});
