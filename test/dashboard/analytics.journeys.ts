/** Where the money went: the page Analytics, with the mouse and by keys alone. */
import { describe, expect } from '@jest/globals';
import type { AnalyticsSummary, TimeBucket } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectFewAsked, expectSoon, pressInTurn, settled } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const HOUR_MS = 3_600_000;
const FIRST = Date.UTC(2026, 2, 2, 10, 15);
/** Hours with spans: two days are in buckets of an hour. */
const HOURS = [0, 1, 2, 3, 20, 30];
const MODELS = ['gpt-4o', 'claude-sonnet', 'own'];

const open = (path: string) => page.goto(`${program.apiUrl}${path}`);
const figure = (name: string): Locator => page.getByRole('figure', { name, exact: true });
const chart = (name: string): Locator => figure(name).getByRole('application');
const spoken = async (name: string): Promise<string> => (await figure(name).locator('[aria-live]').textContent()) ?? '';
const parameters = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);
const texts = (rows: Locator): Promise<string[][]> =>
  rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
  );
const dollars = (cost: number | null): string => (cost === null ? '–' : cost === 0 ? '$0' : `$${cost.toFixed(2)}`);
/** What the spans of an address come to. */
const countOf = async (query: URLSearchParams): Promise<number> =>
  (await program.api.get<{ count: number }>(`/api/count/spans?${query.toString()}`)).body.count;

const onNothing = journeysOn(async () => undefined);

describe('analytics of an empty instance', () => {
  onNothing();

  inBrowser('say what would be here, and lead to it', async () => {
    await open('/analytics');
    await page.getByRole('heading', { name: 'No data yet' }).waitFor();
    await expectSoon(() => page.title(), 'Analytics · Spandrel');
    await expectAccessible(watched);
    await page.getByRole('link', { name: 'Send your first call' }).click();
    await page.getByRole('group', { name: 'Send your first call' }).waitFor();
    expectNoFaults(watched);
  });
});

describe('analytics of two days', () => {
  let buckets: TimeBucket[];
  let summary: AnalyticsSummary;

  const onTwoDays = journeysOn(async () => {
    const spans = HOURS.flatMap((hour, n) => MODELS.map((model, m) => span(hour, n, model, m)));
    const { status, body } = await program.api.post<{ rejected: unknown[] }>('/api/ingest', {
      traces: [{ id: 't', name: 't', user_id: 'ada', session_id: 's', metadata: { env: 'prod' } }],
      spans: [...spans, { id: 'tool', trace_id: 't', name: 'tool', started_at: new Date(FIRST).toISOString() }],
    });
    expect([status, body.rejected]).toEqual([200, []]);
    const question = { group_by: 'hour', split_by: 'model', percentiles: true };
    ({ buckets } = (await program.api.post<{ buckets: TimeBucket[] }>('/api/analytics', question)).body);
    summary = (await program.api.get<AnalyticsSummary>('/api/analytics/summary')).body;
  });
  onTwoDays();

  inBrowser('say in totals, charts and tables what the API says', async () => {
    await open('/analytics');
    await expectFewAsked(page);
    const totals = page.getByRole('list', { name: 'Totals' }).getByRole('listitem');
    await totals.getByText(dollars(summary.total_cost)).waitFor();
    const { total_tokens: tokens, total_spans: spans } = summary;
    await expectSoon(
      async () => (await totals.allTextContents()).map((text) => text.trim()),
      [
        `Cost ${dollars(summary.total_cost)}`,
        `Tokens ${tokens.toLocaleString('en-US')} ${(tokens - 180).toLocaleString('en-US')} in (0 cached), 180 out`,
        `Spans ${spans}`,
        `Average latency ${(summary.avg_latency_ms! / 1_000).toFixed(2)} s LLM calls`,
        `Errors 2 LLM calls, ${(summary.error_rate * 100).toFixed(1)}% of those finished`,
      ],
    );
    await page.getByRole('combobox', { name: 'Split by' }).selectOption('Model');
    await page.waitForURL(/split_by=model/);
    await figure('Cost').getByText('claude-sonnet').waitFor();
    await chart('Cost').focus();
    await page.keyboard.press('Home');
    const said: string[] = [];
    for (let hour = 0; hour <= HOURS.at(-1)!; hour++) {
      if (hour > 0) await page.keyboard.press('ArrowRight');
      const time = new Date(FIRST - (FIRST % HOUR_MS) + hour * HOUR_MS).toISOString();
      await expectSoon(() => spoken('Cost'), expect.stringMatching(`^${time.slice(0, 19).replace('T', ' ')}: `));
      said.push(await spoken('Cost'));
    }
    await figure('Cost').getByRole('button', { name: 'Show Cost as table' }).click();
    const table = page.getByRole('table', { name: 'Cost' });
    await expectSoon(
      () => texts(table.getByRole('row')),
      [
        ['From (UTC)', 'All', 'gpt-4o', 'claude-sonnet', 'own'],
        ...buckets.map(({ timestamp, cost, series = [] }) => [
          timestamp.slice(0, 16).replace('T', ' '),
          dollars(cost),
          ...MODELS.map((model) => dollars(series.find(({ key }) => key === model)!.cost)),
        ]),
      ],
    );
    expect(said.filter((text) => !text.endsWith(': nothing'))).toEqual(
      buckets.map(({ timestamp, series = [] }) => {
        const parts = MODELS.map((model) => `${model} ${dollars(series.find(({ key }) => key === model)!.cost)}`);
        return `${timestamp.slice(0, 19).replace('T', ' ')}: ${parts.join(', ')}`;
      }),
    );
    await page.getByRole('combobox', { name: 'Split by' }).selectOption('Nothing');
    await figure('Latency').getByRole('button', { name: 'Show Latency as table' }).click();
    const latencies = page.getByRole('table', { name: 'Latency' });
    const seconds = (ms: number | null | undefined): string => `${(ms! / 1_000).toFixed(2)} s`;
    await expectSoon(
      () => texts(latencies.getByRole('row')),
      [
        ['From (UTC)', 'Average', 'p50', 'p95', 'p99'],
        ...buckets.map(({ timestamp, avg_latency_ms: average, p50_ms: p50, p95_ms: p95, p99_ms: p99 }) => [
          timestamp.slice(0, 16).replace('T', ' '),
          ...[average, p50, p95, p99].map(seconds),
        ]),
      ],
    );
    await expectAccessible(watched);
    expectNoFaults(watched);
  });

  inBrowser('group by one or two keys with their share, and lead from each to its spans', async () => {
    await open('/analytics');
    const rows = page.getByRole('grid', { name: 'Groups' }).getByRole('row');
    await rows.filter({ hasText: 'gpt-4o' }).waitFor();
    const cells = (): Promise<string[][]> =>
      rows.evaluateAll((all) =>
        all.slice(1).map((row) => [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent ?? '')),
      );
    await expectSoon(
      cells,
      MODELS.map((model) => {
        const { count, tokens, cost } = summary.models[model]!;
        const share = `${((cost! / summary.total_cost!) * 100).toFixed(1)}%`;
        const out = count * 10;
        const [a, p95] = [expect.stringMatching(/^\$\d/), expect.stringMatching(/^\d\.\d\d s$/)];
        const errors = model === MODELS[0] ? '2' : '0';
        const [calls, tokensIn] = [String(count), (tokens - out).toLocaleString('en-US')];
        return [model, calls, tokensIn, String(out), dollars(cost), a, p95, errors, share, 'Replay'];
      }),
    );
    await chart('Errors').locator('canvas').waitFor();
    const addresses = await rows.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    for (const [index, address] of addresses.entries()) {
      const query = new URL(address!, program.apiUrl).searchParams;
      expect(query.get('model')).toBe(MODELS[index]);
      expect(await countOf(query)).toBe(HOURS.length);
    }
    // By keys alone: the first letters of an option choose it.
    const combobox = (name: string): Locator => page.getByRole('combobox', { name, exact: true });
    await combobox('Group by').focus();
    await page.keyboard.type('User');
    await page.waitForURL(/[?&]by=user/);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Mod');
    await page.waitForURL(/and_by=model/);
    await combobox('Sort by').selectOption('Errors');
    await page.waitForURL(/order_by=errors/);
    await rows.getByRole('link', { name: 'ada' }).nth(2).waitFor();
    const shown = (await cells()).map((row) => row.slice(0, 2));
    expect(shown[0]).toEqual(['ada', MODELS[0]]);
    expect(shown.map(([, model]) => model).toSorted()).toEqual(MODELS.toSorted());
    const address = await rows.getByRole('link', { name: 'ada' }).first().getAttribute('href');
    const query = new URL(address!, program.apiUrl).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({ user_id: 'ada', model: MODELS[0], kind: 'llm_call' });
    expect(await countOf(query)).toBe(HOURS.length);
    await expectAccessible(watched);
    expectNoFaults(watched);
  });

  inBrowser('are read by keys alone: to the page, to a bucket, to its spans and back', async () => {
    await open('/traces');
    await page.getByRole('link', { name: 't', exact: true }).waitFor();
    await pressInTurn(page, 'g', 'a');
    await page.waitForURL(/\/analytics$/);
    await chart('Cost').locator('canvas').waitFor();
    for (let presses = 0; presses < 30; presses++) {
      if (
        ((await page.evaluate('document.activeElement.getAttribute("aria-label")')) ?? '')
          .toString()
          .startsWith('Cost over')
      )
        break;
      await page.keyboard.press('Tab');
    }
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Home', 'ArrowRight']) await page.keyboard.press(key);
    await expectSoon(() => spoken('Cost'), expect.stringMatching(/^2026-03-02 11:00:00/));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/spans\?/);
    const hour = { since: '2026-03-02T11:00:00.000Z', until: '2026-03-02T12:00:00.000Z' };
    // The figure of costs leads to the dearest spans first.
    expect(parameters()).toEqual({ ...hour, sort_by: 'cost', sort_order: 'desc' });
    expect(await countOf(new URLSearchParams(hour))).toBe(buckets[1]!.span_count);
    await page.getByRole('status', { name: 'Result count' }).getByText(`${buckets[1]!.span_count} spans`).waitFor();
    await page.goBack();
    await chart('Cost').locator('canvas').waitFor();
    await chart('Cost').focus();
    for (const key of ['Home', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(/since=/);
    expect(parameters()).toEqual({ since: '2026-03-02T10:00:00.000Z', until: '2026-03-02T13:00:00.000Z' });
    // Three hours are in buckets of a minute.
    await page.getByText('Each bar is a minute').waitFor();
    expectNoFaults(watched);
  });

  inBrowser('zoom in where one drags, and out by Back', async () => {
    await open('/analytics?group_by=hour&model=own');
    const canvas = chart('Spans').locator('.u-over');
    await canvas.waitFor();
    await canvas.scrollIntoViewIfNeeded();
    // What is above it may still grow.
    const { x, y, width, height } = (await settled(page, () => canvas.boundingBox()))!;
    const at = (hour: number): number => x + (width * (hour + 0.5)) / (HOURS.at(-1)! + 1);
    await page.mouse.move(at(1), y + height / 2);
    await page.getByRole('link', { name: '1 span of this hour' }).waitFor();
    await page.mouse.down();
    await page.mouse.move(at(3), y + height / 2, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/since=/);
    expect(parameters()).toEqual({
      group_by: 'hour',
      model: 'own',
      since: '2026-03-02T11:00:00.000Z',
      until: '2026-03-02T14:00:00.000Z',
    });
    await page.getByRole('list', { name: 'Totals' }).getByText('3', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('list', { name: 'Totals' }).getByText('6', { exact: true }).waitFor();
    expect(parameters()).toEqual({ group_by: 'hour', model: 'own' });
    expectNoFaults(watched);
  });

  inBrowser('show the change to the period before, of LLM calls or traces, at 390 px as well', async () => {
    await open('/analytics?since=2026-03-02T12:00:00Z&until=2026-03-02T14:00:00Z');
    const totals = page.getByRole('list', { name: 'Totals' }).getByRole('listitem');
    await totals.first().getByText('+133%').waitFor();
    await page.getByRole('combobox', { name: 'Latency and errors of' }).selectOption('Traces');
    await page.waitForURL(/of=traces/);
    await totals.last().getByText('Traces').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/analytics?since=2026-02-27T00:00:00Z&until=2026-03-06T00:00:00Z');
    await page.getByText('Each bar is a UTC day').waitFor();
    await chart('Cost').locator('canvas').waitFor();
    await expectSoon(() => page.evaluate('document.documentElement.scrollWidth'), 390);
    await expectAccessible(watched);
    await page.setViewportSize({ width: 1440, height: 900 });
    expectNoFaults(watched);
  });

  inBrowser('split by what traces say, lead to what a key counts, and to users', async () => {
    await open('/analytics?split_by=metadata.env');
    const key = figure('Cost').getByRole('link', { name: 'prod' });
    expect(await key.getAttribute('href')).toContain('metadata.env=prod');
    await page.getByRole('textbox', { name: 'Metadata key' }).waitFor();
    await page.getByRole('combobox', { name: 'Split by' }).selectOption('User');
    await figure('Cost').getByRole('link', { name: 'ada' }).click();
    await page.waitForURL(/\/spans\?/);
    expect(parameters()).toMatchObject({ user_id: 'ada' });
    await pressInTurn(page, 'g', 'u');
    await page.waitForURL(/\/users$/);
    const users = page.getByRole('grid', { name: 'Users' });
    await users.getByRole('link', { name: 'ada' }).waitFor();
    await expectAccessible(watched);
    await users.getByRole('link', { name: 'ada' }).click();
    await page.getByRole('heading', { name: 'User ada', level: 1 }).waitFor();
    await page.getByRole('list', { name: 'User facts' }).getByText('18', { exact: true }).waitFor();
    await chart('Cost').locator('canvas').waitFor();
    await expectAccessible(watched);
    await open('/users/Ada');
    await page.getByRole('heading', { name: 'User not found' }).waitFor();
  });

  inBrowser('say what the API refuses, and that nothing is there', async () => {
    await open('/analytics?group_by=minute&since=2026-03-01T00:00:00Z&until=2026-03-04T00:00:00Z');
    await page.getByRole('alert').getByText('24 hours').waitFor();
    await page.getByRole('combobox', { name: 'Bucket' }).selectOption('Automatic');
    await figure('Cost').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.goto(`${program.apiUrl}/analytics?until=2020-01-01T00:00:00Z`);
    await page.getByRole('heading', { name: 'No spans in this range' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await figure('Cost').waitFor();
    await expectSoon(parameters, {});
  });
});

/** A finished call; costs are whole quarters, so that their sums have two digits. */
function span(hour: number, n: number, model: string, m: number): Record<string, unknown> {
  const at = FIRST + hour * HOUR_MS;
  return {
    ...{ id: `${hour}-${model}`, trace_id: 't', name: 'chat', started_at: new Date(at).toISOString() },
    ended_at: new Date(at + 2_000 + 700 * n + 90 * m).toISOString(),
    kind: { type: 'llm_call', model, input_tokens: 1_000 + n, output_tokens: 10, cost: (3 - m) * (1 + n) * 0.25 },
    ...(m === 0 && n < 2 ? { status: 'failed', error: 'overloaded' } : { status: 'completed' }),
  };
}
