/** Recorded calls that are replayed with something else, as people do it: with the mouse, and by keys alone. */
import { describe, expect } from '@jest/globals';
import type { EvalRunResource, ReplayResource } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, tabTo } from './page-steps.ts';
import { journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

/** More than a page of the list. */
const CALLS = 240;
const FAILED = 3;

/** Calls of one trace each ten, some of which failed, and others that no filter takes. */
async function prepare(): Promise<void> {
  const { api } = program;
  const begun = Date.now() - 3_600_000;
  const at = (n: number): string => new Date(begun + n * 1_000).toISOString();
  const spans = Array.from({ length: CALLS + 10 }, (_, n) => ({
    ...{ id: `call-${n}`, trace_id: `asked-${Math.floor(n / 10)}`, name: n < CALLS ? `asked ${n}` : `other ${n}` },
    ...{ started_at: at(n), ended_at: at(n + 2), metadata: { release: '7' } },
    kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 9, output_tokens: 4, cost: 0.5 },
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: `Question ${n}` },
    ],
    output: { text: `You said: Question ${n}`, finish_reason: 'stop' },
    ...(n < FAILED && { error: 'HTTP 500: no' }),
  }));
  const traces = [...new Set(spans.map(({ trace_id: id }) => id))].map((id) => ({ id, name: id, started_at: at(0) }));
  const { body } = await api.post<{ rejected: unknown[] }>('/api/ingest', { traces, spans });
  expect(body.rejected).toEqual([]);
  for (const [name, model] of [
    ['ours', 'gpt-5.1-mini'],
    ['theirs', 'gpt-5.1'],
  ])
    await api.post('/api/provider-connections', {
      ...{ name, provider: 'openai', api_key: 'sk-test-fake', default_model: model, base_url: `${provider.url}/v1` },
    });
}

const onCalls = journeysOn(prepare);
const goTo = (path: string) => page.goto(`${program.apiUrl}${path}`);
const dialog = (): Locator => page.getByRole('dialog', { name: 'Replay', exact: true });
const field = (name: string): Locator => dialog().getByLabel(name, { exact: true });
const toolbar = (): Locator => page.getByRole('toolbar', { name: 'Selection' });
const heading = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const start = (): Locator => dialog().getByRole('button', { name: 'Replay', exact: true });
const verdict = (name: string): Locator => page.getByRole('strong').getByText(`${name} against Recorded: ${name}: `);
const newest = async (): Promise<ReplayResource> =>
  (await program.api.get<{ replays: ReplayResource[] }>('/api/replays?limit=1')).body.replays[0]!;
const systemPrompts = (): unknown[] =>
  provider.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => (JSON.parse(body.toString()) as { messages: { content: unknown }[] }).messages[0]!.content);

describe('a replay', () => {
  onCalls();

  inBrowser('of a filtered list is started with the mouse, and followed to its verdict', async () => {
    await goTo('/spans?name_contains=asked&metadata.release=7');
    await page.getByRole('status', { name: 'Result count' }).getByText(`${CALLS} spans`).waitFor();
    await page.getByRole('checkbox', { name: 'Select this page' }).check();
    await toolbar()
      .getByRole('button', { name: `Select all ${CALLS} that match` })
      .click();
    await toolbar().getByText(`${CALLS} selected`).waitFor();
    await toolbar().getByRole('button', { name: 'Replay' }).click();
    await dialog().getByText(`Of the ${CALLS} spans that match`).waitFor();
    await expectSoon(() => field('Scoring').inputValue(), 'Preference');
    await dialog().getByRole('group', { name: 'Judge' }).waitFor();
    await expectSoon(() => field('Model').inputValue(), 'gpt-5.1');
    await field('Connection').selectOption('ours');
    await expectSoon(() => field('Model').inputValue(), 'gpt-5.1-mini');
    await field('Name').fill('Shorter');
    await field('System prompt').selectOption('Replaced by');
    await field('Text').fill('Be briefer.');
    await field('Scoring').selectOption('Contains');
    await expectAccessible(watched);
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 800 });
    await expectSoon(() => page.evaluate('document.documentElement.scrollWidth'), 390);
    await expectAccessible(watched);
    await page.setViewportSize(usual);
    await field('Max cost (USD)').fill('5');
    provider.requests.splice(0);
    await start().click();
    await heading('Shorter');
    await page.getByText(`${CALLS - FAILED} of ${CALLS} calls replayed; left out: ${FAILED} failed`).waitFor();
    await verdict('Shorter')
      .getByText(/No difference shown.*cheaper/)
      .waitFor();
    expect(new Set(systemPrompts())).toEqual(new Set(['Be briefer.']));
    const { run_id: id, ...replay } = await newest();
    expect(replay).toMatchObject({
      ...{ matched: CALLS, replayed: CALLS - FAILED, source: { filters: { metadata: { release: '7' } } } },
      left_out: [{ reason: 'failed', count: FAILED }],
    });
    const run = async () => (await program.api.get<EvalRunResource>(`/api/eval/${id}`)).body;
    await expectSoon(async () => (await run()).status, 'completed');
    expect(await run()).toMatchObject({ name: 'Shorter', max_cost_usd: 5, avg_score: 1 });
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await heading('Compare runs');
    await page.getByRole('list', { name: 'Summary' }).waitFor();
    expect(new URL(page.url()).searchParams.get('runs')).toBe(`${replay.baseline_run_id},${id}`);
    expectNoFaults(watched);
  });

  inBrowser('of two selected spans is started by keys alone', async () => {
    await goTo('/spans?name_contains=asked 23');
    await page.getByRole('status', { name: 'Result count' }).getByText('11 spans').waitFor();
    // They are counted before they are listed.
    await page.getByRole('link', { name: 'asked 239', exact: true }).waitFor();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await toolbar().getByText('2 selected').waitFor();
    await tabTo(toolbar().getByRole('button', { name: 'Replay' }));
    await page.keyboard.press('Enter');
    await dialog().getByText('2 selected spans.').waitFor();
    await tabTo(field('Name'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('By keys');
    await tabTo(field('System prompt'));
    await page.keyboard.type('With a text after it');
    await tabTo(field('Text'));
    await page.keyboard.type('Very.');
    await tabTo(field('Scoring'));
    await page.keyboard.type('Contains');
    provider.requests.splice(0);
    await tabTo(start());
    await page.keyboard.press('Enter');
    await heading('By keys');
    await page.getByText('2 of 2 calls replayed', { exact: true }).waitFor();
    await verdict('By keys').waitFor();
    expect(systemPrompts()).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/^Be brief\.\s+Very\.$/)));
    expectNoFaults(watched);
  });
});

describe('the dialog of a replay', () => {
  onCalls();

  inBrowser('is on a trace, and says what is wrong with what it is given', async () => {
    await goTo('/traces/asked-0');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await field('Scoring').selectOption('Regex');
    await field('Scoring settings (JSON)').fill('{no');
    await start().click();
    await dialog().getByRole('alert').getByText('is not JSON').waitFor();
    await field('Scoring').selectOption('Contains');
    await field('Name').fill('Of a trace');
    await start().click();
    await heading('Of a trace');
    await page.getByText(`${10 - FAILED} of 10 calls replayed; left out: ${FAILED} failed`).waitFor();
    await verdict('Of a trace').waitFor();
    await goTo('/spans?name_contains=asked&status=failed');
    await page.getByRole('checkbox', { name: 'Select this page' }).check();
    await toolbar().getByRole('button', { name: 'Replay' }).click();
    await start().click();
    await dialog().getByText('The replay could not be started').waitFor();
    await expectAccessible(watched);
  });

  inBrowser('is on the row of a model in Analytics, and on a variant of a try', async () => {
    await goTo('/analytics');
    await page.getByRole('button', { name: 'Replay gpt-5.1', exact: true }).click();
    await dialog().getByText('Calls of gpt-5.1 that no evaluation').waitFor();
    await field('Scoring').selectOption('Contains');
    await field('Sample').fill('4');
    await start().click();
    await heading('gpt-5.1');
    await page.getByText('4 calls replayed').waitFor();
    expect(await newest()).toMatchObject({ taken: 4, source: { filters: { model: 'gpt-5.1' }, sample: 4 } });
    await goTo('/try?span=call-20');
    await page.getByRole('region', { name: 'Variant 1' }).getByLabel('Model').fill('gpt-5.2');
    await page.getByRole('button', { name: 'Replay with Variant 1', exact: true }).click();
    await expectSoon(() => field('Model').inputValue(), 'gpt-5.2');
    await expectSoon(() => field('Name').inputValue(), 'gpt-5.1');
    expectNoFaults(watched);
  });
});
