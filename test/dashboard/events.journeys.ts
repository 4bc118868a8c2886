/** The page of events: live, paused, by type, and replayed from the log. */
import { describe, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const log = (): Locator => page.getByRole('log', { name: 'Events' });
const row = (text: string | RegExp): Locator => log().getByRole('listitem').filter({ hasText: text });
const shows = (text: string | RegExp): Promise<void> => row(text).last().waitFor();
const count = (words: string | RegExp): Promise<void> => page.getByText(words).waitFor();
const pause = (): Locator => page.getByRole('button', { name: 'Pause' });
const dataset = async (name: string): Promise<string> =>
  (await program.api.post<{ id: string }>('/api/datasets', { name })).body.id;

/** Many traces at once, each an event. */
async function recordTraces(from: number, to: number): Promise<void> {
  const traces = Array.from({ length: to - from }, (_, n) => ({ id: `trace-${from + n}`, name: `trace ${from + n}` }));
  expect((await program.api.post('/api/ingest', { traces })).status).toBe(200);
}

const onNothing = journeysOn(async () => undefined, { isOneVisit: true });

describe('events', () => {
  onNothing();

  inBrowser('come as they happen, with links to their objects', async () => {
    const answered = page.waitForResponse((response) => response.url().includes('/api/events?view=outline&'));
    await page.goto(`${program.apiUrl}/events?since=0`);
    // What happens before the stream is there is replayed.
    await answered;
    const first = await dataset('First');
    await shows('dataset_created');
    expect(await row('dataset_created').getByRole('link', { name: 'First' }).getAttribute('href')).toBe(
      `/datasets/${first}`,
    );
    const { body: point } = await program.api.post<{ id: string }>(`/api/datasets/${first}/datapoints`, {
      kind: { Generic: { input: 'x' } },
    });
    await program.api.post(`/api/datasets/${first}/queue`, { datapoint_ids: [point.id] });
    const { body: item } = await program.api.post<{ id: string }>(`/api/datasets/${first}/queue/next`);
    await program.api.post('/api/ingest', {
      traces: [{ id: 'x:y' }],
      spans: [{ id: 'a:b', trace_id: 'x:y', name: 'Broken', status: 'failed', error: 'boom' }],
    });
    await shows('span_failed');
    const links = log().getByRole('listitem').getByRole('link');
    await expectSoon(
      () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))),
      [
        ...[`/datasets/${first}`, `/datasets/${first}/datapoints/${point.id}`, `/review/${first}?item=${item.id}`],
        ...['/traces/x%3Ay', '/traces/x%3Ay?span=a%3Ab', '/traces/x%3Ay?span=a%3Ab'],
      ],
    );
    await expectAccessible(watched);
  });

  inBrowser('wait while the page is paused, by the space bar', async () => {
    await page.getByRole('heading', { name: 'Events', level: 1 }).focus();
    await page.keyboard.press('Space');
    await expectSoon(() => pause().getAttribute('aria-pressed'), 'true');
    await dataset('Second');
    await count(/^6 events, paused, 1 waiting/);
    expect(await row('Second').count()).toBe(0);
    await page.keyboard.press('Space');
    await shows('Second');
    await page.getByRole('button', { name: 'Clear view' }).click();
    await count(/^0 events/);
  });

  inBrowser('are chosen by type, and replayed after a number', async () => {
    const type = page.getByRole('combobox', { name: 'Type' });
    await type.selectOption('queue_item_updated');
    await page.waitForURL(/\/events\?since=0&types=queue_item_updated$/);
    await page.goto(`${program.apiUrl}/events?types=dataset_created&since=1`);
    await shows('Second');
    await expectSoon(() => type.inputValue(), 'dataset_created');
    expect(await row('First').count()).toBe(0);
    await type.selectOption('');
    await shows('claimed by local');
    await count(/^6 events/);
  });

  inBrowser('are two thousand at most, the newest at the end in view', async () => {
    await recordTraces(0, 2_100);
    await shows('trace 2099');
    await count(/^2,000 events, 106 older events are no longer shown/);
    expect(await log().getByRole('listitem').count()).toBeLessThan(200);
    await log().focus();
    await page.keyboard.press('Home');
    await shows(/trace 100$/);
    await page.getByRole('button', { name: 'Go to the newest' }).click();
    await shows('trace 2099');
    await row('trace 2099').getByRole('link').click();
    await page.getByRole('heading', { name: 'trace 2099', level: 1 }).waitFor();
    expectNoFaults(watched);
  });
});
