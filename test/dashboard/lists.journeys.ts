/** What holds in every list and in the shell around it: addresses, errors in place, the menus, names. */
import { describe, expect } from '@jest/globals';
import { expectNoFaults, expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { askedWithin, expectAccessible, expectFewAsked, expectSoon, runCommand } from './page-steps.ts';
import { recordTraces } from './recorded-traces.ts';
import { browser, journeysOn, page, program, watched } from './shared-dashboard.ts';

const go = (path: string) => page.goto(program.apiUrl + path);
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const count = () => page.getByRole('status', { name: 'Result count' });

describe('the shell and its lists', () => {
  const onTraces = journeysOn(async () => {
    await recordTraces(program.api, 300);
    await program.api.post('/api/datasets', { name: 'Refund questions' });
  });
  onTraces();

  inBrowser('leave out what an address has that no page reads', async () => {
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    for (const [path, name] of [
      ['/traces', 'Traces'],
      ['/spans', 'Spans'],
      ['/sessions', 'Sessions'],
    ] as const) {
      await go(`${path}?utm_source=x&status=nonsense&sort_by=nothing`);
      await page.getByRole('grid', { name }).getByRole('row').nth(1).waitFor();
      expect(await button('Clear filters').count()).toBe(0);
    }
    for (const path of ['/analytics', '/datasets', '/evaluations', '/review', '/events', '/connections', '/settings']) {
      await go(`${path}?utm_source=x`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    expect(asked.filter((url) => url.includes('/api/') && /utm_source|nonsense|nothing/.test(url))).toEqual([]);
    expectNoFaults(watched);
  });

  inBrowser('ask for few things while they are shown, and for their rows once', async () => {
    for (const [path, name] of [
      ['/traces', 'Traces'],
      ['/spans', 'Spans'],
      ['/sessions', 'Sessions'],
    ] as const) {
      await go(path);
      await page.getByRole('grid', { name }).getByRole('row').nth(1).waitFor();
      await expectFewAsked(page);
      // What was missed while a page opened is asked for 3 s after that.
      const asked = await askedWithin(page, 2_800);
      expect(asked.filter(([url]) => url.includes(`/api${path}?`)).length).toBeLessThanOrEqual(1);
    }
    expectNoFaults(watched);
  });

  inBrowser('are refreshed by one control, which a range that has ended turns off', async () => {
    await go('/traces');
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    const refresh = button('Auto-refresh');
    expect(await refresh.getAttribute('aria-pressed')).toBe('true');
    await go('/traces?until=2026-01-01T00:00:00.000Z');
    await expectSoon(() => refresh.getAttribute('aria-pressed'), 'false');
    expect(await refresh.isDisabled()).toBe(true);
    expectNoFaults(watched);
  });

  inBrowser(
    'say in place what failed, with its code and request, which are copied without a clipboard, too',
    async () => {
      const problem = {
        ...{ type: 'about:blank', title: 'Internal error', status: 500, detail: 'The disk is full.' },
        ...{ code: 'internal_error', request_id: '01JREQUEST' },
      };
      await page.route('**/api/traces?*', (route) =>
        route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
      );
      await go('/traces');
      const alert = page.getByRole('main').getByRole('alert');
      await alert.getByText('Traces could not be loaded').waitFor();
      await alert.getByText('internal_error · request 01JREQUEST').waitFor();
      await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
      await page.evaluate(
        `document.addEventListener('copy', () => { globalThis.copied = getSelection().toString(); })`,
      );
      await alert.getByRole('button', { name: 'Copy' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Notifications' }).getByText('Copied the error').waitFor();
      expect(await watched.clipboard()).toBe(
        'Traces could not be loaded\nThe disk is full.\ninternal_error · request 01JREQUEST',
      );
      await expectSoon(() => page.evaluate('document.activeElement.textContent'), 'Copy');
      await page.unroute('**/api/traces?*');
      await alert.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('grid', { name: 'Traces' }).getByRole('row').nth(1).waitFor();
      expectNoFaultsBut(watched, /500/);
    },
  );

  inBrowser('are reached by name from the command menu, and a wrong address says so', async () => {
    const answer = await go('/nope?x=1');
    expect(answer!.status()).toBe(404);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await expectAccessible(watched);
    for (const [typed, option, path] of [
      ['Refund', 'Refund questions', /\/datasets\//],
      ['classify intent 13', 'classify intent 13', /\/traces\/trace-13$/],
    ] as const) {
      await runCommand(page, typed, option);
      await page.waitForURL(path);
      await page.getByRole('dialog', { name: 'Command menu' }).waitFor({ state: 'detached' });
    }
    expectNoFaultsBut(watched, /404/);
  });

  inBrowser('give names that are long, or of several lines, the room of others', async () => {
    const { api } = program;
    const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'wide '.repeat(40) });
    await api.post('/api/traces', { id: 'of-lines', name: 'of lines:\none\ntwo\nthree' });
    await go('/evaluations?status=failed');
    const datasets = page.getByRole('combobox', { name: 'Dataset', exact: true });
    await datasets.locator('option', { hasText: 'wide' }).waitFor({ state: 'attached' });
    expect((await datasets.boundingBox())!.width).toBeLessThanOrEqual(280);
    await page.keyboard.press('Control+k');
    const menu = page.getByRole('dialog', { name: 'Command menu' });
    await menu.getByRole('combobox', { name: 'Command' }).fill('of lines');
    expect((await menu.getByRole('option', { name: 'of lines: one two three' }).boundingBox())!.height).toBe(28);
    await api.delete('/api/traces/of-lines');
    await api.delete(`/api/datasets/${dataset.id}`);
    expectNoFaults(watched);
  });

  inBrowser('are reached through one line on a phone', async () => {
    const size = page.viewportSize()!;
    try {
      await page.setViewportSize({ width: 390, height: 844 });
      await go('/traces');
      await count().getByText('300 traces').waitFor();
      const navigation = page.getByRole('navigation', { name: 'Main' });
      expect((await navigation.boundingBox())!.height).toBeLessThan(48);
      expect(await navigation.getByRole('link').count()).toBe(0);
      await navigation.getByRole('button', { name: 'Menu' }).click();
      await expectAccessible(watched);
      await navigation.getByRole('link', { name: 'Spans' }).click();
      await page.getByRole('grid', { name: 'Spans' }).waitFor();
      expect(await navigation.getByRole('link').count()).toBe(0);
    } finally {
      await page.setViewportSize(size);
    }
    expectNoFaults(watched);
  });

  inBrowser('are connected on Events once its own stream is open', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    await page.route('**/api/events?*', async (route) => {
      await opened;
      await route.continue();
    });
    await go('/events');
    const status = page.getByRole('status', { name: 'Live updates' });
    await status.getByText('Reconnecting').waitFor();
    open();
    await status.getByText('Connected').waitFor();
    await page.unroute('**/api/events?*');
    expectNoFaults(watched);
  });

  inBrowser('show a trace beside them, by keys alone', async () => {
    await go('/traces');
    const rows = page.getByRole('grid', { name: 'Traces' }).getByRole('row');
    await rows.nth(1).getByRole('link').first().waitFor();
    expect(await page.getByRole('columnheader', { name: 'Input' }).count()).toBe(1);
    expect((await page.getByRole('columnheader', { name: 'Name' }).boundingBox())!.width).toBeLessThanOrEqual(240);
    const peek = page.getByRole('region', { name: 'Peek' });
    const peeked = (): string | null => new URL(page.url()).searchParams.get('peek');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await peek.getByRole('heading', { level: 2, name: 'answer a ticket 0' }).waitFor();
    await expectSoon(peeked, 'trace-0');
    await peek.getByRole('region', { name: 'Span details' }).waitFor();
    await expectAccessible(watched);
    await page.keyboard.press('j');
    await peek.getByRole('heading', { level: 2, name: 'classify intent 1' }).waitFor();
    await expectSoon(peeked, 'trace-1');
    await page.reload();
    await peek.getByRole('heading', { level: 2, name: 'classify intent 1' }).waitFor();
    await rows.nth(2).getByRole('link').first().waitFor();
    await rows.nth(2).focus();
    await page.keyboard.press('k');
    await expectSoon(peeked, 'trace-0');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\/trace-0$/);
    await page.goBack();
    await peek.getByRole('heading', { level: 2, name: 'answer a ticket 0' }).waitFor();
    await page.keyboard.press('Escape');
    await peek.waitFor({ state: 'detached' });
    expect(peeked()).toBeNull();
    await rows.nth(3).getByRole('link').first().waitFor();
    await rows.nth(3).getByRole('gridcell').nth(3).click();
    await expectSoon(peeked, 'trace-2');
    await go('/spans');
    await page.getByRole('grid', { name: 'Spans' }).getByRole('link').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await peek.getByRole('region', { name: 'Span details' }).waitFor();
    await page.reload();
    await peek.getByRole('region', { name: 'Span details' }).waitFor();
    expectNoFaults(watched);
  });

  inBrowser('are selected by the page', async () => {
    const selection = page.getByRole('toolbar', { name: 'Selection' });
    const wholePage = page.getByRole('checkbox', { name: 'Select this page' });
    let answer = (): void => undefined;
    const held = new Promise<void>((done) => (answer = done));
    await page.route('**/api/traces?*', async (route) => {
      await held;
      await route.continue();
    });
    await go('/traces');
    await expectSoon(() => wholePage.isDisabled(), true);
    answer();
    await count().getByText('300 traces').waitFor();
    await wholePage.check();
    await selection.getByText(/^(200|300) selected$/).waitFor();
    await expectAccessible(watched);
    await wholePage.uncheck();
    await selection.waitFor({ state: 'detached' });
    expectNoFaults(watched);
  });

  inBrowser('are selected whole, and added, sent to review and deleted in the background', async () => {
    const selection = page.getByRole('toolbar', { name: 'Selection' });
    const notes = page.getByRole('region', { name: 'Notifications' });
    const pressed = (name: string) => selection.getByRole('button', { name, exact: true }).click();
    const selectAll = async (one: string): Promise<void> => {
      await count().getByText(`300 ${one}s`).waitFor();
      await page.getByRole('checkbox', { name: 'Select this page' }).check();
      await pressed('Select all 300 that match');
      await selection.getByText('300 selected').waitFor();
    };
    const confirm = async (title: string): Promise<void> => {
      const question = page.getByRole('alertdialog', { name: title });
      await expectAccessible(watched);
      await question.getByRole('button', { name: 'Delete' }).click();
    };
    // Each fails once: behind the first, nothing was made; behind the second, what was made does not wait for review yet.
    for (const path of ['**/export-spans', '**/api/datasets/*/queue'])
      await page.route(path, (route) => route.fulfill({ status: 500, body: '{}' }), { times: 1 });
    await go('/traces');
    for (const [added, faults] of [
      ['Added 300 datapoints', 2],
      ['Added 0, 300 were there already', 0],
    ] as const) {
      await selectAll('trace');
      await pressed('Add to dataset');
      const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
      await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('Refund questions');
      await dialog.getByRole('checkbox', { name: 'Send to review' }).check();
      await expectAccessible(watched);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      for (let at = 0; at < faults; at++) {
        await notes.getByText('Adding to the dataset has stopped').waitFor();
        await expectAccessible(watched);
        await notes.getByRole('button', { name: 'Try again' }).click();
      }
      await notes.getByText(added, { exact: true }).waitFor();
      await selection.waitFor({ state: 'detached' });
    }
    const { body } = await program.api.get<{ datasets: { id: string }[] }>('/api/datasets');
    const path = `/datasets/${body.datasets[0]!.id}`;
    const waiting = async (): Promise<number[]> => {
      const counts = await program.api.get<{ datasets: { pending: number }[] }>('/api/count/queue');
      return counts.body.datasets.map(({ pending }) => pending);
    };
    expect(await waiting()).toEqual([300]);

    await selectAll('trace');
    await program.api.post('/api/traces', { id: 'later', name: 'later', started_at: new Date().toISOString() });
    await pressed('Delete');
    await confirm('Delete 300 traces?');
    await notes.getByText('Deleted 300 traces', { exact: true }).waitFor();
    const { body: left } = await program.api.get<{ traces: { id: string }[] }>('/api/traces');
    expect(left.traces.map(({ id }) => id)).toEqual(['later']);

    await go(path);
    await selectAll('datapoint');
    await pressed('Send to review');
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await notes.getByText('Sent 0, 300 were there already', { exact: true }).waitFor();
    await selectAll('datapoint');
    await pressed('Delete');
    await confirm('Delete 300 datapoints?');
    await notes.getByText('Deleted 300 datapoints', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'No datapoints yet' }).waitFor();
    expect(await waiting()).toEqual([]);
    expectNoFaultsBut(watched, /500/);
  });
});

describe('pages that are live', () => {
  journeysOn(async () => undefined)();

  inBrowser('show what happened before their stream was open, and while another page was shown', async () => {
    const { api } = program;
    const trace = { id: 'late', name: 'first turn', session_id: 'late', started_at: '2026-01-01T00:00:00.000Z' };
    const record = (id: string) => ({ id, trace_id: 'late', name: id, kind: { type: 'custom' }, status: 'completed' });
    await api.post('/api/ingest', { traces: [trace], spans: [record('known')] });
    const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'Late' });
    const add = (input: string) => api.post(`/api/datasets/${dataset.id}/datapoints`, { kind: { Generic: { input } } });
    await add('known');
    // Streams of shared workers cannot be held.
    const own = await browser.open(program.apiUrl);
    await own.page.context().addInitScript('delete globalThis.SharedWorker');
    const shows = (text: string | RegExp) => own.page.getByRole('main').getByText(text).first().waitFor();
    const spans = ['known', 'one', 'two', 'three'].map(record);
    const cases = [
      ['/traces/late', 'known', () => api.post('/api/ingest', { spans: spans.slice(1, 2) }), 'one'],
      [
        '/sessions/late',
        'first turn',
        () => api.post('/api/ingest', { traces: [{ ...trace, id: 'later', name: 'second turn' }] }),
        'second turn',
      ],
      ['/traces', 'first turn', () => api.post('/api/traces', { name: 'begun late' }), 'begun late'],
      [`/datasets/${dataset.id}`, 'known', () => add('added late'), 'added late'],
    ] as const;
    for (const [path, before, act, after] of cases) {
      let open = (): void => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      await own.page.route('**/api/events?*', (route) => opened.then(() => route.continue()));
      await own.page.goto(program.apiUrl + path);
      await shows(before);
      expect((await act()).status).toBeLessThan(300);
      open();
      await shows(after);
      await own.page.unroute('**/api/events?*');
    }
    await own.page.goto(`${program.apiUrl}/traces/late`);
    await shows('one');
    await own.page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    await own.page.getByRole('link', { name: 'Datasets', exact: true }).click();
    await own.page.getByRole('grid', { name: 'Datasets' }).waitFor();
    await api.post('/api/ingest', { spans: spans.slice(2) });
    await own.page.goBack();
    await shows('three');
    expectNoFaults(own);
    await own.close();
  });
});
