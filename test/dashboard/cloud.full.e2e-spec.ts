/**
 * The dashboard in cloud mode: people sign in and out, administer their organization, and have one credential a browser;
 * in a browser without shared workers one tab holds the stream of events for all.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { describeOnDatabase, POSTGRES } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { ADMIN_TOKEN, createTenant } from '../support/tenant.ts';
import {
  DashboardBrowser,
  expectNoFaults,
  expectNoFaultsBut,
  hasBrowser,
  inBrowser,
  type WatchedPage,
} from './dashboard-browser.ts';
import { chooseInMenu, expectAccessible, expectSoon } from './page-steps.ts';

/** Whether an element has the focus, asked in the page. */
const HAS_FOCUS = (element: unknown): boolean =>
  element === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement;

describeOnDatabase(POSTGRES, 'the dashboard in cloud mode', ({ takePlace }) => {
  const browser = new DashboardBrowser();
  let place: Place;
  let program: Program;
  /** The page of most tests, each in a browser that was never here. */
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    place = await takePlace();
    program = await place.start({
      command: 'server',
      env: { SPANDREL_GATEWAY_URL: 'https://gateway.example/', SPANDREL_EVALS_PAUSED: 'true' },
    });
    if (!hasBrowser) return;
    watched = await browser.open(program.apiUrl);
    ({ page } = watched);
  });
  beforeEach(async () => {
    if (!hasBrowser) return;
    await watched.leave();
    await watched.renew();
  });
  afterAll(async () => {
    await browser.close();
    await place?.close();
  });

  const isLive = (page: Page): Promise<void> =>
    page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
  const shows = (page: Page, name: string): Promise<void> => page.getByRole('link', { name }).waitFor();
  const field = (page: Page) => page.getByLabel('API key or token');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const addressOf = (page: Page): string => page.url().slice(program.apiUrl.length);

  async function signIn(page: Page, key: string): Promise<void> {
    await field(page).fill(key);
    await page.keyboard.press('Enter');
    await button(page, 'Account').waitFor();
  }

  inBrowser('shares a trace by a link, which opens that trace alone, and revokes it', async () => {
    const tenant = await createTenant(program.api.as(ADMIN_TOKEN), { name: 'Sharing' });
    const { body: trace } = await tenant.api.post<{ id: string }>('/api/traces', { name: 'to be shown' });
    const { body: span } = await tenant.api.post<{ id: string }>('/api/spans', {
      ...{ trace_id: trace.id, name: 'answer', kind: { type: 'llm_call', model: 'gpt-5', provider: 'openai' } },
      input: { messages: [{ role: 'user', content: 'What is shared?' }] },
    });
    await tenant.api.post(`/api/spans/${span.id}/complete`, { output: 'This trace.' });
    const scored = { span_id: span.id, comment: 'Said by Ann' };
    await tenant.api.post('/api/scores', { ...scored, name: 'helpful', value: 0.25, source: 'human' });
    await tenant.api.post('/api/scores', { ...scored, name: 'grounded', label: 'yes', comment: 'Has sources.' });
    await page.goto(`${program.apiUrl}/traces/${trace.id}`);
    await signIn(page, tenant.key);
    await button(page, 'Share').click();
    const dialog = page.getByRole('dialog', { name: 'Share trace' });
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.getByLabel('Link').inputValue();
    expect(link).toMatch(/\/s\/[\w-]{43}$/);
    await expectAccessible(watched);
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    const other = await browser.open(program.apiUrl);
    const answer = await other.page.goto(link);
    expect(answer!.headers()).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
    expect(answer!.headers()['referrer-policy']).toBe('no-referrer');
    await other.page.getByRole('heading', { name: 'to be shown', level: 1 }).waitFor();
    await other.page.getByRole('region', { name: 'Span details' }).getByText('This trace.').first().waitFor();
    const scores = other.page.getByRole('list', { name: 'Span scores' }).getByRole('listitem');
    await expectSoon(
      async () => (await scores.allInnerTexts()).toSorted(),
      ['grounded yes Has sources.', 'helpful 0.25'],
    );
    await expectAccessible(other);
    for (const name of ['Share', 'Delete trace', 'Add to dataset', 'Add score', 'Send to review', 'Account'])
      expect(await other.page.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(other.page.url()).toContain(link);
    expectNoFaults(other);
    await other.page.goto(`${program.apiUrl}/traces`);
    await expectSoon(() => new URL(other.page.url()).pathname, '/sign-in');

    await page.goto(`${program.apiUrl}/settings`);
    const shared = page.getByRole('region', { name: 'Shared traces' });
    await shared.getByRole('link', { name: trace.id }).waitFor();
    await shared.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog', { name: 'Revoke link?' }).getByRole('button', { name: 'Revoke' }).click();
    await shared.getByText('No trace is shared.').waitFor();
    await other.page.goto(link);
    await other.page.getByRole('heading', { name: 'Shared trace not found' }).waitFor();
    await other.page.close();
  });

  inBrowser('is kept live by one tab for all where there are no shared workers', async () => {
    const own = await browser.open(program.apiUrl, { extraHTTPHeaders: { ...place.headers } });
    const { page: first } = own;
    const context = first.context();
    await context.addInitScript('delete globalThis.SharedWorker');
    const streams: string[] = [];
    context.on('request', (request) => {
      if (request.url().includes('/api/events')) streams.push(request.url());
    });
    await first.goto(program.apiUrl);
    await first.getByText('https://gateway.example/v1/chat/completions').waitFor();
    await isLive(first);
    const second = await context.newPage();
    await second.goto(program.apiUrl);
    await isLive(second);
    expect(streams).toHaveLength(1);
    await program.api.post('/api/traces', { name: 'for both' });
    await Promise.all([shows(first, 'for both'), shows(second, 'for both')]);
    await first.close();
    await until(() => streams.length === 2);
    await isLive(second);
    await program.api.post('/api/traces', { name: 'for the one that is left' });
    await shows(second, 'for the one that is left');
    expectNoFaults(own);
    await own.close();
  });

  inBrowser('asks for a key once, leads back, and ends everywhere by signing out', async () => {
    await page.goto(`${program.apiUrl}/spans?status=failed`);
    await field(page).waitFor();
    await expectSoon(() => addressOf(page), '/sign-in?next=%2Fspans%3Fstatus%3Dfailed');
    await expectAccessible(watched);
    expectNoFaults(watched);
    await field(page).fill('nonsense');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').getByText('This key is invalid or has expired.').waitFor();
    await signIn(page, place.key!);
    await expectSoon(() => addressOf(page), expect.stringMatching(/^\/p\/\w{26}\/spans\?status=failed$/));
    await page.getByRole('banner').getByText('Tenant / Tenant').waitFor();
    await isLive(page);

    const second = await page.context().newPage();
    await second.goto(`${program.apiUrl}/traces`);
    await isLive(second);
    await button(page, 'Account').press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await expectAccessible(watched);
    await chooseInMenu(page, 'Sign out');
    await Promise.all([field(page).waitFor(), field(second).waitFor()]);
    await expectSoon(() => addressOf(second), expect.stringMatching(/^\/sign-in\?next=%2Fp%2F\w{26}%2Ftraces$/));
    // One tab that signs in leads the others back, too.
    await signIn(page, place.key!);
    await shows(second, 'Settings');
    await expectSoon(() => addressOf(second), expect.stringMatching(/^\/p\/\w{26}\/traces$/));
    expect(watched.faults().filter((fault) => !fault.includes('status of 401'))).toEqual([]);
    await second.close();
  });

  inBrowser('administers the organization, and signs out whose key was revoked', async () => {
    await page.goto(`${program.apiUrl}/settings`);
    await signIn(page, place.key!);
    for (const name of ['Organization', 'Projects', 'API keys', 'Audit log']) {
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    const organization = page.getByRole('region', { name: 'Organization' }).getByLabel('Name', { exact: true });
    const name = await organization.inputValue();
    for (const next of [`${name} & Co.`, name]) {
      await organization.fill(next);
      await organization.press('Enter');
      await page.getByTitle(new RegExp(`^${next} / `)).waitFor();
      // Somebody who renamed it by keys stays where they were.
      expect(await organization.evaluate(HAS_FOCUS)).toBe(true);
    }
    await button(page, 'New project').click();
    const project = page.getByRole('dialog', { name: 'New project' });
    await project.getByLabel('Name').fill('Another');
    await expectAccessible(watched);
    await project.getByRole('button', { name: 'Create' }).press('Enter');
    await page.getByRole('grid', { name: 'Projects' }).getByRole('row', { name: 'Another' }).waitFor();
    await button(page, 'Change Another').click();
    const change = page.getByRole('dialog', { name: 'Change project' });
    await change.getByLabel('Days to keep traces').fill('3');
    await change.getByRole('checkbox').check();
    await expectAccessible(watched);
    await change.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('grid', { name: 'Projects' })
      .getByRole('row', { name: 'Another' })
      .getByText('3 days')
      .waitFor();
    await button(page, 'Change Another').click();
    await change.getByRole('checkbox').uncheck();
    await change.getByRole('button', { name: 'Save' }).click();
    await button(page, 'Delete the project Another').click();
    const deletion = page.getByRole('alertdialog', { name: 'Delete project?' });
    await expectAccessible(watched);
    expect(await deletion.getByRole('button', { name: 'Delete', exact: true }).isDisabled()).toBe(true);
    await deletion.getByLabel('Type the name of the project to confirm').fill('Another');
    await deletion.getByRole('button', { name: 'Delete', exact: true }).click();
    await page
      .getByRole('grid', { name: 'Projects' })
      .getByRole('row', { name: 'Another' })
      .waitFor({ state: 'detached' });
    await button(page, 'Delete the project Tenant').click();
    await deletion.getByText('will be signed out').waitFor();
    await deletion.getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'New key').click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByLabel('Name').fill('Ada');
    expect(await dialog.getByLabel('Ends').inputValue()).toBe('90');
    // Nobody's membership could end: the session is that of a key.
    expect(await dialog.getByLabel('For a service').count()).toBe(0);
    await expectAccessible(watched);
    await dialog.getByRole('button', { name: 'Create' }).click();
    // Pages of plain HTTP from another machine have no clipboard.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true }));
    await dialog.getByRole('button', { name: 'Copy key' }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Copied', { exact: true }).waitFor();
    const key = await watched.clipboard();
    expect(key).toMatch(/^spn_sk_\w{49}$/);
    await expectAccessible(watched);
    await button(page, 'Done').click();
    const made = page.getByRole('grid', { name: 'API keys' }).getByRole('row', { name: 'Ada' });
    await made.getByText('active').waitFor();
    await made.getByText('Not yet').waitFor();
    const audit = page.getByRole('grid', { name: 'Audit log' });
    await audit.getByRole('row', { name: /API key created\s*Ada/ }).waitFor();
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Project created' });
    await audit.getByRole('row', { name: /Project created\s*Another/ }).waitFor();
    await expectSoon(() => audit.getByText('API key created').count(), 0);
    await audit.getByRole('row', { name: /Project created\s*Another/ }).press('Enter');
    const entry = page.getByRole('dialog', { name: 'Project created' });
    await entry.getByText(/^key:/).waitFor();
    await expectAccessible(watched);
    await page.keyboard.press('Escape');
    await expectSoon(() => audit.getByRole('row', { name: /Project created\s*Another/ }).evaluate(HAS_FOCUS), true);
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    expect(new Set(lines.map((line) => (JSON.parse(line) as { action: string }).action))).toEqual(
      new Set(['project.created']),
    );
    await expectAccessible(watched);
    expect(await page.content()).not.toContain(key);

    const ada = await browser.open(program.apiUrl);
    await ada.page.goto(`${program.apiUrl}/settings`);
    await signIn(ada.page, key);
    await ada.page.getByRole('heading', { name: 'Instance' }).waitFor();
    expect(await ada.page.getByRole('heading', { name: 'API keys' }).count()).toBe(0);
    await isLive(ada.page);
    await button(page, 'Revoke Ada').click();
    const question = page.getByRole('alertdialog', { name: 'Revoke key?' });
    await question.waitFor();
    await expectAccessible(watched);
    await question.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('status').getByText('Revoked the key Ada').waitFor();
    // Nobody touches the tab: its stream ends with the key.
    await field(ada.page).waitFor();
    expectNoFaults(watched);
    await ada.close();
  });

  inBrowser(
    'has a review by a key that may not administer, and nothing to press for one that may only read',
    async () => {
      const { api } = program;
      const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'Answers' });
      await api.post(`/api/datasets/${dataset.id}/datapoints`, {
        kind: { Generic: { input: 'Who reviews?' } },
      });
      const keyOf = async (name: string, ...scopes: string[]) =>
        (await api.post<{ id: string; key: string }>('/api/keys', { name, scopes })).body;
      const [rita, reader] = await Promise.all([keyOf('Rita', 'read', 'write'), keyOf('Reader', 'read')]);
      await page.goto(`${program.apiUrl}/datasets/${dataset.id}`);
      await signIn(page, rita.key);
      await page
        .getByRole('row', { name: /Who reviews/ })
        .getByRole('checkbox')
        .click();
      await button(page, 'Send to review').click();
      const terms = page.getByRole('dialog', { name: 'Send 1 datapoint to review' });
      await terms.getByText('Who reviews, in which order, and why').click();
      const assignees = terms.getByRole('textbox', { name: 'Assignees' });
      await assignees.fill(`${rita.id}, nobody@example.com`);
      await terms.getByRole('button', { name: 'Send' }).click();
      // It is said at the field, and the dialog keeps what was filled in.
      await terms.getByText('may not review here: "nobody@example.com"').waitFor();
      expect(await assignees.getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByText('has stopped').count()).toBe(0);
      await expectAccessible(watched);
      await assignees.fill(rita.id);
      await terms.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('link', { name: 'Start reviewing' }).click();
      await page.getByRole('region', { name: 'Item' }).getByText('Who reviews?').waitFor();
      expect(await page.getByLabel('Your name').count()).toBe(0);
      await page.keyboard.press('a');
      await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
      const { body: queue } = await api.get<{ items: object[] }>(`/api/datasets/${dataset.id}/queue`);
      expect(queue.items).toMatchObject([{ status: 'completed', claimed_by: rita.id }]);

      await page.goto(`${program.apiUrl}/sign-in?next=%2Fdatasets%2F${dataset.id}`);
      await signIn(page, reader.key);
      await page.getByRole('banner').getByText('Read only').waitFor();
      await button(page, 'Export').waitFor();
      for (const name of ['Edit', 'Delete dataset', 'Add datapoint', 'Import', 'Evaluate']) {
        expect([name, await button(page, name).count()]).toEqual([name, 0]);
      }
      await expectAccessible(watched);
      await page.getByRole('link', { name: 'Alerts', exact: true }).click();
      await page.getByText('You may read alerts.').waitFor();
      await page.getByRole('heading', { name: 'No alerts yet' }).waitFor();
      expect(await button(page, 'New alert').count()).toBe(0);
      await page.getByRole('link', { name: 'Review', exact: true }).click();
      await page.getByText('Needs the scope review or write').waitFor();
      expectNoFaultsBut(watched, /status of 400/);
    },
  );

  inBrowser('says in the list and at a run that evaluations are paused at this server, as its log does', async () => {
    const { api } = program;
    const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'Paused' });
    await api.post(`/api/datasets/${dataset.id}/datapoints`, { kind: { Generic: { input: 'Who waits?' } } });
    const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
      name: 'never called',
      provider: 'openai',
      api_key: 'sk-of-the-test',
      default_model: 'm',
    });
    const { body: run } = await api.post<{ id: string }>(`/api/datasets/${dataset.id}/eval`, {
      name: 'Waits',
      scoring: 'None',
      config: { connection_id: connection.id, model: 'm' },
    });
    const notice = page.getByRole('status').getByText('Evaluations are paused on this server (evals.paused)');
    await page.goto(`${program.apiUrl}/evaluations`);
    await signIn(page, place.key!);
    await notice.waitFor();
    await page.goto(`${program.apiUrl}/evaluations/${run.id}`);
    await notice.waitFor();
    await expectAccessible(watched);
    expect((await api.get(`/api/eval/${run.id}`)).body).toMatchObject({ status: 'pending', progress: 0, total: 1 });
    expect(program.output().split('eval runs are paused at this server (evals.paused)')).toHaveLength(2);
    expectNoFaults(watched);
  });

  /**
   * Has a tab stop as a second one signs in with another key. Chromium 156 itself crashes about once in 20 times (a
   * segmentation fault, always at one instruction) while a tab that nobody sees loads the page to sign in: then in a new browser.
   */
  async function stopFirstTab(otherKey: string): Promise<{ first: WatchedPage; second: Page; notice: Locator }> {
    for (let tried = 1; ; tried++) {
      const first = await browser.open(program.apiUrl);
      await first.page.goto(`${program.apiUrl}/traces`);
      await signIn(first.page, place.key!);
      await isLive(first.page);
      const second = await first.page.context().newPage();
      await second.goto(`${program.apiUrl}/sign-in`);
      await second.getByText('This browser is signed in to').waitFor();
      await signIn(second, otherKey);
      const text = 'This browser is now signed in to Theirs / Theirs.';
      const notice = first.page.getByRole('alert').getByText(text);
      try {
        await notice.waitFor();
        return { first, second, notice };
      } catch (error) {
        if (tried === 3 || !String(error).includes('Page crashed')) throw error;
        await first.close();
      }
    }
  }

  inBrowser('stops the other tabs when one signs in to another project', async () => {
    const theirs = await createTenant(program.api.as(ADMIN_TOKEN), { name: 'Theirs' });
    const { first, second, notice } = await stopFirstTab(theirs.key);
    // The stream of a tab ends before the other tab notifies it: that must not lead it on.
    const isAskedAgain = first.page.waitForResponse('**/api/session');
    await second.evaluate(() => new BroadcastChannel('spandrel.session').postMessage('changed'));
    await isAskedAgain;
    await notice.waitFor();
    await expectAccessible(first);
    await isLive(second);
    await theirs.api.post('/api/traces', { name: 'of theirs' });
    await program.api.post('/api/traces', { name: 'of ours' });
    await shows(second, 'of theirs');
    await first.page.getByRole('link', { name: 'Open the traces of that project' }).click();
    await shows(first.page, 'of theirs');
    expect(await first.page.getByRole('link', { name: 'of ours' }).count()).toBe(0);
    expectNoFaultsBut(first, /status of 404/);
    await first.close();
  });

  inBrowser('says where the browser is signed in to a tab whose session had ended before', async () => {
    const theirs = await createTenant(program.api.as(ADMIN_TOKEN), { name: 'Later' });
    await page.goto(`${program.apiUrl}/traces`);
    await signIn(page, place.key!);
    await isLive(page);
    const address = addressOf(page);
    // Another tab that signs in ends the session before its answer is there: the order of that moment.
    const [cookie] = await page.context().cookies();
    const ended = await fetch(`${program.apiUrl}/api/session`, {
      method: 'DELETE',
      headers: { cookie: `${cookie!.name}=${cookie!.value}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(ended.status).toBe(200);
    await field(page).waitFor();
    const second = await page.context().newPage();
    await second.goto(`${program.apiUrl}/sign-in`);
    await signIn(second, theirs.key);
    await page.getByRole('alert').getByText('This browser is now signed in to Later / Later.').waitFor();
    expect(addressOf(page)).toBe(`/sign-in?next=${encodeURIComponent(address)}`);
    await second.close();
    expectNoFaultsBut(watched, /status of 40[14]/);
  });
});
