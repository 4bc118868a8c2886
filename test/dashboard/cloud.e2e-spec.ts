/**
 * The dashboard in cloud mode, with a credential that something in between adds, and in a browser without shared workers,
 * where one tab holds the stream of events for all.
 */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeOnDatabase, POSTGRES } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { DashboardBrowser, expectNoFaults, inBrowser } from './dashboard-browser.ts';

describeOnDatabase(POSTGRES, 'the dashboard in cloud mode', ({ takePlace }) => {
  const browser = new DashboardBrowser();
  let place: Place;
  let program: Program;

  beforeAll(async () => {
    place = await takePlace();
    program = await place.start({ command: 'server', env: { SPANDREL_GATEWAY_URL: 'https://gateway.example/' } });
  });
  afterAll(async () => {
    await browser.close();
    await place?.close();
  });

  const isLive = (page: Page): Promise<void> =>
    page.getByRole('status', { name: 'Live updates' }).getByText('Live').waitFor();
  const shows = (page: Page, name: string): Promise<void> => page.getByRole('link', { name }).waitFor();

  inBrowser('says that a credential is needed', async () => {
    const { page, axe, close } = await browser.open(program.apiUrl);
    await page.goto(program.apiUrl);
    await page.getByRole('alert').getByText('a credential is needed').waitFor();
    expect(await axe()).toEqual([]);
    await close();
  });

  inBrowser('is kept live by one tab for all where there are no shared workers', async () => {
    const watched = await browser.open(program.apiUrl, { extraHTTPHeaders: { ...place.headers } });
    const { page: first } = watched;
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
    expectNoFaults(watched);
    await watched.close();
  });
});
