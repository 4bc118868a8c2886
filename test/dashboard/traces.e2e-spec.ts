/** The page of traces, as people use it: with the mouse, and by keys alone. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { takeDirectory, type Place, type Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { DashboardBrowser, expectNoFaults, hasBrowser, inBrowser, type WatchedPage } from './dashboard-browser.ts';
import { recordTraces } from './recorded-traces.ts';

const shell = promisify(execFile);
const browser = new DashboardBrowser();
let provider: FakeProvider;
let place: Place;
let program: Program;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  provider = await startFakeProvider();
  place = await takeDirectory();
  program = await place.start({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
});
afterAll(async () => {
  await browser.close();
  await place?.close();
  await provider?.close();
});

const grid = (): Locator => page.getByRole('grid', { name: 'Traces' });
const row = (name: string): Locator =>
  grid()
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
const count = (): Locator => page.getByRole('status', { name: 'Result count' });
const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
const parameters = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);

describe('an empty instance', () => {
  beforeEach(open);
  afterEach(close);

  inBrowser('shows the lines of the first call, and fills by itself', async () => {
    await page.getByRole('heading', { name: 'No traces yet' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/traces');
    expect(await page.title()).toBe('Traces · Spandrel');
    const first = page.getByRole('group', { name: 'Send your first call' });
    await first.getByRole('status').getByText('Waiting for the first call').waitFor();
    expect(await watched.axe()).toEqual([]);
    for (const language of ['Python', 'TypeScript', 'curl']) {
      await first.getByRole('tab', { name: language }).click();
      await first.getByRole('tabpanel', { name: language }).getByText(`${program.gatewayUrl}/v1`).waitFor();
    }
    await page.getByRole('status', { name: 'Live updates' }).getByText('Live').waitFor();
    // Without the mouse: what is copied is what is run.
    await first.getByRole('button', { name: 'Copy' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Notifications' }).getByText('Copied').waitFor();
    const command = await watched.clipboard();
    await shell('sh', ['-c', command], { env: { PATH: process.env['PATH'], OPENAI_API_KEY: 'test' } });
    await grid().waitFor();
    await grid().getByRole('row').nth(1).getByText('Completed').waitFor();
    expect(await count().textContent()).toBe('1 trace');
    expectNoFaults(watched);
  });
});

describe('two thousand traces', () => {
  const TRACES = 2_000;
  beforeAll(async () => {
    await program.api.delete('/api/traces');
    await recordTraces(program.api, TRACES);
  });
  beforeEach(open);
  afterEach(close);

  inBrowser('are found by status and time, and the address keeps it', async () => {
    await count().getByText('2,000 traces').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed');
    await page.getByRole('combobox', { name: 'Time range' }).selectOption('Last 24 hours');
    await count().getByText('144 traces').waitFor();
    expect(parameters()).toEqual({ status: 'failed', range: '24h' });
    await page.reload();
    await count().getByText('144 traces').waitFor();
    await page.getByRole('button', { name: 'Remove filter: Status Failed' }).click();
    await count().getByText('1,439 traces').waitFor();
    await page.goBack();
    await count().getByText('144 traces').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await count().getByText('2,000 traces').waitFor();
    expect(parameters()).toEqual({});
    expectNoFaults(watched);
  });

  inBrowser('are read by keys alone, and one comes back to the row one left', async () => {
    await row('answer a ticket 0').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('classify');
    await count().getByText('500 traces').waitFor();
    for (const _ of Array.from({ length: 30 })) {
      if ((await page.evaluate('document.activeElement.getAttribute("role")')) === 'row') break;
      await page.keyboard.press('Tab');
    }
    for (const _ of Array.from({ length: 30 })) await page.keyboard.press('j');
    expect(await focused()).toContain('classify intent 121');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\/trace-121$/);
    await page.getByRole('heading', { level: 1, name: 'classify intent 121' }).waitFor();
    await page.goBack();
    await row('classify intent 121').waitFor();
    await until(async () => (await focused()).includes('classify intent 121'));
    expect(parameters()).toEqual({ name_contains: 'classify' });
    expectNoFaults(watched);
  });

  inBrowser('are deleted when they were selected, after a question', async () => {
    await row('answer a ticket 0').getByRole('checkbox').check();
    await row('classify intent 1').getByRole('checkbox').check();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete 2 traces?' });
    await question.getByText('2 spans').waitFor();
    expect(await watched.axe()).toEqual([]);
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Deleted 2 traces').waitFor();
    await row('answer a ticket 0').waitFor({ state: 'detached' });
    expect((await program.api.get('/api/traces/trace-0')).status).toBe(404);
    expectNoFaults(watched);
  });

  inBrowser('stay where they are while others arrive', async () => {
    await row('checkout 7').hover();
    await page.mouse.wheel(0, 1_500);
    const firstVisible = (): Promise<string> =>
      page.evaluate(`(() => {
        const { left, top } = document.querySelector('[role=grid]').getBoundingClientRect();
        return document.elementFromPoint(left + 200, top + 60).closest('[role=row]').getAttribute('aria-rowindex');
      })()`);
    await until(async () => Number(await firstVisible()) > 20);
    const before = await firstVisible();
    const arrivals = Array.from({ length: 50 }, (_, n) => program.api.post('/api/traces', { name: `arrived ${n}` }));
    await Promise.all(arrivals);
    const held = page.getByRole('button', { name: '50 new traces' });
    await held.waitFor();
    expect(await firstVisible()).toBe(before);
    await held.focus();
    await page.keyboard.press('Enter');
    await until(async () => (await focused()).includes('arrived'));
    expect(await page.evaluate('document.activeElement.getAttribute("aria-rowindex")')).toBe('2');
    expectNoFaults(watched);
  });
});

async function open(): Promise<void> {
  if (!hasBrowser) return;
  watched = await browser.open(program.apiUrl);
  ({ page } = watched);
  await page.goto(program.apiUrl);
}

async function close(): Promise<void> {
  await watched?.close();
}
