/** Keys of people end with their makers (docs/spec/access.md#keys-of-people), with a real identity provider on loopback. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessSettings } from '@spandrel/access';
import type {
  AuditEntry,
  CreateKey,
  CredentialResource,
  KeyCreated,
  KeyResource,
  MemberResource,
  Role,
} from '@spandrel/contract';
import { NoteUse } from '../../libs/access/src/credentials/note-use.js';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { OIDC_CLIENT, startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { ProviderBrowser } from '../support/provider-browser.ts';
import { until } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';

const ORIGIN = 'https://spandrel.example';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let postgres: TestPostgres;
let provider: TestIdentityProvider;
let app: CloudApp;
let second: CloudApp;
let tenant: Tenant;

beforeAll(async () => {
  postgres = await startPostgres();
  const url = await createMigrated(postgres, 'leavers');
  provider = await startIdentityProvider([ORIGIN]);
  const options = {
    env: {
      SPANDREL_DASHBOARD_ORIGIN: ORIGIN,
      SPANDREL_OIDC_ISSUER: provider.issuer,
      SPANDREL_OIDC_CLIENT_ID: OIDC_CLIENT.id,
      SPANDREL_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
    },
  };
  app = await cloudApp(url, options);
  second = await cloudApp(url, options);
  tenant = await app.createTenant({ name: 'Ours' });
});
afterAll(async () => {
  Date.now = realNow;
  await Promise.all([app?.close(), second?.close()]);
  await provider?.close();
  await postgres?.stop();
});

const realNow = Date.now;
let passed = 0;
/** So much time passes at once, for the servers and the provider alike. */
const pass = (ms: number): void => {
  passed += ms;
  Date.now = () => realNow() + passed;
};

/** Somebody with a role who is signed in. */
interface Somebody {
  login: string;
  browser: ProviderBrowser;
  member: MemberResource;
  headers: Record<string, string>;
}

const membersPath = (): string => `/api/orgs/${tenant.org.id}/members`;

async function signIn(login: string): Promise<Pick<Somebody, 'browser' | 'headers'>> {
  const browser = new ProviderBrowser(app.url, ORIGIN);
  await browser.signIn(login);
  return { browser, headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' } };
}

async function join(login: string, role: Role = 'owner'): Promise<Somebody> {
  const email = `${login}@people.example`;
  const person = { name: `The ${login}`, email, email_verified: true, groups: [] };
  provider.people.set(login, person);
  const { body: member } = await app.api.post<MemberResource>(membersPath(), { email, role });
  return { login, member, ...(await signIn(login)) };
}

const makeKey = async ({ headers }: Pick<Somebody, 'headers'>, of: Partial<CreateKey> = {}): Promise<KeyCreated> => {
  const body = { name: 'mine', scopes: ['read', 'write', 'admin'], ...of };
  const { status, body: made } = await app.anonymous.send<KeyCreated>('POST', '/api/keys', body, headers);
  expect(status).toBe(201);
  return made;
};

const status = async (key: string, at = app): Promise<number> => (await at.anonymous.as(key).get('/api/traces')).status;
const browserStatus = async ({ browser }: Somebody): Promise<number> =>
  (await app.anonymous.send('GET', '/api/traces', undefined, { cookie: browser.cookie })).status;
const shown = async (id: string): Promise<KeyResource> => {
  const { body } = await app.api.get<{ keys: KeyResource[] }>('/api/keys?limit=500');
  return body.keys.find((key) => key.id === id)!;
};
const actsOn = async (id: string): Promise<AuditEntry[]> =>
  (await app.api.get<{ entries: AuditEntry[] }>(`/api/audit-log?target=${id}`)).body.entries;
const remove = ({ member }: Somebody) => app.api.delete(`${membersPath()}/${member.id}`);

describe('a key that a person made', () => {
  it('shows who made it, and whether it goes on without them', async () => {
    const ada = await join('ada');
    const made = await makeKey(ada);
    const person = `person:${(await memberOf(ada)).person!.id}`;
    const { key: _, ...listed } = made;
    expect(listed).toMatchObject({
      ...{ state: 'active', service_account: false, maker: { id: person, name: 'The ada' }, last_used_at: null },
    });
    expect(await shown(made.id)).toEqual(listed);
    const [created] = await actsOn(made.id);
    expect(created).toMatchObject({ action: 'key.created', actor: person, details: { service_account: false } });
    expect(await shown(tenant.keyId)).toMatchObject({ service_account: true, maker: { id: 'admin', name: null } });
  });

  it('is refused at once where their membership was ended, everywhere within a second, and so are its sessions', async () => {
    const leaver = await join('leaver');
    const { id, key } = await makeKey(leaver);
    const page = { 'sec-fetch-site': 'same-origin' };
    const { headers } = await app.anonymous.send('POST', '/api/session', { credential: key }, page);
    const session = { cookie: headers.get('set-cookie')!.split(';')[0]! };
    const sessionStatus = async () => (await app.anonymous.send('GET', '/api/traces', undefined, session)).status;
    expect([await status(key), await status(key, second), await sessionStatus()]).toEqual([200, 200, 200]);
    expect((await remove(leaver)).status).toBe(200);
    expect([await status(key), await sessionStatus()]).toEqual([401, 401]);
    await until(async () => (await status(key, second)) === 401);
    expect(await shown(id)).toMatchObject({ state: 'suspended' });
    const [suspended] = await actsOn(id);
    expect(suspended).toMatchObject({ action: 'key.suspended', actor: 'admin', details: { reason: 'no_role' } });
  });

  it('is refused once their person was removed at the provider and a browser of theirs had them asked about', async () => {
    const gone = await join('gone');
    const { id, key } = await makeKey(gone);
    expect(await status(key)).toBe(200);
    provider.people.delete('gone');
    pass(250_000);
    await until(async () => (await browserStatus(gone)) === 401);
    expect(await status(key)).toBe(401);
    expect(await shown(id)).toMatchObject({ state: 'suspended' });
    const [suspended] = await actsOn(id);
    expect(suspended).toMatchObject({
      ...{ action: 'key.suspended', actor: `person:${(await memberOf(gone)).person!.id}` },
      details: { reason: 'not_confirmed' },
    });
    expect(await memberOf(gone)).toMatchObject({ provider_status: 'removed', provider_asked_at: expect.any(String) });
  });

  it('has them asked about by itself when their browser is closed, and when it was signed out', async () => {
    for (const login of ['closed', 'signed-out']) {
      const leaver = await join(login);
      const { key } = await makeKey(leaver);
      if (login === 'signed-out') await app.anonymous.send('DELETE', '/api/session', undefined, leaver.headers);
      // It goes on while the provider confirms them, however long their browser is away.
      // The session has ended by then, for want of use.
      for (let times = 0; times < 3; times++) {
        pass(HOUR_MS * 5);
        const since = Date.now();
        await until(async () => {
          expect(await status(key)).toBe(200);
          return askedAt(await memberOf(leaver)) >= since;
        });
        expect((await memberOf(leaver)).provider_status).toBe('active');
      }
      provider.people.delete(login);
      pass(250_000);
      await until(async () => (await status(key)) === 401);
      expect(await status(key, second)).toBe(401);
    }
  });

  it('goes on while the provider does not answer', async () => {
    const patient = await join('patient');
    const { key } = await makeKey(patient);
    provider.isDown = true;
    try {
      pass(DAY_MS);
      await until(async () => (await status(key)) === 200);
    } finally {
      provider.isDown = false;
    }
  });

  it('is valid again once its maker is confirmed again', async () => {
    const back = await join('back');
    const { id, key } = await makeKey(back);
    const person = provider.people.get('back')!;
    provider.people.delete('back');
    pass(250_000);
    await until(async () => (await status(key)) === 401);
    provider.people.set('back', person);
    await signIn('back');
    expect(await status(key)).toBe(200);
    expect((await actsOn(id)).map(({ action }) => action)).toEqual(['key.resumed', 'key.suspended', 'key.created']);
  });

  it('may no more than its maker may now', async () => {
    const lowered = await join('lowered');
    const { id, key } = await makeKey(lowered);
    await app.api.patch(`${membersPath()}/${lowered.member.id}`, { role: 'viewer' });
    const { body } = await app.anonymous.as(key).get<CredentialResource>('/api/credential');
    expect(body.scopes).toEqual(['read']);
    expect((await app.anonymous.as(key).get('/api/keys')).status).toBe(403);
    expect((await app.anonymous.as(key).post('/api/traces', {})).status).toBe(403);
    expect(await shown(id)).toMatchObject({ state: 'active', scopes: ['read', 'write', 'admin'] });
  });

  it('passes its maker on to keys that it makes', async () => {
    const planner = await join('planner');
    const { key } = await makeKey(planner);
    const { body: made } = await app.anonymous
      .as(key)
      .post<KeyCreated>('/api/keys', { name: 'for later', scopes: ['read'] });
    expect([made.service_account, await status(made.key)]).toEqual([false, 200]);
    await remove(planner);
    expect([await status(key), await status(made.key)]).toEqual([401, 401]);
  });

  it('is refused when nobody has confirmed its maker for three months', async () => {
    const silent = await join('silent');
    const { id, key } = await makeKey(silent, { scopes: ['read'] });
    provider.isDown = true;
    try {
      pass(90 * DAY_MS);
      await until(async () => (await status(key)) === 401);
      expect(await shown(id)).toMatchObject({ state: 'suspended' });
      expect(await memberOf(silent)).toMatchObject({ provider_status: 'unknown' });
    } finally {
      provider.isDown = false;
    }
  });
});

describe('a key of a service account', () => {
  it('goes on without its maker, who is in the list still', async () => {
    const maker = await join('maker');
    const { id, key } = await makeKey(maker, { service_account: true });
    await remove(maker);
    expect(await status(key)).toBe(200);
    expect(await shown(id)).toMatchObject({ service_account: true, state: 'active', maker: { name: 'The maker' } });
  });

  it('is made of another one on purpose, by who has its scopes', async () => {
    const maker = await join('maker-2');
    const { id, key } = await makeKey(maker);
    const weak = await tenant.createKey(['admin']);
    const path = `/api/keys/${id}`;
    const refused = await app.anonymous.as(weak.key).patch(path, { service_account: true });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    const other = await app.createTenant();
    expect((await other.api.patch(path, { service_account: true })).status).toBe(404);
    const changed = await app.anonymous.send<KeyResource>('PATCH', path, { service_account: true }, maker.headers);
    expect(changed.body).toMatchObject({ service_account: true, state: 'active' });
    await remove(maker);
    expect(await status(key)).toBe(200);
    expect((await actsOn(id))[0]).toMatchObject({
      ...{ action: 'key.updated', details: { service_account: { from: false, to: true } } },
    });
  });

  it('is what every key is that no person stands behind', async () => {
    const refused = await app.api.post('/api/keys', {
      ...{ name: 'nobody', scopes: ['read'], project_id: tenant.project.id, service_account: false },
    });
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_failed']);
    const { body } = await tenant.api.post<KeyCreated>('/api/keys', { name: 'a second', scopes: ['read'] });
    expect(body).toMatchObject({ service_account: true, maker: { id: `key:${tenant.keyId}` } });
  });
});

describe('the settings of keys', () => {
  it('let keys go on without their makers', async () => {
    const settings = app.settings.of(AccessSettings);
    settings.keysEndWithMaker = false;
    try {
      const kept = await join('kept');
      const { key } = await makeKey(kept);
      await remove(kept);
      expect(await status(key)).toBe(200);
    } finally {
      settings.keysEndWithMaker = true;
    }
  });

  it('bound how long keys last, those made before too', async () => {
    const before = await tenant.createKey(['read']);
    const settings = app.settings.of(AccessSettings);
    settings.keyMaxAgeMs = 7 * DAY_MS;
    try {
      const now = Date.now();
      const made = await tenant.createKey(['read']);
      expect(Date.parse(made.expires_at!) - now).toBeLessThan(7 * DAY_MS + 60_000);
      const expires_at = new Date(now + 8 * DAY_MS).toISOString();
      const late = { name: 'late', scopes: ['read'], project_id: tenant.project.id, expires_at };
      const refused = await app.api.post('/api/keys', late);
      expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('7 days at most')]);
      pass(7 * DAY_MS);
      await until(async () => (await status(before.key)) === 401);
      expect(await shown(before.id)).toMatchObject({ state: 'expired' });
    } finally {
      settings.keyMaxAgeMs = null;
    }
  });
});

describe('the last use of a key', () => {
  it('is kept to the minute, in one write for all keys and requests of that minute', async () => {
    const used = await Promise.all(Array.from({ length: 5 }, () => tenant.createKey(['read'])));
    const unused = await tenant.createKey(['read']);
    const notes = [app, second].map((each) => each.app.get(NoteUse));
    const { storage } = app;
    const write = storage.write.bind(storage);
    await Promise.all(notes.map((note) => note.write()));
    for (const at of [app, second])
      for (let n = 0; n < 3; n++) await Promise.all(used.map(({ key }) => status(key, at)));
    let count = 0;
    storage.write = ((work) => (count++, write(work))) as typeof storage.write;
    try {
      await notes[0]!.write();
      await notes[0]!.write();
    } finally {
      storage.write = write;
    }
    await notes[1]!.write();
    // Two when a minute ended between the requests.
    expect(count).toBeLessThanOrEqual(2);
    for (const { id } of used) {
      const at = Date.parse((await shown(id)).last_used_at!);
      expect(at % 60_000).toBe(0);
      expect(Date.now() - at).toBeLessThan(180_000);
    }
    expect((await shown(unused.id)).last_used_at).toBeNull();
  });
});

const askedAt = ({ provider_asked_at: at }: MemberResource): number => Date.parse(at ?? '');
const memberOf = async ({ member }: Somebody): Promise<MemberResource> => {
  const { body } = await app.api.get<{ members: MemberResource[] }>(`${membersPath()}?limit=500`);
  return body.members.find(({ id }) => id === member.id)!;
};
