/** Wrong credentials are counted by the address they come from, at server and gateway (docs/spec/limits.md#wrong-credentials). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '../../libs/access/src/credentials/api-keys.ts';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { startGateway, type StartedGateway } from '../gateway/support/start.js';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { signInAs } from '../support/person.ts';
import type { Tenant } from '../support/tenant.ts';

const MAX = 20;
const METRICS_TOKEN = 'metrics-token-of-this-suite';

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;
let upstream: FakeProvider;
let gateway: StartedGateway;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'wrong_credentials'), {
    env: { SPANDREL_WRONG_CREDENTIALS: String(MAX), SPANDREL_TRUST_PROXY: 'loopback' },
  });
  tenant = await app.createTenant();
  upstream = await startFakeProvider();
  const counting = { trustProxy: ['loopback'], wrongCredentials: MAX };
  gateway = await startGateway(upstream.url, {
    apiUrl: app.url,
    mode: 'cloud',
    metricsToken: METRICS_TOKEN,
    ...counting,
  });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
  await app?.close();
  await postgres?.stop();
});

/** How a request from an address is answered. */
async function ask(url: string, from: string, init: RequestInit = {}) {
  const answer = await fetch(url, { ...init, headers: { ...init.headers, 'x-forwarded-for': from } });
  const text = await answer.text();
  const retryAfter = Number(answer.headers.get('retry-after'));
  return { status: answer.status, text, retryAfter, authenticate: answer.headers.get('www-authenticate') };
}

const list = (from: string, key: string) =>
  ask(`${app.url}/api/traces`, from, { headers: { authorization: `Bearer ${key}` } });
const signIn = (from: string, credential: string) =>
  ask(`${app.url}/api/session`, from, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ credential }),
  });
const exported = (from: string, key: string) =>
  ask(`${app.url}/v1/traces`, from, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{}',
  });
const metrics = (from: string, token: string) =>
  ask(`${gateway.url}/metrics`, from, { headers: { authorization: `Bearer ${token}` } });
const call = (from: string, key: string) =>
  ask(`${gateway.url}/v1/chat/completions`, from, {
    method: 'POST',
    headers: { 'x-spandrel-key': key },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
  });

/** Statuses of wrong credentials of every kind, one after the other. */
async function guesses(from: string, count: number, guess: (from: string, key: string) => ReturnType<typeof ask>) {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await guess(from, i % 2 ? newApiKey() : `guess-${i}`)).status);
  return statuses;
}

describe('wrong credentials', () => {
  it('are 429 when there were too many from an address, and leave valid ones of it alone', async () => {
    expect(await guesses('203.0.113.1', MAX, list)).toEqual(Array(MAX).fill(401));
    const refused = await list('203.0.113.1', 'guess');
    expect(refused).toMatchObject({ status: 429, authenticate: null });
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'too_many_wrong_credentials' });
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(refused.retryAfter).toBeLessThanOrEqual(60);
    expect((await list('203.0.113.1', tenant.key)).status).toBe(200);
    expect((await list('203.0.113.2', 'guess')).status).toBe(401);
    // An address of somebody who writes more before that of the proxy.
    expect((await list('198.51.100.1, 203.0.113.1', 'guess')).status).toBe(429);
  });

  it('are counted together, whichever door they try', async () => {
    await guesses('203.0.113.3', MAX / 2, signIn);
    await guesses('203.0.113.3', MAX / 2, exported);
    expect((await signIn('203.0.113.3', 'guess')).status).toBe(429);
    expect((await exported('203.0.113.3', 'guess')).status).toBe(429);
    expect((await signIn('203.0.113.3', tenant.key)).status).toBe(201);
    expect((await exported('203.0.113.3', tenant.key)).status).toBe(200);
  });

  it('are valid ones too, at the address of a project that they are not of', async () => {
    const other = await app.createTenant();
    await app.api.post(`/api/orgs/${tenant.org.id}/members`, {
      email: 'a@people.example',
      role: 'viewer',
      project_id: null,
    });
    const person = await signInAs(app, 'a@people.example');
    const shown: Record<string, string>[] = [{ authorization: `Bearer ${tenant.key}` }, person];
    for (const [n, headers] of shown.entries()) {
      const from = `203.0.113.${20 + n}`;
      const asked = (project: string) => ask(`${app.url}/p/${project}/api/traces`, from, { headers });
      for (let i = 0; i < MAX; i++) expect((await asked(i % 2 ? other.project.id : `guess-${i}`)).status).toBe(404);
      expect(await asked('guess')).toMatchObject({ status: 429, retryAfter: expect.any(Number) });
      expect((await asked(tenant.project.id)).status).toBe(200);
    }
  });

  it('are neither missing ones nor those that have ended', async () => {
    const { key } = await tenant.createKey(['read'], new Date(Date.now() - 1).toISOString());
    for (let i = 0; i <= MAX; i++) expect((await list('203.0.113.4', key)).status).toBe(401);
    for (let i = 0; i <= MAX; i++) expect((await ask(`${app.url}/api/traces`, '203.0.113.4')).status).toBe(401);
    expect((await list('203.0.113.4', 'guess')).status).toBe(401);
  });

  it('are counted by the gateway too, whose own address the server counts', async () => {
    expect(await guesses('203.0.113.5', MAX, call)).toEqual(Array(MAX).fill(401));
    const refused = await call('203.0.113.5', newApiKey());
    expect([refused.status, refused.retryAfter > 0, JSON.parse(refused.text).error.message]).toEqual([
      429,
      true,
      `more than ${MAX} wrong credentials came from this address within a minute`,
    ]);
    expect((await call('203.0.113.5', tenant.key)).status).toBe(200);
    expect(await guesses('203.0.113.6', MAX, call)).toEqual(Array(MAX).fill(401));
    expect((await call('203.0.113.7', newApiKey())).status).toBe(401);
    const { key } = await tenant.createKey(['ingest']);
    expect((await call('203.0.113.7', key)).status).toBe(200);
  });

  it('are counted by the metrics of the gateway', async () => {
    for (let i = 0; i <= MAX; i++) expect((await ask(`${gateway.url}/metrics`, '203.0.113.8')).status).toBe(401);
    expect(await guesses('203.0.113.8', MAX, metrics)).toEqual(Array(MAX).fill(401));
    expect(await metrics('203.0.113.8', 'guess')).toMatchObject({ status: 429, authenticate: null });
    expect((await metrics('203.0.113.8', METRICS_TOKEN)).status).toBe(200);
  });
});
