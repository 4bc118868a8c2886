/** The page of traces, as people use it: with the mouse, and by keys alone. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { chooseInMenu, expectAccessible, expectSoon, settled, tabTo } from './page-steps.ts';
import { recordTraces } from './recorded-traces.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const shell = promisify(execFile);
const open = () => page.goto(program.apiUrl);
const grid = (): Locator => page.getByRole('grid', { name: 'Traces' });
const row = (name: string): Locator =>
  grid()
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
const count = (): Locator => page.getByRole('status', { name: 'Result count' });
const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
const parameters = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);

const onNothing = journeysOn(async () => undefined);

describe('an empty instance', () => {
  onNothing();

  inBrowser('shows the lines of the first call, and fills by itself', async () => {
    await open();
    await page.getByRole('heading', { name: 'No traces yet' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/traces');
    await expectSoon(() => page.title(), 'Traces · Spandrel');
    const first = page.getByRole('group', { name: 'Send your first call' });
    await first.getByRole('status').getByText('Waiting for the first call').waitFor();
    await expectAccessible(watched);
    for (const language of ['Python', 'TypeScript', 'curl']) {
      await first.getByRole('tab', { name: language }).click();
      await first.getByRole('tabpanel', { name: language }).getByText(`${program.gatewayUrl}/v1`).waitFor();
    }
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    const rightOf = async (part: Locator): Promise<number> => {
      const { x, width } = (await part.boundingBox())!;
      return x + width;
    };
    await expectSoon(async () => (await rightOf(first)) <= 390, true);
    expect(await rightOf(first.getByRole('button', { name: 'Copy' }))).toBeLessThan(await rightOf(first));
    await page.setViewportSize(usual);
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    // Without the mouse: what is copied is what is run.
    await tabTo(first.getByRole('button', { name: 'Copy' }));
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Notifications' }).getByText('Copied').waitFor();
    const steps = page.getByRole('region', { name: 'First steps' });
    await expectSoon(
      () => steps.getByRole('listitem').allInnerTexts(),
      ['Record a call', 'Make a dataset', 'Add a connection', 'Evaluate', 'Review'],
    );
    await steps.getByText('Point a client at the gateway.').waitFor();
    const command = await watched.clipboard();
    await shell('sh', ['-c', command], { env: { PATH: process.env['PATH'], OPENAI_API_KEY: 'test' } });
    await grid().waitFor();
    await grid().getByRole('row').nth(1).getByText('Completed').waitFor();
    await expectSoon(() => count().textContent(), '1 trace');
    await steps.getByText('Record a call, done').waitFor();
    await steps.getByText('Open a trace, choose a span, and press Add to dataset.').waitFor();
    await steps.getByRole('button', { name: 'Dismiss first steps' }).click();
    await page.reload();
    await grid().waitFor();
    expect(await steps.count()).toBe(0);
    expectNoFaults(watched);
  });
});

describe('two thousand traces', () => {
  const TRACES = 2_000;
  const onTraces = journeysOn(() => recordTraces(program.api, TRACES));
  onTraces();

  inBrowser('are found by status and time, and the address keeps it', async () => {
    await open();
    await count().getByText('2,000 traces').waitFor();
    await expectAccessible(watched);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed');
    await page.getByRole('combobox', { name: 'Time range' }).selectOption('Last 24 hours');
    await count().getByText('144 traces').waitFor();
    expect(parameters()).toEqual({ status: 'failed', range: '24h' });
    await page.reload();
    await count().getByText('144 traces').waitFor();
    await page.getByRole('button', { name: 'Remove filter: Status Failed' }).click();
    // One less for each minute since they were recorded.
    await count()
      .getByText(/^1,43\d traces$/)
      .waitFor();
    await page.goBack();
    await count().getByText('144 traces').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await count().getByText('2,000 traces').waitFor();
    expect(parameters()).toEqual({});
    expectNoFaults(watched);
  });

  inBrowser('stand below first steps that move nothing when they are known, in a narrow window, too', async () => {
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    try {
      await open();
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.waitFor();
      const { height } = (await steps.boundingBox())!;
      await steps.getByText('Open a trace, choose a span, and press Add to dataset.').waitFor();
      expect((await steps.boundingBox())!.height).toBe(height);
    } finally {
      await page.setViewportSize(usual);
    }
    expectNoFaults(watched);
  });

  inBrowser('are found by a range whose ends are typed by keys', async () => {
    await page.goto(`${program.apiUrl}/traces?since=2026-03-02T11:00:00.000Z`);
    await page.getByLabel(/^From/).focus();
    await page.keyboard.type('02282026');
    await expectSoon(() => parameters(), { since: '2026-02-28T11:00:00.000Z' });
    // The year is taken away: the field has no value, and the list is as it was until it has one.
    await page.keyboard.press('Backspace');
    await expectSoon(() => page.getByLabel(/^From/).inputValue(), '');
    expect(parameters()).toEqual({ since: '2026-02-28T11:00:00.000Z' });
    await page.keyboard.type('2025');
    await expectSoon(() => parameters(), { since: '2025-02-28T11:00:00.000Z' });
    expectNoFaults(watched);
  });

  inBrowser('are read by keys alone, and one comes back to the row one left', async () => {
    await open();
    await row('answer a ticket 0').waitFor();
    for (const [keys, name] of [
      ['?', 'Keyboard shortcuts'],
      ['Control+k', 'Command menu'],
    ] as const) {
      await page.keyboard.press(keys);
      const dialog = page.getByRole('dialog', { name });
      await dialog.waitFor();
      await expectAccessible(watched);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await page.keyboard.press('/');
    await page.keyboard.type('classify');
    await count().getByText('500 traces').waitFor();
    await page.keyboard.press('Tab');
    for (const _ of ['Running', 'Completed', 'Failed']) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    for (const _ of ['15 minutes', 'hour', '24 hours']) await page.keyboard.press('ArrowDown');
    await count().getByText('72 traces').waitFor();
    // They are counted before they are listed.
    await expectSoon(
      () => grid().getByRole('row').nth(1).getByRole('link').first().textContent(),
      'classify intent 13',
    );
    for (const _ of Array.from({ length: 31 })) await page.keyboard.press('j');
    await expectSoon(focused, expect.stringContaining('classify intent 613'));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\/trace-613$/);
    await page.getByRole('heading', { level: 1, name: 'classify intent 613' }).waitFor();
    await page.getByRole('treegrid').waitFor();
    await page.keyboard.press('Escape');
    await row('classify intent 613').waitFor();
    await expectSoon(focused, expect.stringContaining('classify intent 613'));
    expect(parameters()).toEqual({ name_contains: 'classify', status: 'failed', range: '24h' });
    // Above the first row are the headers.
    for (const [key, text] of [
      ['Home', 'classify intent 13'],
      ['ArrowUp', 'Started'],
      ['ArrowRight', 'Duration'],
      ['ArrowDown', 'classify intent 13'],
    ] as const) {
      await page.keyboard.press(key);
      await expectSoon(focused, expect.stringContaining(text));
    }
    expectNoFaults(watched);
  });

  inBrowser('are narrowed and sorted by keys alone', async () => {
    await open();
    await count().getByText('2,000 traces').waitFor();
    const filterBy = async (name: string, value: string): Promise<void> => {
      await page.getByRole('button', { name: 'Add filter' }).focus();
      await page.keyboard.press('Enter');
      await chooseInMenu(page, name);
      await page.getByRole('dialog', { name: `Filter by ${name.toLowerCase()}` }).waitFor();
      await page.keyboard.type(value);
    };
    await filterBy('Model', 'gpt');
    await page.getByRole('option', { name: 'gpt-4o-mini' }).waitFor();
    await expectAccessible(watched);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: Model gpt-4o-mini' }).waitFor();
    await filterBy('Tag', 'vip');
    await page.keyboard.press('Enter');
    await count().getByText('667 traces').waitFor();
    await filterBy('Minimum duration', '1.2 s');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: Minimum duration 1.20 s' }).waitFor();
    const header = grid().getByRole('columnheader', { name: 'Started' });
    await expectSoon(() => header.getAttribute('aria-sort'), 'descending');
    await grid().getByRole('row').nth(1).focus();
    await page.keyboard.press('End');
    await header.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await row('checkout 1995').waitFor();
    await expectSoon(() => header.getAttribute('aria-sort'), 'ascending');
    expect(parameters()).toEqual({ tag: 'vip', model: 'gpt-4o-mini', duration_min: '1200', sort_order: 'asc' });
    await page.reload();
    await row('checkout 1995').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await count().getByText('2,000 traces').waitFor();
    expect(parameters()).toEqual({});
    expectNoFaults(watched);
  });

  inBrowser('are found by their metadata, which is a column, and a trace leads back to them', async () => {
    await open();
    await row('answer a ticket 0').waitFor();
    await program.api.patch('/api/traces/trace-3', {
      metadata: { release: '2.5.0', seed: JSON.rawJSON('12345678901234567890') },
    });
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('menuitem', { name: 'Metadata' }).click();
    const dialog = page.getByRole('dialog', { name: 'Filter by metadata' });
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.getByText('Type a key and its value.').waitFor();
    await dialog.getByRole('textbox', { name: 'Key' }).fill('release');
    await dialog.getByRole('textbox', { name: 'Value' }).fill('2.5.0');
    await expectAccessible(watched);
    await page.keyboard.press('Enter');
    await count().getByText('1 trace').waitFor();
    expect(parameters()).toEqual({ 'metadata.release': '2.5.0' });
    await page.getByRole('button', { name: 'Remove filter: Metadata release=2.5.0' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Metadata' }).check();
    await grid().getByText('release=2.5.0, seed=12345678901234567890').waitFor();
    await page.keyboard.press('Escape');
    await grid().getByRole('link').click();
    const facts = page.getByRole('list', { name: 'Trace facts' });
    await facts.getByText('12345678901234567890').waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Traces' }).click();
    await count().getByText('1 trace').waitFor();
    expect(parameters()).toMatchObject({ 'metadata.release': '2.5.0' });
    expectNoFaults(watched);
  });

  inBrowser('have columns as wide as they were made', async () => {
    await open();
    const status = (): Locator => grid().getByRole('columnheader', { name: 'Status' });
    const width = async (): Promise<number> => (await status().boundingBox())!.width;
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('slider', { name: 'Width of Status' }).focus();
    await page.keyboard.press('End');
    await until(async () => (await width()) === 800);
    await page.keyboard.press('Home');
    await until(async () => (await width()) === 48);
    await expectAccessible(watched);
    await page.keyboard.press('Escape');
    const box = (await settled(page, () => status().boundingBox()))!;
    await page.mouse.move(box.x + box.width + 4, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 104, box.y + 8);
    await page.mouse.up();
    await until(() => /status:148/.test(parameters()['cols'] ?? ''));
    await page.goto(`${program.apiUrl}/traces`);
    await until(async () => (await width()) === 148);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Reset columns' }).click();
    await until(async () => (await width()) === 90);
    expect(parameters()).toEqual({});
    expectNoFaults(watched);
  });

  inBrowser('are deleted when they were selected, after a question', async () => {
    await open();
    await row('answer a ticket 0').getByRole('checkbox').check();
    await row('classify intent 1').getByRole('checkbox').check();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete 2 traces?' });
    await question.getByText('2 spans').waitFor();
    await expectAccessible(watched);
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Deleted 2 traces').waitFor();
    await row('answer a ticket 0').waitFor({ state: 'detached' });
    expect((await program.api.get('/api/traces/trace-0')).status).toBe(404);
    expectNoFaults(watched);
  });

  inBrowser('stay where they are while others arrive', async () => {
    await open();
    await row('checkout 7').hover();
    await page.mouse.wheel(0, 1_500);
    const firstVisible = (): Promise<string> =>
      page.evaluate(`(() => {
        const { left, top } = document.querySelector('[role=grid]').getBoundingClientRect();
        return document.elementFromPoint(left + 200, top + 60)?.closest('[role=row]')?.getAttribute('aria-rowindex');
      })()`);
    await until(async () => Number(await firstVisible()) > 20);
    const before = await settled(page, firstVisible);
    const arrivals = Array.from({ length: 50 }, (_, n) => program.api.post('/api/traces', { name: `arrived ${n}` }));
    await Promise.all(arrivals);
    const held = page.getByRole('button', { name: '50 new traces' });
    await held.waitFor();
    expect(await settled(page, firstVisible)).toBe(before);
    // From the rows one key leads there.
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+Tab');
    await expectSoon(focused, '50 new traces');
    await page.keyboard.press('Enter');
    await expectSoon(() => page.evaluate('document.activeElement.getAttribute("aria-rowindex")'), '2');
    await expectSoon(focused, expect.stringContaining('arrived'));
    expectNoFaults(watched);
  });
});
