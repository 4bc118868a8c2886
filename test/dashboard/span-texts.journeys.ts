/** The texts of a span as people read them: messages, formats, large JSON, hostile texts, and what can be done with them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, runCommand, tabTo } from './page-steps.ts';
import { PIXEL, recordLargeOutput, recordRichTrace } from './recorded-spans.ts';
import { journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

const shell = promisify(execFile);
const onTexts = journeysOn(async () => {
  await recordRichTrace(program.api);
  await recordLargeOutput(program.api);
});

const goTo = (path: string) => page.goto(`${program.apiUrl}${path}`);
const details = (): Locator => page.getByRole('region', { name: 'Span details' });
const articles = (): Promise<(string | null)[]> =>
  details()
    .getByRole('article')
    .evaluateAll((all) =>
      (all as { getAttribute(name: string): string | null }[]).map((one) => one.getAttribute('aria-label')),
    );

describe('a call of a model', () => {
  onTexts();

  inBrowser('shows who said what, its tool call and its image, and fetches nothing from elsewhere', async () => {
    await goTo('/traces/rich?span=rich-call');
    await details().getByRole('article').first().waitFor();
    await expectSoon(articles, [
      ...['System message', 'User message', 'Assistant message', 'Tool message', 'Assistant message'],
    ]);
    const facts = details().getByRole('list', { name: 'Span facts' });
    for (const fact of ['LLM call', '1,234', '1,000', '$0.0123', '2.00 s', '321 ms', 'stop'])
      await facts.getByText(fact).first().waitFor();
    const call = details().getByRole('group', { name: 'Tool call tides' });
    await call.getByText('12345678901234567890').waitFor();
    expect(await details().getByRole('img', { name: 'Recorded image' }).getAttribute('src')).toBe(PIXEL);
    await details().getByText('Image not loaded: https://evil.example/b.png').waitFor();
    const system = details().getByRole('article', { name: 'System message' });
    expect(await system.innerText()).toContain('Be brief.\nTwo lines.<script>');
    await system.waitFor();
    expect(await details().getByText('line 59').count()).toBe(0);
    await details()
      .getByRole('button', { name: /^Show all/ })
      .click();
    await details().getByText('line 59').waitFor();
    await expectAccessible(watched);
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    expectNoFaults(watched);
  });

  inBrowser('is shown in the format that was chosen last', async () => {
    await goTo('/traces/rich?span=rich-call');
    await page.getByRole('radio', { name: 'Text' }).focus();
    await page.keyboard.press('ArrowLeft');
    await details().locator('strong', { hasText: 'this' }).waitFor();
    await details().getByText('Image not loaded: https://evil.example/a.png').waitFor();
    expect(await details().getByRole('link', { name: 'press' }).count()).toBe(0);
    await page.reload();
    await details().locator('strong', { hasText: 'this' }).waitFor();
    await page.getByRole('radio', { name: 'JSON' }).check();
    await details().getByRole('tree').waitFor();
    await expectAccessible(watched);
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    expectNoFaults(watched);
  });

  inBrowser(
    'never widens its pane as markdown: code and tables scroll by themselves, in lists and quotes, too',
    async () => {
      const code = `\`\`\`sh\n${'spandrel '.repeat(60)}\n\`\`\``;
      const table = `|${' part |'.repeat(60)}\n|${' --- |'.repeat(60)}\n|${' one |'.repeat(60)}`;
      const text = [code, table, `1. first\n\n${code.replaceAll(/^/gm, '   ')}`, code.replaceAll(/^/gm, '> ')].join(
        '\n\n',
      );
      const kind = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai' };
      const messages = [{ role: 'user', content: text }];
      const span = { id: 'code-1', trace_id: 'code', name: 'code', kind, input: { messages }, output: { text } };
      await program.api.post('/api/ingest', { traces: [{ id: 'code' }], spans: [span] });
      const size = page.viewportSize()!;
      for (const width of [1_440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await goTo('/traces/code?span=code-1');
        await page.getByRole('radio', { name: 'Rendered' }).check();
        const answer = details().getByRole('article').last();
        await answer.locator('blockquote pre').waitFor();
        expect([await answer.locator('li pre').count(), await answer.locator('table').count()]).toEqual([1, 1]);
        const right = async (part: Locator): Promise<number> => {
          const { x, width: own } = (await part.boundingBox())!;
          return Math.round(x + own);
        };
        const edge = await right(answer);
        for (const part of await answer.locator('pre, table').all()) expect(await right(part)).toBeLessThan(edge);
        await expectSoon(() => page.evaluate('document.documentElement.scrollWidth'), width);
      }
      await page.setViewportSize(size);
      expectNoFaults(watched);
    },
  );

  inBrowser('is read and copied by keys alone', async () => {
    await goTo('/traces/rich');
    const focused = (name: string): Promise<string | null> =>
      page.evaluate(`document.activeElement.getAttribute(${JSON.stringify(name)})`);
    await page.getByRole('treegrid').getByRole('row').nth(1).focus();
    await page.keyboard.press('j');
    await details().getByRole('heading', { level: 2, name: 'gpt-5.1' }).waitFor();
    await details().getByRole('article').first().waitFor();
    await page.keyboard.press('Enter');
    await expectSoon(() => focused('aria-label'), 'Span details');
    await tabTo(details().getByRole('radio', { name: 'Text' }));
    await page.keyboard.press('ArrowLeft');
    await details().locator('strong', { hasText: 'this' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await details().locator('strong', { hasText: 'this' }).waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('noon');
    await details().getByRole('status', { name: 'Found in text' }).getByText('1 of 1').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expectSoon(() => focused('role'), 'row');
    await runCommand(page, 'Copy as curl', 'Copy as curl');
    await page.getByRole('region', { name: 'Notifications' }).getByText('Copied the command').waitFor();
    expect(await watched.clipboard()).toContain('12345678901234567890');
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/traces$/);
    expectNoFaults(watched);
  });

  inBrowser('is sent again by the command that is copied', async () => {
    const body = {
      ...{ model: 'gpt-4o-mini', temperature: 0.25, seed: 7, max_tokens: 40 },
      messages: [{ role: 'user', content: `It's $HOME and "quotes"\nand a line` }],
    };
    const sent = await fetch(`${program.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer test' },
      body: JSON.stringify(body),
    });
    await sent.text();
    const recorded = async () =>
      (
        await program.api.get<{ spans: { id: string; trace_id: string; status: unknown }[] }>(
          '/api/spans?model=gpt-4o-mini',
        )
      ).body.spans;
    await until(async () => (await recorded())[0]?.status === 'completed');
    const [span] = await recorded();
    await goTo(`/traces/${span!.trace_id}`);
    await details().getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Copied the command').waitFor();
    const command = await watched.clipboard();
    expect(command).toContain('$OPENAI_API_KEY');
    provider.requests.length = 0;
    await shell('sh', ['-c', command], { env: { PATH: process.env['PATH'], OPENAI_API_KEY: 'the key' } });
    const [again] = provider.requests;
    expect(JSON.parse(again!.body.toString())).toEqual(body);
    expect(again!.rawHeaders).toContain('Bearer the key');
    expectNoFaults(watched);
  });

  inBrowser('has its buttons and keys before its texts are there', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/api/spans/rich-call', async (route) => {
      await promise;
      await route.continue();
    });
    await goTo('/traces/rich?span=rich-call');
    await details().getByRole('searchbox', { name: 'Find in text' }).waitFor();
    await details().getByRole('checkbox', { name: 'Wrap lines' }).waitFor();
    await expectSoon(() => details().getByRole('button', { name: 'Copy', exact: true }).isDisabled(), true);
    await page.keyboard.press('c');
    await page.getByRole('region', { name: 'Notifications' }).getByText('Copied the link to the span').waitFor();
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
    await dialog.getByRole('combobox', { name: 'Dataset' }).waitFor();
    resolve();
    await dialog.getByRole('heading', { name: 'Datapoint preview: Conversation' }).waitFor();
    await page.unroute('**/api/spans/rich-call');
    await page.keyboard.press('Escape');
    for (const name of ['Copy', 'Copy span link', 'Add to dataset', 'Copy as curl'])
      expect(await details().getByRole('button', { name, exact: true }).getAttribute('title')).toContain(name);
    await details().getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Download' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('menuitem', { name: 'Copy span ID' }).click();
    await expectSoon(() => watched.clipboard(), 'rich-call');
    expectNoFaults(watched);
  });

  inBrowser('wraps long values of its JSON, or does not', async () => {
    const output = { long: 'word '.repeat(100), short: Array.from({ length: 40 }, (_, n) => n) };
    const span = { id: 'wide-1', trace_id: 'wide', name: 'wide', output };
    await program.api.post('/api/ingest', { traces: [{ id: 'wide' }], spans: [span] });
    await goTo('/traces/wide?tab=output');
    await page.getByRole('radio', { name: 'JSON' }).check();
    const tree = details().getByRole('tree');
    await tree.getByRole('treeitem').nth(4).waitFor();
    const overflows = (): Promise<boolean> =>
      tree.evaluate((shown) => {
        const { scrollWidth, clientWidth } = shown as unknown as Record<'scrollWidth' | 'clientWidth', number>;
        return scrollWidth > clientWidth;
      });
    await details().getByRole('checkbox', { name: 'Wrap lines' }).uncheck();
    await expectSoon(overflows, true);
    await details().getByRole('checkbox', { name: 'Wrap lines' }).check();
    await expectSoon(overflows, false);
    await tree.getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    await expectSoon(() => page.evaluate('document.activeElement.textContent'), '3939');
    await page.keyboard.press('Home');
    await expectSoon(() => page.evaluate('document.activeElement.dataset.row'), '0');
    expectNoFaults(watched);
  });

  inBrowser('becomes a datapoint of a new dataset', async () => {
    await goTo('/traces/rich?span=rich-call');
    await details().getByRole('button', { name: 'Add to dataset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
    const preview = dialog.getByRole('region', { name: 'Datapoint preview' });
    await preview.getByRole('heading', { name: 'Datapoint preview: Conversation' }).waitFor();
    await preview.getByRole('article', { name: 'User message' }).first().waitFor();
    await expectAccessible(watched);
    await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('New dataset');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Harbour questions');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const link = page.getByRole('region', { name: 'Notifications' }).getByRole('link', { name: 'Open datapoint' });
    const [, datasetId, datapointId] = /\/datasets\/(.+)\/datapoints\/(.+)$/.exec((await link.getAttribute('href'))!)!;
    const datapoint = await program.api.get(`/api/datasets/${datasetId}/datapoints/${datapointId}`);
    expect(datapoint.body).toMatchObject({ source: 'span_export', source_span_id: 'rich-call' });
    expectNoFaults(watched);
  });
});

describe('3 MB of JSON', () => {
  onTexts();

  inBrowser('has the rows in view alone, on a narrow screen too', async () => {
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    try {
      await goTo('/traces/large?tab=output');
      await details().getByRole('radio', { name: 'JSON' }).check();
      const tree = details().getByRole('tree', { name: 'Output' });
      await tree.getByRole('treeitem').nth(4).waitFor();
      expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500);
      await details().getByRole('searchbox', { name: 'Find in text' }).fill('item 29999');
      await tree.locator('mark', { hasText: 'item 29999' }).waitFor();
    } finally {
      await page.setViewportSize(usual);
    }
    expectNoFaults(watched);
  });

  inBrowser('is shown with every digit, and its last member is found', async () => {
    await goTo('/traces/large?tab=output');
    const text = details().getByRole('group', { name: 'Output' });
    await text.getByText('- n: 0').waitFor();
    const find = details().getByRole('searchbox', { name: 'Find in text' });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expectSoon(() => page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Span details');
    await page.keyboard.press('/');
    await page.keyboard.type('the needle');
    await text.locator('mark', { hasText: 'the needle' }).waitFor();
    await text.getByText('big: 12345678901234567890').waitFor();
    await page.getByRole('radio', { name: 'JSON' }).check();
    const tree = details().getByRole('tree', { name: 'Output' });
    await tree.locator('mark', { hasText: 'the needle' }).waitFor();
    await tree.getByText('12345678901234567890').waitFor();
    await find.fill('item 29999');
    await tree.locator('mark', { hasText: 'item 29999' }).waitFor();
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500);
    await expectAccessible(watched);
    expectNoFaults(watched);
  });
});
