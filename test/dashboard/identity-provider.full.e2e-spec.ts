/** People sign in with a real identity provider in a browser, have roles, change projects and sign out. */
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { AccessSettings, OidcSettings } from '@spandrel/access';
import type { KeyCreated, MemberResource, ProjectResource } from '@spandrel/contract';
import type { Page } from 'playwright-core';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { describeOnDatabase, POSTGRES } from '../support/databases.ts';
import { OIDC_CLIENT, startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { freePort } from '../support/ports.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import type { Tenant } from '../support/tenant.ts';
import { DashboardBrowser, hasBrowser, inBrowser, type WatchedPage } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, pressInTurn, runCommand, tabTo } from './page-steps.ts';

const FONTS = 'https://fonts.googleapis.com';

/** Keeps the requests of a page on this machine: the provider's page to sign in wants a font. All others go their way as ever. */
async function answerFonts(page: Page): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  protocol.on('Fetch.requestPaused', ({ requestId }) => {
    const responseHeaders = [{ name: 'content-type', value: 'text/css' }];
    void protocol.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders });
  });
  await protocol.send('Fetch.enable', { patterns: [{ urlPattern: `${FONTS}/*` }] });
}

/** How many streams of events the organization may have open. */
const EVENT_STREAMS = 2;

describeOnDatabase(POSTGRES, 'signing in to the dashboard with an identity provider', () => {
  const browser = new DashboardBrowser();
  let postgres: TestPostgres;
  let provider: TestIdentityProvider;
  let app: CloudApp;
  let tenant: Tenant;
  let second: ProjectResource;
  /** The page of all tests, each in a browser that was never here. */
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    if (!hasBrowser) return;
    postgres = await startPostgres();
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider([origin]);
    app = await cloudApp(await createMigrated(postgres, 'oidc_browser'), {
      port,
      env: {
        SPANDREL_DASHBOARD_ORIGIN: origin,
        SPANDREL_OIDC_ISSUER: provider.issuer,
        SPANDREL_OIDC_CLIENT_ID: OIDC_CLIENT.id,
        SPANDREL_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
      },
      settings: (all) => {
        all.of(OidcSettings).scopes = 'openid profile email groups';
        all.of(OidcSettings).label = 'Sign in with Acme';
        all.of(AccessSettings).eventStreams = EVENT_STREAMS;
      },
    });
    tenant = await app.createTenant({ name: 'Acme' });
    second = (await tenant.api.post<ProjectResource>(`/api/orgs/${tenant.org.id}/projects`, { name: 'Second' })).body;
    app.settings.of(OidcSettings).groupRoles = [
      { group: 'admins', role: 'admin', org: tenant.org.id },
      { group: 'reviewers', role: 'reviewer', org: tenant.org.id, project: tenant.project.id },
    ];
    for (const [login, groups] of Object.entries({ ada: ['admins'], rita: ['reviewers'], nobody: [] })) {
      const email = `${login}@people.example`;
      provider.people.set(login, { name: `Person ${login}`, email, email_verified: true, groups });
    }
    watched = await browser.open(app.url);
    ({ page } = watched);
    await answerFonts(page);
  });
  beforeEach(async () => {
    if (!hasBrowser) return;
    await watched.leave();
    await watched.renew();
  });
  afterAll(async () => {
    await browser.close();
    await app?.close();
    await provider?.close();
    await postgres?.stop();
  });

  const addressOf = (): string => page.url().slice(app.url.length);

  /** What the page did wrong; the pages of the provider are its own. */
  const faultsOf = (): string[] =>
    watched
      .faults()
      .filter((fault) => !fault.startsWith(`asked ${provider.issuer}`) && !fault.startsWith(`asked ${FONTS}`))
      .filter((fault) => !fault.includes('status of 401'));

  async function signIn(login: string): Promise<void> {
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
  }

  inBrowser('leads to the provider and back, changes projects, administers members and signs out', async () => {
    await tenant.api.post('/api/traces', { name: 'of the first project' });
    await page.goto(`${app.url}/traces?status=running`);
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
    await signIn('ada');
    await page.getByRole('banner').getByText('Acme / Acme').waitFor();
    await expectSoon(() => addressOf(), `/p/${tenant.project.id}/traces?status=running`);
    await page.goto(`${app.url}/traces`);
    await page.getByRole('link', { name: 'of the first project' }).waitFor();

    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Open Acme / Second' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('menuitem', { name: 'Open Acme / Second' }).click();
    await page.getByRole('banner').getByText('Acme / Second').waitFor();
    await expectSoon(() => addressOf(), `/p/${second.id}/traces`);
    // A short address leads to the project that was opened last.
    await page.goto(`${app.url}/traces?status=failed`);
    await page.getByRole('banner').getByText('Acme / Second').waitFor();
    await expectSoon(() => addressOf(), `/p/${second.id}/traces?status=failed`);
    expect(await page.getByRole('link', { name: 'of the first project' }).count()).toBe(0);

    await page.goto(`${app.url}/settings`);
    const members = page.getByRole('grid', { name: 'Members' });
    await members.getByRole('row', { name: 'Person ada' }).getByText('Active').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    const keyDialog = page.getByRole('dialog', { name: 'New key' });
    await keyDialog.getByLabel('Name').fill('mine');
    await keyDialog.getByLabel('For a service').waitFor();
    await expectAccessible(watched);
    await keyDialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const key = page.getByRole('grid', { name: 'API keys' }).getByRole('row', { name: 'mine' });
    await key.getByText('Person ada', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add member' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add member' });
    await dialog.getByLabel('E-mail').fill('new@people.example');
    const roles = () => dialog.getByLabel('Role').locator('option').allTextContents();
    const offered = async () => (await roles()).map((label) => label.split(':')[0]);
    await expectSoon(offered, ['viewer', 'reviewer', 'editor', 'admin']);
    await dialog.getByLabel('Project').selectOption({ label: 'Second' });
    await expectSoon(offered, ['viewer', 'reviewer', 'editor']);
    await dialog.getByLabel('Role').selectOption('editor');
    await expectAccessible(watched);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await members.getByRole('row', { name: 'new@people.example' }).getByText('editor').waitFor();
    await page.getByRole('button', { name: 'Change new@people.example' }).click();
    const change = page.getByRole('dialog', { name: 'Change member' });
    await change.getByLabel('Role').selectOption('viewer');
    await change.getByRole('button', { name: 'Change' }).click();
    await members.getByRole('row', { name: 'new@people.example' }).getByText('viewer').waitFor();
    await page.getByRole('button', { name: 'Remove new@people.example' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expectSoon(() => members.getByRole('row', { name: 'new@people.example' }).count(), 0);
    await expectAccessible(watched);
    const { body } = await tenant.api.get<{ members: unknown[] }>(`/api/orgs/${tenant.org.id}/members`);
    expect(body.members).toMatchObject([{ source: 'groups', project_id: null }]);
    expect(second.name).toBe('Second');

    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
    expect(faultsOf()).toEqual([]);
  });

  inBrowser('is led by a link to the project it is of, or is shown that it is another', async () => {
    const { body: trace } = await tenant.api.post<{ id: string }>('/api/traces', { name: 'linked' });
    const names = Array.from({ length: 9 }, (_, n) => `Many ${n}`);
    for (const name of names) await tenant.api.post(`/api/orgs/${tenant.org.id}/projects`, { name });
    await page.goto(`${app.url}/p/${second.id}/traces?status=failed`);
    await signIn('ada');
    await page.getByRole('banner').getByText('Acme / Second').waitFor();
    await expectSoon(() => addressOf(), `/p/${second.id}/traces?status=failed`);
    await page.goto(`${app.url}/p/${tenant.project.id}/traces/${trace.id}`);
    await page.getByRole('heading', { name: 'linked' }).waitFor();
    await expectSoon(() => addressOf(), `/p/${tenant.project.id}/traces/${trace.id}`);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expectSoon(() => watched.clipboard(), `${app.url}/p/${tenant.project.id}/traces/${trace.id}`);

    // A short address of something leads to the project that has it, whichever was opened last.
    await page.goto(`${app.url}/p/${second.id}/traces`);
    await page.getByRole('banner').getByText('Acme / Second').waitFor();
    await page.goto(`${app.url}/traces/${trace.id}?view=tree`);
    await page.getByRole('heading', { name: 'linked' }).waitFor();
    await expectSoon(() => addressOf(), `/p/${tenant.project.id}/traces/${trace.id}?view=tree`);
    await page.getByRole('banner').getByText('Acme / Acme').waitFor();
    await page.goto(`${app.url}/traces/nowhere`);
    await page.getByRole('heading', { name: 'Trace not found' }).waitFor();

    // Each word of it, in any order.
    await runCommand(page, 'many acme 7', 'Acme / Many 7');
    await page.getByRole('banner').getByText('Acme / Many 7').waitFor();
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    const items = page.getByRole('menuitem');
    await items.first().waitFor();
    // The projects opened last are first.
    await expectSoon(
      async () => (await items.allTextContents()).slice(0, 2),
      ['Open Acme / Acme', 'Open Acme / Second'],
    );
    await page.getByRole('menuitem', { name: 'Sign out, ada@people.example' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('menuitem', { name: 'Find one of 10 projects' }).click();
    await page.getByRole('combobox', { name: 'Command' }).waitFor();

    await page.goto(`${app.url}/p/of-somebody-else/traces`);
    await page.getByRole('heading', { name: 'This link leads to another project' }).waitFor();
    await expectAccessible(watched);
    expect(faultsOf().filter((fault) => !fault.includes('status of 404'))).toEqual([]);
    await page.getByRole('link', { name: 'Go to your traces' }).click();
    await page.getByRole('banner').getByText('Acme / Many 7').waitFor();
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
  });

  inBrowser('has two projects open in two tabs, each with its own, until a role in one is taken', async () => {
    const made = { name: 'of the second', scopes: ['read', 'write', 'ingest'], project_id: second.id };
    const { key } = (await app.api.post<KeyCreated>('/api/keys', made)).body;
    const apis = [tenant.api, app.anonymous.as(key)];
    const members = [];
    for (const { id: project_id } of [tenant.project, second]) {
      const member = { email: 'tabea@people.example', role: 'editor', project_id };
      members.push((await app.api.post<MemberResource>(`/api/orgs/${tenant.org.id}/members`, member)).body);
    }
    provider.people.set('tabea', {
      ...{ name: 'Person tabea', email: 'tabea@people.example', email_verified: true, groups: [] },
    });
    await page.goto(`${app.url}/p/${tenant.project.id}/traces`);
    await signIn('tabea');
    const isConnected = (tab: Page) =>
      expectSoon(() => tab.getByRole('status', { name: 'Live updates' }).textContent(), 'Connected');
    await isConnected(page);
    const other = await page.context().newPage();
    await other.goto(`${app.url}/p/${second.id}/traces`);
    await isConnected(other);
    await page.getByRole('banner').getByText('Acme / Acme').waitFor();
    await other.getByRole('banner').getByText('Acme / Second').waitFor();

    // Events come to the tab of their project, and what a tab writes is its project's: by keys alone.
    const tabs = [page, other];
    for (const [n, api] of apis.entries()) await api.post('/api/traces', { name: `live in ${n}` });
    for (const [n, tab] of tabs.entries()) {
      await tab.bringToFront();
      await tab.getByRole('link', { name: `live in ${n}` }).waitFor();
      expect(await tab.getByRole('link', { name: `live in ${1 - n}` }).count()).toBe(0);
      await pressInTurn(tab, 'g', 'd');
      await tabTo(tab.getByRole('button', { name: 'New dataset' }).first());
      await tab.keyboard.press('Enter');
      await tab.getByRole('dialog').getByLabel('Name').fill(`written in ${n}`);
      await tab.keyboard.press('Enter');
      await tab.getByRole('heading', { name: `written in ${n}`, level: 1 }).waitFor();
      expect(new URL(tab.url()).pathname).toMatch(`/p/${n === 0 ? tenant.project.id : second.id}/datasets/`);
    }
    for (const [n, api] of apis.entries()) {
      const { datasets } = (await api.get<{ datasets: { name: string }[] }>('/api/datasets')).body;
      expect(datasets.map(({ name }) => name)).toContain(`written in ${n}`);
      expect(datasets.map(({ name }) => name)).not.toContain(`written in ${1 - n}`);
    }

    // A role that is lowered takes the buttons of a page that nobody touches.
    await pressInTurn(other, 'g', 'd');
    await other.getByRole('button', { name: 'New dataset' }).waitFor();
    await isConnected(other);
    await app.api.patch(`/api/orgs/${tenant.org.id}/members/${members[1]!.id}`, { role: 'viewer' });
    await other.getByRole('banner').getByText('Read only').waitFor();
    await expectSoon(() => other.getByRole('button', { name: 'New dataset' }).count(), 0);
    await isConnected(other);

    await app.api.delete(`/api/orgs/${tenant.org.id}/members/${members[1]!.id}`);
    await other.getByRole('heading', { name: 'This link leads to another project' }).waitFor();
    await apis[0]!.post('/api/traces', { name: 'goes on' });
    await page.bringToFront();
    await pressInTurn(page, 'g', 't');
    await page.getByRole('link', { name: 'goes on' }).waitFor();
    await isConnected(page);
    await other.bringToFront();
    await other.getByRole('link', { name: 'Go to your traces' }).click();
    await other.getByRole('banner').getByText('Acme / Acme').waitFor();
    await other.close();
    expect(faultsOf()).toEqual([]);
  });

  inBrowser('says that the provider is away, and goes on by itself once it answers', async () => {
    const waiting = await page.context().newPage();
    for (const tab of [waiting, page]) await tab.goto(`${app.url}/sign-in?next=%2Fdatasets`);
    await waiting.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
    await signIn('ada');
    // A tab that waits to be signed in goes on, too.
    for (const tab of [page, waiting]) await tab.getByRole('button', { name: 'Account', exact: true }).waitFor();
    await waiting.close();
    await page.getByRole('button', { name: 'New dataset' }).first().waitFor();
    const fault = page.getByRole('alert').filter({ hasText: 'Datasets could not be loaded' });
    app.settings.of(OidcSettings).refreshMs = 1;
    provider.isDown = true;
    try {
      // Whom a server let in a moment ago it lets in for a moment more.
      await expectSoon(
        () =>
          page.evaluate(`fetch(location.pathname.replace('/datasets', '/api/session')).then(({ status }) => status)`),
        503,
      );
      await page.reload();
      await fault.getByText('the identity provider has not confirmed you').waitFor();
      await fault.getByRole('button', { name: 'Copy' }).waitFor();
      expect(await page.getByRole('button', { name: 'Account', exact: true }).count()).toBe(0);
    } finally {
      app.settings.of(OidcSettings).refreshMs = 300_000;
      provider.isDown = false;
    }
    await page.getByRole('button', { name: 'Account', exact: true }).waitFor();
    await expectSoon(() => fault.count(), 0);
  });

  inBrowser('says why somebody cannot be signed in', async () => {
    await page.goto(`${app.url}/sign-in?next=%2Fdatasets`);
    await signIn('nobody');
    await page.getByRole('alert').getByText('You have no role here yet').waitFor();
    await expectSoon(() => addressOf(), '/sign-in?error=no_role&next=%2Fdatasets');
    await expectAccessible(watched);
    expect(faultsOf()).toEqual([]);
  });

  inBrowser('gives a reviewer the queue and nothing that would fail, and signs out who is removed', async () => {
    const { body: dataset } = await tenant.api.post<{ id: string }>('/api/datasets', { name: 'Answers' });
    const { body: point } = await tenant.api.post<{ id: string }>(`/api/datasets/${dataset.id}/datapoints`, {
      kind: { Generic: { input: 'Who reviews?' } },
    });
    await tenant.api.post(`/api/datasets/${dataset.id}/queue`, { datapoint_ids: [point.id] });
    await page.goto(`${app.url}/review`);
    await signIn('rita');
    await page.getByRole('banner').getByText('Reviewer').waitFor();
    await page.getByRole('link', { name: 'Start reviewing Answers' }).click();
    await page.getByRole('region', { name: 'Item' }).getByText('Who reviews?').waitFor();
    expect(await page.getByLabel('Write back to the datapoint').count()).toBe(0);
    await expectAccessible(watched);
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
    const { body: queue } = await tenant.api.get<{ items: { id: string }[] }>(`/api/datasets/${dataset.id}/queue`);
    await page.goto(`${app.url}/review/${dataset.id}?item=${queue.items[0]!.id}`);
    await page.getByText('by Person rita').waitFor();
    await expectSoon(() => page.getByRole('status', { name: 'Live updates' }).textContent(), 'Connected');
    // Nobody touches the tab: the role goes with the group, at the latest when the provider is asked again.
    provider.people.get('rita')!.groups = [];
    app.settings.of(OidcSettings).refreshMs = 1_000;
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
    expect(faultsOf()).toEqual([]);
  });

  inBrowser('signs out who is removed while the tab has no stream of events yet', async () => {
    provider.people.get('rita')!.groups = ['reviewers'];
    app.settings.of(OidcSettings).refreshMs = 300_000;
    const headers = { authorization: `Bearer ${tenant.key}` };
    const events = Array.from({ length: EVENT_STREAMS }, () => fetch(`${app.url}/api/events`, { headers }));
    const streams = await Promise.all(events);
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await page.goto(`${app.url}/review`);
    await signIn('rita');
    await page.getByRole('link', { name: 'Answers', exact: true }).waitFor();
    expect(await page.getByRole('status', { name: 'Live updates' }).textContent()).not.toBe('Connected');
    provider.people.get('rita')!.groups = [];
    app.settings.of(OidcSettings).refreshMs = 1_000;
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
    for (const { body } of streams) await body!.cancel();
    expect(faultsOf()).toEqual([]);
  });
});
