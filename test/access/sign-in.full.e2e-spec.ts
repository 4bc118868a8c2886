/** Sessions of browsers (docs/spec/sign-in.md), at two servers on one database. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEntry, BrowserSessionResource, Deleted } from '@spandrel/contract';
import { SignJWT } from 'jose';
import { sql } from '@spandrel/storage';
import { newApiKey } from '../../libs/access/src/credentials/api-keys.ts';
import { DeleteEndedSessions } from '../../libs/access/src/browser-sessions/sign-in.ts';
import { anyRows } from '../support/any-rows.ts';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServerApp } from '../support/server-app.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { ADMIN_TOKEN, type Tenant } from '../support/tenant.ts';

const JWT_SECRET = 'a secret of the tests that is long enough';
const COOKIE = '__Host-spandrel';
const HOUR_MS = 3_600_000;
const OWN = { 'sec-fetch-site': 'same-origin' };

let postgres: TestPostgres;
let first: CloudApp;
let second: CloudApp;
let tenant: Tenant;

beforeAll(async () => {
  postgres = await startPostgres();
  const url = await createMigrated(postgres, 'sign_in');
  const env = { SPANDREL_JWT_SECRET: JWT_SECRET, SPANDREL_DASHBOARD_ORIGIN: 'https://spandrel.example' };
  [first, second] = await Promise.all([cloudApp(url, { env }), cloudApp(url, { env })]);
  tenant = await first.createTenant({ name: 'Ours' });
});

afterAll(async () => {
  await Promise.all([first?.close(), second?.close()]);
  await postgres?.stop();
});

/** A browser that is signed in. */
interface Browser {
  setCookie: string;
  cookie: string;
  session: BrowserSessionResource;
}

async function signIn(credential: string, headers: Record<string, string> = {}): Promise<Browser> {
  const answer = await first.anonymous.send<BrowserSessionResource>('POST', '/api/session', { credential }, headers);
  expect(answer.status).toBe(201);
  const setCookie = answer.headers.get('set-cookie')!;
  return { setCookie, cookie: setCookie.split(';')[0]!, session: answer.body };
}

const reported = async (app: CloudApp, headers: Record<string, string>) =>
  (await app.anonymous.send<BrowserSessionResource>('GET', '/api/session', undefined, headers)).body;

/** The status of a request without a credential but these headers. */
const statusOf = async (headers: Record<string, string>, method = 'GET', path = '/api/traces', app = first) =>
  (await app.anonymous.send(method, path, method === 'POST' ? {} : undefined, headers)).status;

const jwt = (lifeSeconds: number): Promise<string> =>
  new SignJWT({ sub: 'user-1', org: tenant.org.id, project: tenant.project.id, scopes: ['read'] })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(Math.floor(Date.now() / 1_000) + lifeSeconds)
    .sign(Buffer.from(JWT_SECRET));

/** Waits for the end of an event stream that a cookie opens at once. */
async function listen(app: CloudApp, cookie: string): Promise<{ ended: Promise<void> }> {
  const response = await fetch(`${app.url}/api/events`, { headers: { cookie } });
  expect(response.status).toBe(200);
  const drain = async (): Promise<void> => void (await response.text());
  return { ended: drain().catch(() => undefined) };
}

const actionsOf = async (api: Api): Promise<AuditEntry[]> =>
  (await api.get<{ entries: AuditEntry[] }>('/api/audit-log')).body.entries.filter(({ action }) =>
    action.startsWith('session.'),
  );

describe('signing in', () => {
  it('gives a cookie that no script reads, and nothing from which the key can be had', async () => {
    const { setCookie, cookie, session } = await signIn(` ${tenant.key}\n`);
    expect(cookie).toMatch(new RegExp(`^${COOKIE}=[\\w-]{43}$`));
    expect(setCookie.split('; ').slice(1).toSorted()).toEqual(
      ['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Strict', 'Secure'].toSorted(),
    );
    expect(session).toEqual({
      mode: 'cloud',
      signed_in: true,
      kind: 'api_key',
      id: tenant.keyId,
      org: { id: tenant.org.id, name: 'Ours' },
      project: { id: tenant.project.id, name: 'Ours' },
      scopes: ['read', 'write', 'ingest', 'admin'],
      expires_at: expect.any(String),
      ...{ person: null, role: null, identity_provider: null },
    });
    expect(await reported(second, { cookie })).toEqual(session);
    expect(await reported(first, { authorization: `Bearer ${tenant.key}` })).toEqual({ ...session, expires_at: null });
    const rows = await first.storage.read(
      anyRows<{
        row: string;
      }>()`select s::text as row from browser_session s union all select a::text from audit_log a`,
    );
    for (const { row } of rows) {
      expect(row).not.toContain(cookie.split('=')[1]);
      expect(row).not.toContain(tenant.key.slice(13));
    }
  });

  it('is refused to what is no credential, and to the operator', async () => {
    const ended = await tenant.createKey(['read'], '2020-01-01T00:00:00Z');
    for (const credential of ['', 'nonsense', newApiKey(), `${tenant.key}x`, 'x'.repeat(20_000), ended.key]) {
      const { status, headers, body } = await first.anonymous.send('POST', '/api/session', { credential });
      expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'unauthenticated', 'Bearer']);
      expect(headers.get('set-cookie')).toBeNull();
    }
    const operator = await first.anonymous.send('POST', '/api/session', { credential: ADMIN_TOKEN });
    expect([operator.status, operator.body.code]).toEqual([403, 'insufficient_scope']);
    expect((await first.anonymous.send('POST', '/api/session', { credential: 7 })).status).toBe(400);
  });

  it('lasts no longer than the credential', async () => {
    const { session, cookie } = await signIn(await jwt(2));
    expect(session).toMatchObject({ kind: 'jwt', id: 'user-1', scopes: ['read'] });
    const { ended } = await listen(first, cookie);
    await ended;
    expect(await statusOf({ cookie })).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(session.expires_at!));
  });

  it('replaces the session that the browser had', async () => {
    const old = await signIn(tenant.key);
    const { cookie } = await signIn(tenant.key, { cookie: old.cookie, ...OWN });
    await until(async () => (await statusOf({ cookie: old.cookie })) === 401);
    expect(await statusOf({ cookie })).toBe(200);
  });
});

describe('a session', () => {
  it('may do what its credential may, and reaches nothing of others', async () => {
    const reader = await tenant.createKey(['read']);
    const { cookie } = await signIn(reader.key);
    expect(await statusOf({ cookie })).toBe(200);
    expect(await statusOf({ cookie, ...OWN }, 'POST')).toBe(403);
    expect(await statusOf({ cookie }, 'GET', '/api/keys')).toBe(403);
    const theirs = await first.createTenant();
    await theirs.api.post('/api/traces', { id: 'of-theirs', name: 'theirs' });
    expect(await statusOf({ cookie }, 'GET', '/api/traces/of-theirs')).toBe(404);
    const list = await first.anonymous.send<{ count: number }>('GET', '/api/traces', undefined, { cookie });
    expect(list.body.count).toBe(0);
    expect(list.headers.get('cache-control')).toBe('no-store');
  });

  it('counts behind a header and behind ?token=, good or bad', async () => {
    const { cookie } = await signIn(tenant.key);
    for (const authorization of ['Bearer nonsense', 'Basic eDp5', 'nonsense', `Bearer ${newApiKey()}`]) {
      for (const path of ['/api/traces', '/api/session', '/api/nothing']) {
        expect([path, await statusOf({ cookie, authorization }, 'GET', path)]).toEqual([path, 401]);
      }
    }
    expect(await statusOf({ cookie }, 'GET', '/api/events?token=nonsense')).toBe(401);
    const other = await first.createTenant({ name: 'Other' });
    const who = await reported(first, { cookie, authorization: `Bearer ${other.key}` });
    expect(who.org).toEqual({ id: other.org.id, name: 'Other' });
    expect(await statusOf({ cookie }, 'POST', '/v1/traces')).toBe(401);
  });

  it('is nothing that could be sent as a credential', async () => {
    const { cookie } = await signIn(tenant.key);
    const token = cookie.split('=')[1]!;
    expect(await statusOf({ authorization: `Bearer ${token}` })).toBe(401);
    expect(await statusOf({}, 'GET', `/api/events?token=${token}`)).toBe(401);
    expect(await statusOf({ cookie: `spandrel=${token}` })).toBe(401);
    expect(await statusOf({ cookie: `${COOKIE}=${tenant.key}` })).toBe(401);
    for (const value of ['', 'x', 'x'.repeat(43), 'x'.repeat(9_000), `${token}x`]) {
      expect(await reported(first, { cookie: `a=b; ${COOKIE}=${value}` })).toMatchObject({
        signed_in: false,
        kind: null,
      });
    }
  });

  it.each<[string, Record<string, string>, number]>([
    ['an own page', OWN, 201],
    ['an own page of a browser that says its Origin', { origin: 'THIS' }, 201],
    ['the address of the settings', { origin: 'https://spandrel.example' }, 201],
    ['nobody knows where', {}, 403],
    ['elsewhere', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a neighbour', { 'sec-fetch-site': 'same-site', origin: 'THIS' }, 403],
    ['the address bar', { 'sec-fetch-site': 'none' }, 403],
    ['another origin', { origin: 'https://elsewhere.example' }, 403],
    ['the address of the settings with another scheme', { origin: 'http://spandrel.example' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
  ])('changes things from %s as it may', async (_from, headers, expected) => {
    const { cookie } = await signIn(tenant.key);
    const sent = { cookie, ...headers, ...(headers['origin'] === 'THIS' && { origin: first.url }) };
    const { status, body } = await first.anonymous.send('POST', '/api/traces', { name: 'x' }, sent);
    expect([status, expected === 403 ? body.code : null]).toEqual([
      expected,
      expected === 403 ? 'host_not_allowed' : null,
    ]);
    if (expected === 403) expect(await statusOf(sent, 'DELETE', '/api/traces')).toBe(403);
    if (expected === 403) expect(await statusOf(sent, 'DELETE', '/api/session')).toBe(403);
  });

  it('gives no rights to requests from other sites', async () => {
    const { cookie } = await signIn(tenant.key);
    expect(await statusOf({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(401);
    expect(await reported(first, { cookie, 'sec-fetch-site': 'cross-site' })).toMatchObject({ signed_in: false });
    const from = { 'sec-fetch-site': 'cross-site' };
    const planted = await first.anonymous.send('POST', '/api/session', { credential: tenant.key }, from);
    expect([planted.status, planted.body.code]).toEqual([403, 'host_not_allowed']);
  });

  it('ends with its key everywhere within a second, streams too', async () => {
    const { id, key } = await tenant.createKey(['read']);
    const { cookie } = await signIn(key);
    const kept = await signIn(tenant.key);
    const streams = [await listen(first, cookie), await listen(second, cookie)];
    await tenant.api.delete(`/api/keys/${id}`);
    await Promise.all(streams.map(({ ended }) => ended));
    for (const app of [first, second]) {
      expect(await statusOf({ cookie }, 'GET', '/api/traces', app)).toBe(401);
      expect(await reported(app, { cookie })).toMatchObject({ signed_in: false, org: null, scopes: [] });
      expect(await statusOf({ cookie: kept.cookie }, 'GET', '/api/traces', app)).toBe(200);
    }
  });

  it('ends by signing out, and no other does', async () => {
    const [gone, kept] = [await signIn(tenant.key), await signIn(tenant.key)];
    const stream = await listen(second, gone.cookie);
    const out = await first.anonymous.send<Deleted>('DELETE', '/api/session', undefined, {
      cookie: gone.cookie,
      ...OWN,
    });
    expect([out.status, out.body]).toEqual([200, { id: expect.any(String), deleted: true, continue_at: null }]);
    expect(out.headers.get('set-cookie')).toBe(`${COOKIE}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict`);
    await stream.ended;
    await until(async () => (await statusOf({ cookie: gone.cookie })) === 401);
    expect(await statusOf({ cookie: kept.cookie })).toBe(200);
    const without = await tenant.api.delete('/api/session');
    expect([without.status, without.body.code]).toEqual([404, 'session_not_found']);
    expect(await statusOf({}, 'DELETE', '/api/session')).toBe(401);
    const [deleted] = await actionsOf(tenant.api);
    expect(deleted).toMatchObject({
      ...{ action: 'session.deleted', actor: `key:${tenant.keyId}`, target_id: out.body.id },
      details: { project_id: tenant.project.id },
    });
    expect((await actionsOf(tenant.api)).filter(({ target_id }) => target_id === out.body.id)).toHaveLength(2);
  });

  it('ends twelve hours after its last request; requests keep it, its stream does not', async () => {
    const [used, unused] = [await signIn(tenant.key), await signIn(tenant.key)];
    const ago = (ms: number) =>
      first.storage.write((tx) => tx.run(sql`update browser_session set used_at = ${Date.now() - ms}`));
    const usedLately = async (): Promise<number> => {
      const [row] = await first.storage.read(
        anyRows<{
          count: number;
        }>()`select count(*)::int as count from browser_session where used_at > ${Date.now() - HOUR_MS}`,
      );
      return row!.count;
    };
    await ago(2 * HOUR_MS);
    const { ended } = await listen(second, unused.cookie);
    // No request waits until its use has been noted: that of the stream is to be the earlier one.
    await until(async () => (await usedLately()) === 1);
    await ago(12 * HOUR_MS - 60_000);
    await until(async () => {
      expect(await statusOf({ cookie: used.cookie }, 'GET', '/api/traces', second)).toBe(200);
      return (await usedLately()) === 1;
    });
    await first.storage.write((tx) => tx.run(sql`update browser_session set used_at = used_at - ${120_000}`));
    await ended;
    await until(async () => (await statusOf({ cookie: unused.cookie })) === 401);
    expect(await statusOf({ cookie: used.cookie })).toBe(200);
  });

  it('leaves no row behind once it has ended', async () => {
    const { id, key } = await tenant.createKey(['read']);
    await signIn(key);
    const { cookie } = await signIn(tenant.key);
    await tenant.api.delete(`/api/keys/${id}`);
    await first.app.get(DeleteEndedSessions).execute(Date.now());
    const keys = await first.storage.read(anyRows<{ key: string }>()`select key_id as key from browser_session`);
    expect(new Set(keys.map((row) => row.key))).toEqual(new Set([tenant.keyId]));
    expect(await statusOf({ cookie })).toBe(200);
    await first.app.get(DeleteEndedSessions).execute(Date.now() + 7 * 24 * HOUR_MS);
    expect(await first.storage.read(anyRows()`select id from browser_session`)).toEqual([]);
  });
});

describe('over plain http', () => {
  it('the cookie has neither prefix nor Secure where the settings say so', async () => {
    const app = await cloudApp(await createMigrated(postgres, 'plain'), { env: { SPANDREL_INSECURE_COOKIE: 'true' } });
    try {
      const { key } = await app.createTenant();
      const { headers } = await app.anonymous.send('POST', '/api/session', { credential: key });
      const setCookie = headers.get('set-cookie')!;
      expect(setCookie).toMatch(/^spandrel=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/);
      const cookie = setCookie.split(';')[0]!;
      expect(await statusOf({ cookie }, 'GET', '/api/traces', app)).toBe(200);
    } finally {
      await app.close();
    }
  });
});

describe('local mode', () => {
  it('has nobody to sign in', async () => {
    const { api, close } = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
    try {
      const { status, body } = await api.get('/api/session');
      const nobody = { signed_in: false, kind: null, id: null, org: null, project: null, scopes: [], expires_at: null };
      const noPerson = { person: null, role: null, identity_provider: null };
      expect([status, body]).toEqual([200, { mode: 'local', ...nobody, ...noPerson }]);
      const refused = [await api.post('/api/session', { credential: 'x' }), await api.delete('/api/session')];
      expect(refused.map((answer) => answer.body.code)).toEqual(['method_not_allowed', 'method_not_allowed']);
    } finally {
      await close();
    }
  });
});
