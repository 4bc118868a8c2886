/** The page of a trace as people use it: its rows, views and filters, large traces and running ones. */
import { describe, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, settled, tabTo } from './page-steps.ts';
import { recordManySpans, recordRichTrace } from './recorded-spans.ts';
import { browser, journeysOn, page, program, watched } from './shared-dashboard.ts';

const onTraces = journeysOn(async () => {
  await recordManySpans(program.api, 'many', 10_000);
  await recordRichTrace(program.api);
  await recordCosts();
});

/** Records a span with a price, one whose cost was reported, and one without a price. */
async function recordCosts(): Promise<void> {
  const call = (id: string, second: number, kind: object) => ({
    ...{ id, trace_id: 'costs', name: id, kind: { type: 'llm_call', ...kind } },
    ...{ started_at: `2026-11-22T12:00:0${second}Z`, ended_at: `2026-11-22T12:00:0${second}.500Z` },
  });
  const tokens = { input_tokens: 3_000, cached_input_tokens: 1_000, output_tokens: 100 };
  const spans = [
    call('priced', 1, { model: 'gpt-4o', ...tokens }),
    call('reported', 2, { model: 'gpt-4o', ...tokens, cost: 0.25 }),
    call('unpriced', 3, { model: 'my-own-model', ...tokens }),
  ];
  const { body } = await program.api.post('/api/ingest', { traces: [{ id: 'costs' }], spans });
  expect(body).toMatchObject({ rejected: [] });
}

const rows = (): Locator => page.getByRole('treegrid', { name: 'Spans of this trace' });
const rowCount = (): Promise<string | null> => rows().getAttribute('aria-rowcount');
const selected = (): Locator => rows().locator('[role=row][aria-selected=true]');
const matches = (): Locator => page.getByRole('status', { name: 'Matches' });
const parameters = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);
const goTo = (path: string) => page.goto(`${program.apiUrl}${path}`);

describe('a trace of ten thousand spans', () => {
  onTraces();

  inBrowser('is read by keys alone', async () => {
    await goTo('/traces/many');
    await rows().waitFor();
    await expectSoon(() => page.title(), 'Many spans · Spandrel');
    await expectSoon(rowCount, '10001');
    await page.getByRole('list', { name: 'Trace facts' }).getByText('2026-11-22 12:00:00').waitFor();
    const cut = await rows()
      .locator('[role=columnheader] > [aria-hidden=true], [role=columnheader] > * > [aria-hidden=true]')
      .evaluateAll((ticks) => {
        const right = (element: { getBoundingClientRect(): { right: number } }) =>
          element.getBoundingClientRect().right;
        return ticks.flatMap((tick) => (right(tick) > right(tick.parentElement!) + 1 ? tick.textContent : []));
      });
    expect(cut).toEqual([]);
    await rows().getByRole('row').nth(1).focus();
    await page.keyboard.press('End');
    await until(async () => (await selected().innerText()).includes('call 9999'));
    await expectSoon(() => page.evaluate('document.activeElement.getAttribute("aria-rowindex")'), '10001');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await until(async () => (await rowCount()) === '2');
    await page.keyboard.press('ArrowRight');
    await until(async () => (await rowCount()) === '10001');
    await page.keyboard.press('e');
    await until(async () => (await selected().innerText()).includes('call 50'));
    await page.getByRole('group', { name: 'Error' }).getByText('overloaded, request 50').waitFor();
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500);
    expectNoFaults(watched);
  });

  inBrowser('is filtered; parents stay, and the address keeps it', async () => {
    await goTo('/traces/many');
    await page.getByRole('button', { name: 'Errors only' }).click();
    await matches().getByText('99 of 10,000 spans').waitFor();
    await page.getByRole('searchbox', { name: 'Find in trace' }).fill('REQUEST 15');
    await matches().getByText('2 of 10,000 spans').waitFor();
    await expectSoon(parameters, expect.objectContaining({ only: 'errors', find: 'REQUEST 15' }));
    await page.reload();
    await matches().getByText('2 of 10,000 spans').waitFor();
    const names = rows().locator('[data-index] [role=gridcell]:first-child');
    await expectSoon(async () => (await names.allInnerTexts()).filter((name) => /step|call/.test(name)).length, 3);
    await page.keyboard.press('n');
    await until(async () => (await selected().innerText()).includes('step 151'));
    await page.keyboard.press('n');
    await until(async () => (await selected().innerText()).includes('call 1565'));
    await expectAccessible(watched);
    expectNoFaults(watched);
  });
});

describe('a trace whose spans have texts', () => {
  onTraces();

  inBrowser('is searched in all of them, page by page', async () => {
    const textOf = (n: number): string => (n % 2 === 0 ? 'towards the lighthouse' : 'elsewhere');
    const spans = Array.from({ length: 450 }, (_, n) => ({
      ...{ id: `deep-${n}`, trace_id: 'deep', name: `span ${n}`, input: textOf(n) },
    }));
    const answer = await program.api.post('/api/ingest', { traces: [{ id: 'deep' }], spans });
    expect(answer.body).toMatchObject({ rejected: [] });
    await goTo('/traces/deep');
    await page.getByRole('searchbox', { name: 'Find in trace' }).fill('Lighthouse');
    await matches().getByText('225 of 450 spans', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Find in trace' }).fill('elsewhere entirely');
    await matches().getByText('0 of 450 spans', { exact: true }).waitFor();
    await program.api.delete('/api/traces/deep');
    expectNoFaults(watched);
  });
});

describe('a trace in either palette', () => {
  onTraces();

  inBrowser('can be read by everybody', async () => {
    await goTo('/traces/rich?span=rich-failed&view=tree');
    await page.getByRole('region', { name: 'Span details' }).getByRole('tabpanel').waitFor();
    await expectAccessible(watched);
    expectNoFaults(watched);
  });
});

describe('the cost of a span', () => {
  onTraces();

  const details = (): Locator => page.getByRole('region', { name: 'Span details' });
  const open = async (span: string, name: string): Promise<void> => {
    await goTo(`/traces/costs?span=${span}`);
    const summary = details().getByText(name, { exact: true });
    await summary.focus();
    await page.keyboard.press('Enter');
  };

  inBrowser('is shown part by part, by keys', async () => {
    await open('priced', 'How this cost was computed');
    const parts = details().getByRole('table', { name: 'Parts of the cost' });
    const rows = (): Promise<string[]> => parts.getByRole('row').allInnerTexts();
    await expectSoon(
      async () => (await rows()).map((row) => row.split(/\t/)),
      [
        ['Part', 'Quantity', 'Price', 'Cost'],
        ['Input', '2,000', '$2.50 per million', '$0.005'],
        ['Input from the cache', '1,000', '$1.25 per million', '$0.00125'],
        ['Output', '100', '$10.00 per million', '$0.001'],
        ['Total', '', '', '$0.00725'],
      ],
    );
    await details()
      .getByText(/^By the price table \(.+\) for gpt-4o\.$/)
      .waitFor();
    await expectAccessible(watched);
    expectNoFaults(watched);
  });

  inBrowser('says who reported it, and why there is none', async () => {
    await open('reported', 'How this cost was computed');
    await details().getByText('Reported by the sender.', { exact: true }).waitFor();
    await open('unpriced', 'Why there is no cost');
    await details().getByText('npx spandrel prices list').waitFor();
    await expectAccessible(watched);
    expectNoFaults(watched);
  });
});

describe('the facts of a trace', () => {
  onTraces();

  inBrowser('have its metadata, and lead to traces of the same user, session and tags by keys', async () => {
    const metadata = { environment: 'staging', release: '2.1.0', limits: { tools: ['search', 'book'] } };
    const staged = {
      id: 'staged',
      name: 'Staged run',
      user_id: 'ann&bob',
      session_id: 'talk',
      tags: ['beta', 'night run'],
      metadata,
    };
    const span = { id: 'staged-1', trace_id: 'staged', name: 'plan', kind: { type: 'custom', kind: 'agent' } };
    const { body } = await program.api.post('/api/ingest', { traces: [staged], spans: [span] });
    expect(body).toMatchObject({ rejected: [] });
    await goTo('/traces/staged');
    const facts = page.getByRole('list', { name: 'Trace facts' });
    await facts.getByText('staging').waitFor();
    await page.getByRole('list', { name: 'Span facts' }).getByText('Agent', { exact: true }).waitFor();
    await page.getByText('Metadata', { exact: true }).first().focus();
    await page.keyboard.press('Enter');
    const members = page.getByRole('table', { name: 'Trace metadata' });
    await expectSoon(() => members.getByRole('rowheader').allInnerTexts(), ['environment', 'release', 'limits']);
    await members.getByText('"book"').waitFor();
    await expectAccessible(watched);
    for (const [name, parameter, value] of [
      ['ann&bob', 'user_id', 'ann&bob'],
      ['night run', 'tag', 'night run'],
    ] as const) {
      await facts.getByRole('link', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/traces\?/);
      expect(parameters()).toEqual({ [parameter]: value });
      await page.getByRole('link', { name: 'Staged run', exact: true }).waitFor();
      await page.goBack();
      await facts.waitFor();
    }
    await facts.getByRole('link', { name: 'talk', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sessions\/talk$/);
    expectNoFaults(watched);
  });
});

describe('the views of a trace', () => {
  onTraces();

  inBrowser('are chosen by keys and stay in the address', async () => {
    await goTo('/traces/rich');
    await rows().waitFor();
    await page.keyboard.press('3');
    const flame = page.getByRole('application', { name: 'Flame graph' });
    await flame.waitFor();
    expect(parameters()['view']).toBe('flame');
    await flame.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByText('gpt-5.1, 2.00 s, 83.3% of the trace').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('book, 100 ms, 4.2% of the trace').waitFor();
    await expectAccessible(watched);
    await page.goBack();
    await until(() => parameters()['view'] === undefined);
    await rows().waitFor();
    await page.keyboard.press('2');
    await until(() => parameters()['view'] === 'tree');
    await rows().waitFor();
    expectNoFaults(watched);
  });

  inBrowser('have a graph of agents, tools and models, by keys alone', async () => {
    await goTo('/traces/rich');
    await rows().waitFor();
    await page.keyboard.press('4');
    const graph = page.getByRole('application', { name: 'Agent graph' });
    await expectSoon(() => graph.getByRole('button').count(), 3);
    expect(parameters()['view']).toBe('graph');
    await tabTo(
      graph.getByRole('button', { name: /^answer Agent, 1 span 2\.40 s, \$0\.0123 leads to gpt-5\.1 ×1, book ×1$/ }),
    );
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const book = graph.getByRole('button', { name: 'book Tool, 1 span, 1 error 100 ms', exact: true });
    await expectSoon(
      () =>
        book.evaluate(
          (box) => box === (box as never as { ownerDocument: { activeElement: unknown } }).ownerDocument.activeElement,
        ),
      true,
    );
    await page.keyboard.press('Enter');
    await until(() => parameters()['span'] === 'rich-failed');
    await page.getByRole('heading', { level: 2, name: 'book' }).waitFor();
    await page.getByText('book: span 1 of 1', { exact: true }).waitFor();
    await expectAccessible(watched);
    await tabTo(page.getByRole('button', { name: 'Show as table' }));
    await page.keyboard.press('Enter');
    const table = page.getByRole('table', { name: 'Agent graph' });
    await expectSoon(
      async () => (await table.getByRole('row').allInnerTexts()).map((row) => row.split('\t')),
      [
        ['Node', 'Kind', 'Spans', 'Errors', 'Time', 'Cost', 'Leads to'],
        ['answer', 'Agent', '1', '0', '2.40 s', '$0.0123', 'gpt-5.1 ×1, book ×1'],
        ['gpt-5.1', 'LLM call', '1', '0', '2.00 s', '$0.0123', ''],
        ['book', 'Tool', '1', '1', '100 ms', '–', ''],
      ],
    );
    await expectAccessible(watched);
    expectNoFaults(watched);
  });

  inBrowser('scroll within their pane on a phone, however many nodes there are', async () => {
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    try {
      await goTo('/traces/many?view=graph');
      await page.getByText('802 more nodes not shown').waitFor();
      const graph = page.getByRole('application', { name: 'Agent graph' });
      await expectSoon(() => graph.getByRole('button').count(), 200);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await graph.getByRole('button', { name: /^gpt-5\.1 LLM call, 8,999 spans/ }).click();
      await page.getByText('gpt-5.1: span 1 of 8,999', { exact: true }).waitFor();
      await expectAccessible(watched);
    } finally {
      await page.setViewportSize(usual);
    }
    expectNoFaults(watched);
  });

  inBrowser('show a part of the time', async () => {
    await goTo('/traces/rich?span=rich-call');
    const start = page.getByRole('slider', { name: 'Range start' });
    const end = page.getByRole('slider', { name: 'Range end' });
    await start.waitFor();
    await page.keyboard.press('f');
    await until(async () => (await end.inputValue()) === '2200');
    await expectSoon(() => start.inputValue(), '0');
    await page.keyboard.press('+');
    await until(async () => (await start.inputValue()) === '550');
    await page.keyboard.press('0');
    await until(async () => (await end.inputValue()) === '2400');
    expectNoFaults(watched);
  });
});

describe('traces of a list', () => {
  onTraces();

  inBrowser('are gone through by keys, and Escape leads back to the row one came from', async () => {
    await goTo('/traces');
    const link = page.getByRole('link', { name: 'A rich trace' });
    await link.waitFor();
    await link.click();
    await rows().waitFor();
    await rows().getByText('gpt-5.1').click();
    await until(() => parameters()['span'] === 'rich-call');
    // The list is remembered by the tab.
    await page.reload();
    await rows().waitFor();
    const isFirst = await page.getByRole('button', { name: 'Next trace' }).isEnabled();
    await page.keyboard.press(isFirst ? ']' : '[');
    await page.getByRole('heading', { level: 1, name: 'Many spans' }).waitFor();
    await page.keyboard.press(isFirst ? '[' : ']');
    await page.getByRole('heading', { level: 1, name: 'A rich trace' }).waitFor();
    await rows().waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/traces$/);
    await until(async () => String(await page.evaluate('document.activeElement.textContent')).includes('A rich trace'));
    expectNoFaults(watched);
  });
});

describe('a link to a span', () => {
  onTraces();

  inBrowser('opens the same span for somebody else', async () => {
    await goTo('/traces/many');
    await expectSoon(rowCount, '10001');
    await rows().getByRole('row').nth(1).focus();
    await page.keyboard.press('End');
    await page.getByRole('heading', { level: 2, name: 'call 9999' }).waitFor();
    await page.getByRole('button', { name: 'Copy span link' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('region', { name: 'Notifications' }).getByText('Copied the link to the span').waitFor();
    const link = await watched.clipboard();
    const other = await browser.open(program.apiUrl);
    try {
      await other.page.goto(link);
      await other.page.getByRole('heading', { level: 2, name: 'call 9999' }).waitFor();
      const row = other.page.locator('[role=row][aria-selected=true]');
      await until(async () => {
        const y = (await row.boundingBox())?.y ?? -1;
        return y > 0 && y < other.page.viewportSize()!.height;
      });
      expectNoFaults(other);
    } finally {
      await other.close();
    }
    expectNoFaults(watched);
  });
});

describe('a running trace', () => {
  onTraces();

  inBrowser('fills in, and the selected row stays where it is', async () => {
    const { api } = program;
    await api.post('/api/traces', { id: 'live', name: 'Live' });
    await api.post('/api/spans', { id: 'live-root', trace_id: 'live', name: 'root' });
    await goTo('/traces/live');
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    const named = (name: string): Locator => rows().getByRole('row').filter({ hasText: name });
    await named('root').waitFor();
    await api.post('/api/spans', { id: 'live-last', trace_id: 'live', parent_id: 'live-root', name: 'the last' });
    await named('the last').click();
    const top = async (): Promise<number | undefined> => (await named('the last').boundingBox())?.y;
    await page.getByRole('heading', { level: 2, name: 'the last' }).waitFor();
    const before = await settled(page, top);
    const early = Array.from({ length: 40 }, (_, n) => ({
      ...{
        id: `live-${n}`,
        trace_id: 'live',
        parent_id: 'live-root',
        name: `early ${n}`,
        started_at: '2026-01-01T00:00:00Z',
      },
    }));
    await api.post('/api/ingest', { spans: early });
    await until(async () => (await rowCount()) === '43');
    await until(async () => (await selected().innerText()).includes('the last'));
    await expectSoon(top, before);
    await api.post('/api/spans/live-last/complete', { output: 'It is done.' });
    await page.getByText('It is done.').waitFor();
    await until(async () => !(await selected().innerText()).includes('Running'));
    expectNoFaults(watched);
  });
});

describe('a trace that is deleted', () => {
  onTraces();

  inBrowser('is asked about first, and gone afterwards', async () => {
    await program.api.post('/api/ingest', { spans: [], traces: [{ id: 'gone', name: 'To be gone' }] });
    await goTo('/traces/gone');
    await page.getByRole('heading', { level: 2, name: 'No spans yet' }).waitFor();
    await page.getByRole('button', { name: 'Delete trace' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete trace?' });
    await expectAccessible(watched);
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.waitForURL(/\/traces$/);
    expect((await program.api.get('/api/traces/gone')).status).toBe(404);
    expectNoFaults(watched);
    await goTo('/traces/gone');
    await page.getByRole('heading', { level: 1, name: 'Trace not found' }).waitFor();
    await expectAccessible(watched);
  });
});
