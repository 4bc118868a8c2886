import { setTimeout as pause } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CredentialResource, KeyResource } from '@spandrel/contract';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { type Tenant } from '../support/tenant.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { anyRows } from '../support/any-rows.ts';

const JWT_SECRET = 'a secret of the tests that is long enough';
/** Time within which a revoked key is refused everywhere (docs/spec/access.md#how-fast-a-change-of-access-counts). */
const REVOKED_MS_MAX = 1_000;

let postgres: TestPostgres;
let first: CloudApp;
let second: CloudApp;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  postgres = await startPostgres();
  const url = await createMigrated(postgres, 'keys');
  const env = { SPANDREL_JWT_SECRET: JWT_SECRET };
  first = await cloudApp(url, { env });
  second = await cloudApp(url, { env });
  [tenant, other] = await Promise.all([first.createTenant(), first.createTenant()]);
});

afterAll(async () => {
  await Promise.all([first?.close(), second?.close()]);
  await postgres?.stop();
});

const jwt = (claims: Record<string, unknown>, lifeSeconds = 60): Promise<string> =>
  new SignJWT({ sub: 'user-1', org: tenant.org.id, project: tenant.project.id, scopes: ['read'], ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(Math.floor(Date.now() / 1_000) + lifeSeconds)
    .sign(Buffer.from(JWT_SECRET));

/** Whether an instance takes a credential. */
const status = async (app: CloudApp, credential: string): Promise<number> =>
  (await app.anonymous.as(credential).get('/api/credential')).status;

/** Opens an event stream. @returns `ended` once it ended: never, unless the server ends it. */
async function listen(app: CloudApp, credential: string): Promise<{ ended: Promise<string>; cancel: () => void }> {
  const abort = new AbortController();
  const response = await fetch(`${app.url}/api/events?token=${credential}`, { signal: abort.signal });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  const drained = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  return {
    ended: drained()
      .catch(() => undefined)
      .then(() => 'ended'),
    cancel: () => abort.abort(),
  };
}

describe('an API key', () => {
  it('is shown once, and its digest alone is kept', async () => {
    const made = await tenant.createKey(['ingest', 'read', 'read']);
    const { key, ...shown } = made;
    expect(shown).toMatchObject({
      prefix: key.slice(0, 13),
      scopes: ['read', 'ingest'],
      org_id: tenant.org.id,
      project_id: tenant.project.id,
      expires_at: null,
    });
    const { body } = await tenant.api.get<{ keys: KeyResource[] }>('/api/keys');
    expect(body.keys[0]).toEqual(shown);
    const rows = await first.storage.read(
      anyRows<{ row: string }>()`select k::text as row from api_key k union all select a::text from audit_log a`,
    );
    expect(rows.length).toBeGreaterThan(6);
    for (const { row } of rows) expect(row).not.toContain(key.slice(13));
  });

  it('says what it is, and so do the other credentials', async () => {
    const scope = { org_id: tenant.org.id, project_id: tenant.project.id };
    const reported = async (credential: string) =>
      (await first.anonymous.as(credential).get<CredentialResource>('/api/credential')).body;
    expect(await reported(tenant.key)).toEqual({
      kind: 'api_key',
      id: tenant.keyId,
      ...scope,
      scopes: ['read', 'write', 'ingest', 'admin'],
      expires_at: null,
    });
    expect(await reported(await jwt({ scopes: 'read nothing' }))).toEqual({
      kind: 'jwt',
      id: 'user-1',
      ...scope,
      scopes: ['read'],
      expires_at: expect.stringMatching(/Z$/),
    });
    expect((await first.api.get<CredentialResource>('/api/credential')).body).toEqual({
      kind: 'admin_token',
      id: 'admin',
      org_id: null,
      project_id: null,
      scopes: [],
      expires_at: null,
    });
  });

  it('that was deleted is refused within a second by every instance, and its event streams end', async () => {
    const { id, key } = await tenant.createKey(['read']);
    const streams = [await listen(first, key), await listen(second, key)];
    const kept = await listen(second, tenant.key);
    expect([await status(first, key), await status(second, key)]).toEqual([200, 200]);
    // The worst case: the second server has only just remembered the key.
    await status(second, key);
    expect((await tenant.api.delete(`/api/keys/${id}`)).body).toEqual({ id, deleted: true });
    await pause(REVOKED_MS_MAX);
    expect([await status(first, key), await status(second, key)]).toEqual([401, 401]);
    await Promise.all(streams.map(({ ended }) => ended));
    expect(await Promise.race([kept.ended, Promise.resolve('open')])).toBe('open');
    kept.cancel();
    expect((await tenant.api.delete(`/api/keys/${id}`)).body).toMatchObject({ code: 'key_not_found' });
  });

  it('ends when it is to, and so do its event streams', async () => {
    const open = async (lifeSeconds: number) => {
      const endsAt = (Math.floor(Date.now() / 1_000) + lifeSeconds) * 1_000;
      try {
        const { key } = await tenant.createKey(['read'], new Date(endsAt).toISOString());
        const credentials = [key, await jwt({}, lifeSeconds)];
        const streams = await Promise.all(credentials.map((each) => listen(first, each)));
        expect(await Promise.all(credentials.map((each) => status(first, each)))).toEqual([200, 200]);
        return { endsAt, credentials, streams };
      } catch (error) {
        if (Date.now() < endsAt) throw error;
        return undefined;
      }
    };
    let opened: Awaited<ReturnType<typeof open>>;
    // Twice as long where they ended before they were asked for.
    for (let seconds = 2; !opened; seconds *= 2) opened = await open(seconds);
    const { endsAt, credentials, streams } = opened;
    await Promise.all(streams.map(({ ended }) => ended));
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    for (const credential of credentials) {
      const { body } = await first.anonymous.as(credential).get('/api/credential');
      expect(body).toMatchObject({ code: 'unauthenticated', detail: 'the credential has expired' });
    }
  });

  it('counts as ?token= for the event stream alone', async () => {
    expect((await fetch(`${first.url}/api/traces?token=${tenant.key}`)).status).toBe(401);
    expect((await fetch(`${first.url}/api/credential?token=${tenant.key}`)).status).toBe(401);
    const bad = await fetch(`${first.url}/api/events?token=${tenant.key}`, { headers: { authorization: 'Bearer x' } });
    expect(bad.status).toBe(401);
    expect(bad.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('is made for a project of the own organization alone', async () => {
    const key = { name: 'ci', scopes: ['read'] };
    const own = await tenant.api.post<KeyResource>('/api/keys', key);
    expect(own.body).toMatchObject({ project_id: tenant.project.id });
    const theirs = await tenant.api.post('/api/keys', { ...key, project_id: other.project.id });
    expect([theirs.status, theirs.body.code]).toEqual([404, 'project_not_found']);
    const nobodys = await first.api.post('/api/keys', key);
    expect(nobodys.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: 'project_id', message: expect.any(String) }],
    });
    for (const scopes of [[], ['everything'], 'read', null]) {
      expect((await tenant.api.post('/api/keys', { ...key, scopes })).status).toBe(400);
    }
  });
});

describe('a JWT', () => {
  it.each([
    ['a project of another organization', async () => ({ project: other.project.id })],
    ['another organization', async () => ({ org: other.org.id })],
    ['an organization that there is not', async () => ({ org: 'nobody' })],
    ['a project that there is not', async () => ({ project: 'nothing' })],
  ])('that names %s is refused', async (_what, claims) => {
    expect(await status(first, await jwt(await claims()))).toBe(401);
  });

  it('sees the project that it names', async () => {
    const api = first.anonymous.as(
      await jwt({ org: other.org.id, project: other.project.id, scopes: ['read', 'write'] }),
    );
    expect((await api.post('/api/traces', { id: 'by-jwt' })).status).toBe(201);
    expect((await other.api.get('/api/traces/by-jwt')).status).toBe(200);
    expect((await tenant.api.get('/api/traces/by-jwt')).status).toBe(404);
  });
});
