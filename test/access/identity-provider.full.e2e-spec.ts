/** Signing in with an identity provider (docs/spec/sign-in.md#an-identity-provider), a real one: `oidc-provider` on loopback. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OidcSettings } from '@spandrel/access';
import type { AuditEntry, BrowserSessionResource, MemberResource } from '@spandrel/contract';
import { loadSettings } from '@spandrel/kernel';
import { RecordRefusals } from '../../libs/audit/src/refusals/refusal-book.js';
import { anyRows } from '../support/any-rows.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import {
  OIDC_CLIENT,
  startIdentityProvider,
  type KnownPerson,
  type TestIdentityProvider,
} from '../support/identity-provider.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { ProviderBrowser } from '../support/provider-browser.ts';
import { tempDir, until } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';

const ORIGIN = 'https://spandrel.example';
const SESSION = '__Host-spandrel';

let postgres: TestPostgres;
let url: string;
let provider: TestIdentityProvider;
let app: CloudApp;
let tenant: Tenant;

const openApp = (issuer: string, settings: (oidc: OidcSettings) => void): Promise<CloudApp> =>
  cloudApp(url, {
    env: {
      SPANDREL_DASHBOARD_ORIGIN: ORIGIN,
      SPANDREL_OIDC_ISSUER: issuer,
      SPANDREL_OIDC_CLIENT_ID: OIDC_CLIENT.id,
      SPANDREL_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
    },
    settings: (all) => {
      const oidc = all.of(OidcSettings);
      oidc.scopes = 'openid profile email groups';
      settings(oidc);
    },
  });

beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'identity_provider');
  provider = await startIdentityProvider([ORIGIN]);
  app = await openApp(provider.issuer, () => undefined);
  tenant = await app.createTenant({ name: 'Ours' });
  app.settings.of(OidcSettings).groupRoles = [
    { group: 'llm-admins', role: 'admin', org: tenant.org.id },
    { group: 'llm-viewers', role: 'viewer', org: tenant.org.id, project: tenant.project.id },
    { group: 'llm-viewers', role: 'viewer', org: 'nothing' },
  ];
});

afterAll(async () => {
  await app?.close();
  await provider?.close();
  await postgres?.stop();
});

const known = (login: string, person: Partial<KnownPerson> = {}): string => {
  const usual = { name: `The ${login}`, email: `${login}@people.example`, email_verified: true, groups: [] };
  provider.people.set(login, { ...usual, ...person });
  return login;
};

const browserOf = (of = app): ProviderBrowser => new ProviderBrowser(of.url, ORIGIN);
const reported = async (browser: ProviderBrowser, of = app): Promise<BrowserSessionResource> =>
  (await of.anonymous.send<BrowserSessionResource>('GET', '/api/session', undefined, { cookie: browser.cookie })).body;
const statusOf = async (browser: ProviderBrowser, of = app): Promise<number> =>
  (await of.anonymous.send('GET', '/api/traces', undefined, { cookie: browser.cookie })).status;
/** When the provider confirmed somebody last. */
const confirmedAt = async (): Promise<number> => {
  const rows = anyRows<{ at: string }>()`select max(refreshed_at) as at from browser_session`;
  return Number((await app.storage.read(rows))[0]!.at);
};
const errorOf = (location: string): string | null => new URLSearchParams(location.split('?')[1]).get('error');

const realNow = Date.now;
let passed = 0;

/** So much time passes at once, for the servers and the provider alike. */
const pass = (ms: number): void => {
  passed += ms;
  Date.now = () => realNow() + passed;
};
afterAll(() => {
  Date.now = realNow;
});

describe('somebody with a role by a group', () => {
  it('is asked about again before five minutes have passed, unless a setting says sooner', () => {
    expect(app.settings.of(OidcSettings).refreshMs).toBe(300_000);
    const later = { SPANDREL_MODE: 'cloud', DATABASE_URL: url };
    const file = join(tempDir(), 'later.yaml');
    writeFileSync(file, 'auth:\n  oidc:\n    refresh: 301\n');
    expect(() => loadSettings([OidcSettings], { args: ['--config', file], env: later, cwd: tempDir() })).toThrow(
      'auth.oidc.refresh',
    );
  });

  it('signs in, is who the provider says, and goes where they wanted to', async () => {
    const browser = browserOf();
    const { status, location, setCookies } = await browser.signIn(
      known('ada', { groups: ['llm-admins', 'others'] }),
      '/spans?status=failed#x',
    );
    expect([status, location]).toEqual([302, '/spans?status=failed#x']);
    expect(setCookies).toEqual([
      expect.stringMatching(/^__Host-spandrel-sign-in=; Max-Age=0;/),
      expect.stringMatching(/^__Host-spandrel=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ]);
    expect(await reported(browser)).toMatchObject({
      ...{ signed_in: true, kind: 'person', role: 'admin', scopes: ['read', 'write', 'ingest', 'review', 'admin'] },
      person: { name: 'The ada', email: 'ada@people.example' },
      identity_provider: { label: 'Sign in with single sign-on' },
      project: { id: tenant.project.id, name: 'Ours' },
    });
    const { body } = await tenant.api.get<{ members: MemberResource[] }>(`/api/orgs/${tenant.org.id}/members`);
    const member = body.members.find(({ email }) => email === 'ada@people.example')!;
    expect(member).toMatchObject({ role: 'admin', source: 'groups', person: { name: 'The ada' } });
    const kept = await tenant.api.delete(`/api/orgs/${tenant.org.id}/members/${member.id}`);
    expect([kept.status, kept.body.code]).toEqual([409, 'member_from_groups']);
    const { body: log } = await tenant.api.get<{ entries: AuditEntry[] }>('/api/audit-log?action=session.created');
    expect(log.entries[0]).toMatchObject({ actor: `person:${member.person!.id}`, actor_name: 'The ada' });
  });

  it('leaves no token of the provider that a reader of the database could use', async () => {
    const browser = browserOf();
    await browser.signIn(known('grace', { groups: ['llm-viewers'] }));
    const rows = await app.storage.read(anyRows<{ row: string }>()`select s::text as row from browser_session s`);
    const text = rows.map(({ row }) => row).join();
    // A JWT begins so and has a dot; sealed bytes in base64 may have three letters by chance, but no dot.
    expect(text).not.toMatch(/eyJ[\w-]{16,}\.|refreshToken/);
    expect(text).not.toContain(browser.cookie.split(`${SESSION}=`)[1]);
  });

  it('is out within five minutes of leaving the group, in open streams too', async () => {
    const browser = browserOf();
    await browser.signIn(known('linus', { groups: ['llm-viewers'] }));
    const openStream = async () => {
      const stream = await fetch(`${app.url}/api/events`, { headers: { cookie: browser.cookie } });
      return { end: stream.text().catch(() => undefined) };
    };
    const asViewer = await openStream();
    provider.people.get('linus')!.groups = ['llm-admins'];
    pass(250_000);
    await until(async () => (await reported(browser)).role === 'admin');
    await asViewer.end;
    const asAdmin = await openStream();
    provider.people.get('linus')!.groups = [];
    pass(250_000);
    await asAdmin.end;
    expect(await statusOf(browser)).toBe(401);
    expect(errorOf((await browserOf().signIn('linus')).location)).toBe('no_role');
  });

  it('is out within five minutes of being removed at the provider', async () => {
    const browser = browserOf();
    await browser.signIn(known('gone', { groups: ['llm-admins'] }));
    pass(200_000);
    provider.people.delete('gone');
    expect(await statusOf(browser)).toBe(200);
    pass(50_000);
    await until(async () => (await statusOf(browser)) === 401);
    expect(await reported(browser)).toMatchObject({ signed_in: false });
  });

  it('stays while the provider is silent for less than that, and waits beyond', async () => {
    const browser = browserOf();
    await browser.signIn(known('patient', { groups: ['llm-admins'] }));
    provider.isDown = true;
    try {
      pass(250_000);
      await until(async () => (await statusOf(browser)) === 200);
      const stream = await fetch(`${app.url}/api/events`, { headers: { cookie: browser.cookie } });
      pass(60_000);
      // Nobody knows whether its reader may still be here.
      await stream.text().catch(() => undefined);
      await until(async () => (await statusOf(browser)) === 503);
    } finally {
      provider.isDown = false;
    }
    await until(async () => (await statusOf(browser)) === 200);
  });

  it.each(['/jwks', '/me'])('stays when %s fails after their refresh token was exchanged', async (path) => {
    const browser = browserOf();
    await browser.signIn(known(`unlucky${path.replace('/', '-')}`, { groups: ['llm-admins'] }));
    provider.downAt.add(path);
    try {
      // The keys of the provider are fetched when their copy is older.
      pass(301_000);
      const before = provider.requests.length;
      await until(async () => (await statusOf(browser)) === 503);
      expect(provider.requests.slice(before)).toEqual(expect.arrayContaining(['POST /token', `GET ${path}`]));
    } finally {
      provider.downAt.clear();
    }
    await until(async () => (await statusOf(browser)) === 200);
  });

  it('is confirmed once by many requests of many servers', async () => {
    const second = await openApp(provider.issuer, () => undefined);
    try {
      const browser = browserOf();
      await browser.signIn(known('busy', { groups: ['llm-admins'] }));
      second.settings.of(OidcSettings).groupRoles = app.settings.of(OidcSettings).groupRoles;
      pass(250_000);
      const due = Date.now();
      const asked = (): number => provider.requests.filter((request) => request === 'POST /token').length;
      const before = asked();
      const statuses = await Promise.all(Array.from({ length: 12 }, (_, n) => statusOf(browser, n % 2 ? app : second)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      await until(async () => (await confirmedAt()) >= due);
      expect(asked() - before).toBe(1);
      // So it is by those who come back when the time has run out: who does not ask waits for who does.
      pass(310_000);
      // What was found out half a second ago is relied upon no more.
      const since = performance.now();
      await until(async () => performance.now() - since > 500);
      const late = await Promise.all(Array.from({ length: 12 }, (_, n) => statusOf(browser, n % 2 ? app : second)));
      expect([new Set(late), asked() - before]).toEqual([new Set([200]), 2]);
      // A person with two browsers, each with another server, is out in both.
      const other = browserOf(second);
      await other.signIn('busy');
      provider.people.delete('busy');
      pass(250_000);
      await until(async () => (await statusOf(browser)) === 401 && (await statusOf(other, second)) === 401);
    } finally {
      await second.close();
    }
  });
});

describe('somebody who was added by address', () => {
  it('has the role once they come with an address that is verified', async () => {
    const path = `/api/orgs/${tenant.org.id}/members`;
    await tenant.api.post(path, { email: 'Mary@people.example', role: 'reviewer' });
    known('mary', { email_verified: false });
    expect(errorOf((await browserOf().signIn('mary')).location)).toBe('no_role');
    known('mary', { email: 'MARY@people.example' });
    const browser = browserOf();
    await browser.signIn('mary');
    expect(await reported(browser)).toMatchObject({ role: 'reviewer', scopes: ['read', 'review'] });
    // Another person with this address later is not her. However often somebody tries, it is one entry with the count.
    const entriesOf = async (impostor: string): Promise<AuditEntry[]> => {
      known(impostor, { email: 'mary@people.example' });
      for (let n = 0; n < 3; n++) expect(errorOf((await browserOf().signIn(impostor)).location)).toBe('no_role');
      await app.app.get(RecordRefusals).execute();
      const { body } = await app.api.get<{ entries: AuditEntry[] }>('/api/audit-log?action=session.refused');
      return body.entries.filter(({ details }) => details['subject'] === impostor);
    };
    // The server writes them every ten seconds by itself: where that was in between, somebody else tries.
    let entries = await entriesOf('impostor');
    if (entries.length > 1) entries = await entriesOf('impostor-2');
    const [entry, ...rest] = entries;
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({
      ...{ org_id: null, actor: expect.stringMatching(/^person:/), address: '127.0.0.1' },
      details: { reason: 'no_role', count: 3, first_at: expect.any(String), last_at: expect.any(String) },
    });
  });
});

describe('an answer of the provider', () => {
  it("signs nobody in who did not ask, nor with another browser's, nor twice", async () => {
    known('eve', { groups: ['llm-admins'] });
    const eve = browserOf();
    const address = await eve.goToProvider('eve');
    const victim = browserOf();
    expect(errorOf((await victim.comeBack(address)).location)).toBe('expired');
    await victim.goToProvider('eve');
    expect(errorOf((await victim.comeBack(address)).location)).toBe('failed');
    expect(victim.cookie).toBe('');
    expect((await eve.comeBack(address)).location).toBe('/');
    expect(errorOf((await eve.comeBack(address)).location)).toBe('expired');
    expect((await reported(eve)).signed_in).toBe(true);
  });

  it.each([
    ['?error=access_denied&state=STATE', 'denied'],
    ['?error=server_error&state=STATE', 'failed'],
    ['?code=made-up&state=STATE', 'failed'],
    ['?code=x&state=another', 'failed'],
    ['', 'failed'],
  ])('%s leads to the page to sign in, which says why', async (query, error) => {
    const browser = browserOf();
    const state = new URL(await browser.begin('/datasets')).searchParams.get('state')!;
    const search = query.replace('STATE', state);
    const issuer = search === '' ? '' : `&iss=${encodeURIComponent(provider.issuer)}`;
    const { status, location } = await browser.comeBack(`${ORIGIN}/api/session/oidc/callback${search}${issuer}`);
    expect([status, location]).toEqual([302, `/sign-in?error=${error}&next=%2Fdatasets`]);
  });

  it('leads to pages of this server alone', async () => {
    const login = known('ada', { groups: ['llm-admins'] });
    expect((await browserOf().signIn(login, '//evil.example')).location).toBe('/');
  });

  it('ends the session that the browser had', async () => {
    const browser = browserOf();
    await browser.signIn(known('ada', { groups: ['llm-admins'] }));
    const old = browser.cookie;
    await browser.signIn('ada');
    await until(
      async () => (await app.anonymous.send('GET', '/api/traces', undefined, { cookie: old })).status === 401,
    );
    expect(await statusOf(browser)).toBe(200);
  });
});

describe('a provider', () => {
  it('that does not answer is reported on the page to sign in', async () => {
    const dead = await openApp('http://127.0.0.1:9', () => undefined);
    try {
      const { headers, status } = await dead.anonymous.unchecked.send('GET', '/api/health');
      expect([status, headers.get('location')]).toEqual([200, null]);
      const begun = await fetch(`${dead.url}/api/session/oidc?next=/datasets`, { redirect: 'manual' });
      expect([begun.status, begun.headers.get('location')]).toEqual([
        302,
        '/sign-in?error=unavailable&next=%2Fdatasets',
      ]);
    } finally {
      await dead.close();
    }
  });

  it('without refresh tokens is asked with the access token, and ends sessions with it', async () => {
    const plain = await startIdentityProvider([ORIGIN], {
      ...{ refreshTokens: false, fullIdTokens: true, accessTokenSeconds: 400 },
    });
    const server = await openApp(plain.issuer, (oidc) => {
      oidc.signOutThere = true;
      oidc.groupRoles = [{ group: 'all', role: 'viewer', org: tenant.org.id }];
    });
    try {
      plain.people.set('ada', { name: 'Ada', email: 'ada@people.example', email_verified: true, groups: ['all'] });
      const browser = browserOf(server);
      await browser.signIn('ada');
      pass(250_000);
      const due = Date.now();
      await until(async () => (await reported(browser, server)).signed_in && (await confirmedAt()) >= due);
      expect(plain.requests).toContain('GET /me');
      pass(250_000);
      await until(async () => (await statusOf(browser, server)) === 401);
      const again = browserOf(server);
      await again.signIn('ada');
      const out = await server.anonymous.send<{ continue_at: string }>('DELETE', '/api/session', undefined, {
        ...{ cookie: again.cookie, 'sec-fetch-site': 'same-origin' },
      });
      const address = new URL(out.body.continue_at);
      expect([address.origin, address.searchParams.get('post_logout_redirect_uri')]).toEqual([
        plain.issuer,
        `${ORIGIN}/sign-in`,
      ]);
      expect(address.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    } finally {
      await server.close();
      await plain.close();
    }
  });

  it('is not begun with while its settings are not whole', async () => {
    const env = { SPANDREL_OIDC_ISSUER: provider.issuer };
    await expect(cloudApp(url, { env })).rejects.toMatchObject({
      faults: [expect.stringContaining('auth.oidc.client_id'), expect.stringContaining('dashboard.origin')],
    });
    const plainHttp = { SPANDREL_OIDC_ISSUER: 'http://id.example' };
    await expect(cloudApp(url, { env: plainHttp })).rejects.toMatchObject({
      faults: [expect.stringContaining('must be an https URL')],
    });
  });
});
