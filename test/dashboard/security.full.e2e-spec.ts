/**
 * What protects people: a session that scripts neither see nor lend to other pages, and texts that stay texts. Attacks stand
 * in every field that can be shown; a page that shows them runs nothing, asks nobody else, and goes on working.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { describeOnDatabase, POSTGRES } from '../support/databases.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { tempDir } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';
import { DashboardBrowser, expectNoFaults, hasBrowser, inBrowser, type WatchedPage } from './dashboard-browser.ts';
import { MARK, plantAttacks, type Planted } from './planted-attacks.ts';

const browser = new DashboardBrowser();
/** A server that nobody should ask, and that serves a page from elsewhere. */
let elsewhere: Server;
const asked: string[] = [];

beforeAll(async () => {
  elsewhere = createServer(({ url }, answer) => {
    if (url !== '/page') asked.push(url!);
    answer.setHeader('content-type', 'text/html').end('<title>elsewhere</title><link rel="icon" href="data:,">');
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => elsewhere.once('listening', listening));
});
afterAll(async () => {
  await browser.close();
  elsewhere.close();
});

const portElsewhere = (): number => (elsewhere.address() as AddressInfo).port;

describeOnDatabase(POSTGRES, 'the session of a browser', () => {
  let postgres: TestPostgres;
  let app: CloudApp;
  let tenant: Tenant;
  beforeAll(async () => {
    postgres = await startPostgres();
    app = await cloudApp(await createMigrated(postgres, 'session'));
    tenant = await app.createTenant();
  });
  afterAll(async () => {
    await app?.close();
    await postgres?.stop();
  });

  inBrowser('is a cookie that no script reads, and leaves the key nowhere', async () => {
    const watched = await browser.open(app.url);
    const { page } = watched;
    await page.goto(`${app.url}/sign-in?next=${encodeURIComponent('javascript:alert(1)')}`);
    await page.getByLabel('API key or token').fill(tenant.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    await page.waitForURL((url) => url.pathname === `/p/${tenant.project.id}/traces`);
    expect(await page.context().cookies()).toEqual([
      expect.objectContaining({
        ...{ name: '__Host-spandrel', path: '/', httpOnly: true, secure: true, sameSite: 'Strict' },
        value: expect.stringMatching(/^[\w-]{43}$/),
      }),
    ]);
    const seen: string = await page.evaluate(
      `JSON.stringify([document.cookie, localStorage, sessionStorage, history.state, location.href, document.documentElement.outerHTML])`,
    );
    expect(seen.slice(0, 4)).toBe('["",');
    expect(seen).not.toContain(tenant.key);
    expectNoFaults(watched);

    // A page of the same site has the cookie sent, and one of another site has not: neither can do anything with it.
    for (const host of ['127.0.0.1', 'localhost']) {
      const stranger = await page.context().newPage();
      await stranger.goto(`http://${host}:${portElsewhere()}/page`);
      expect([host, await stranger.evaluate(strike, app.url)]).toEqual([host, ['refused', 'refused', 'refused']]);
      await stranger.close();
    }
    expect(await tenant.api.traces()).toEqual([]);
    expect((await tenant.api.get<{ datasets: unknown[] }>('/api/datasets')).body.datasets).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    await watched.close();
  });
});

/** What a page from elsewhere can try without being asked beforehand: its browser hands it no answer, not even an opaque one. */
async function strike(api: string): Promise<string[]> {
  const send = async (path: string, init: RequestInit): Promise<string> =>
    fetch(api + path, { credentials: 'include', ...init }).then(
      ({ type }) => type,
      () => 'refused',
    );
  const body = '{"name":"planted"}';
  return [
    await send('/api/traces', { method: 'POST', mode: 'no-cors', body }),
    await send('/api/datasets', { method: 'POST', mode: 'no-cors', body: new Blob([body], { type: 'text/plain' }) }),
    await send('/api/traces', { method: 'GET' }),
  ];
}

describe('texts that attack', () => {
  let app: ServerApp;
  let planted: Planted;
  let watched: WatchedPage;
  let page: Page;
  const dialogs: string[] = [];

  beforeAll(async () => {
    app = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
    planted = await plantAttacks(app.api, `http://127.0.0.1:${portElsewhere()}`);
    if (!hasBrowser) return;
    watched = await browser.open(app.url);
    ({ page } = watched);
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  });
  afterAll(async () => {
    await watched?.close();
    await app?.close();
  });

  /** Waits for an attack on the page and shows that it is a text. */
  async function expectHarmless(where: string): Promise<void> {
    await page.getByText(MARK).first().waitFor({ state: 'attached' });
    expect([where, await page.evaluate(FOREIGN_PARTS)]).toEqual([where, []]);
    expect([where, watched.faults(), dialogs, asked]).toEqual([where, [], [], []]);
  }

  inBrowser('stay texts on every page', async () => {
    const { dataset, datapoint, run } = planted;
    for (const path of [
      '/traces?cols=name,tags,models,session,user,input,output',
      '/sessions',
      `/sessions/${encodeURIComponent(planted.session)}`,
      '/spans?cols=name,model,provider,error,input,output',
      '/analytics?split_by=model',
      '/datasets',
      ...[`/datasets/${dataset}`, `/datasets/${dataset}?tab=rules`, `/datasets/${dataset}?tab=runs`],
      `/datasets/${dataset}/datapoints/${datapoint}`,
      ...['/evaluations', `/evaluations/${run}`],
      ...['/review', `/review/${dataset}`, '/connections', '/events?since=0'],
    ]) {
      await page.goto(app.url + path);
      await expectHarmless(path);
    }
  });

  inBrowser('stay texts in a trace, however they are shown', async () => {
    await page.goto(`${app.url}/traces/${planted.trace}?span=${planted.span}`);
    const details = page.getByRole('region', { name: 'Span details' });
    for (const format of ['Rendered', 'Text', 'JSON']) {
      await details.getByRole('radio', { name: format }).check();
      for (const tab of ['Messages', 'Input', 'Output', 'Metadata', 'Raw']) {
        await details.getByRole('tab', { name: tab }).click();
        await details.getByText(MARK).first().waitFor({ state: 'attached' });
        await expectHarmless(`${tab} as ${format}`);
      }
    }
    await details.getByRole('tab', { name: 'Messages' }).click();
    await details.getByRole('radio', { name: 'Rendered' }).check();
    await details
      .getByText(/^Image not loaded: /)
      .nth(1)
      .waitFor();
    expect(await page.evaluate('({}).polluted === undefined && globalThis.attacked === undefined')).toBe(true);
    await page.goto(`${app.url}/traces/${planted.trace}?span=${planted.large}&tab=output`);
    await expectHarmless('a text of 10 MB');
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500);
  });
});

/** What no page of the dashboard may have in it, however a text was read. */
const FOREIGN_PARTS = `[
  ...document.querySelectorAll('iframe, object, embed, base, meta[http-equiv], form[action], svg script, math, [onerror], [onload]'),
  ...[...document.images].filter(({ src }) => !/^(data:image\\/(png|jpeg|gif|webp)|blob:)/.test(src) && new URL(src).origin !== location.origin),
  ...[...document.scripts].filter(({ src }) => new URL(src || 'about:blank').origin !== location.origin),
  ...[...document.links].filter(({ href }) => !/^(https?|mailto):/.test(href)),
].map((element) => element.outerHTML.slice(0, 200))`;
