/** The pages of evaluations, as people use them: a run is started, followed, and compared with another one. */
import { describe, expect } from '@jest/globals';
import type { EvalItem, EvalRunSummary, QueueItemResource } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { answerPairs } from '../evals/preferences-of-runs.ts';
import { startScriptedProvider } from '../evals/scripted-provider.ts';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { chooseInMenu, expectAccessible, expectSoon, pressInTurn, tabTo } from './page-steps.ts';
import { journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

const onNothing = journeysOn(async () => undefined);
let dataset: string;

const grid = (name: string): Locator => page.getByRole('grid', { name });
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const combobox = (name: string): Locator => page.getByRole('combobox', { name, exact: true });
/** Runs of one name are distinguished by time and score. */
const chooseRun = async (field: string, name: string): Promise<void> => {
  const option = combobox(field).locator('option', {
    hasText: new RegExp(`^${name}, \\d{4}-\\d\\d-\\d\\d .*, score \\d`),
  });
  await combobox(field).selectOption((await option.getAttribute('value'))!);
};
const heading = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const rowsOf = async (name: string): Promise<number> => (await grid(name).getByRole('row').count()) - 1;

const open = (path: string) => page.goto(`${program.apiUrl}/evaluations${path}`);
const runs = async (): Promise<EvalRunSummary[]> =>
  (await program.api.get<{ runs: EvalRunSummary[] }>('/api/eval')).body.runs;

const reported = (text: string): Promise<void> =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text, { exact: true }).waitFor();
const queued = async (): Promise<QueueItemResource[]> =>
  (await program.api.get<{ items: QueueItemResource[] }>(`/api/datasets/${dataset}/queue`)).body.items;

/** Six datapoints; the fake provider says `You said: ` and what it was asked, and the scoring decides whether that will do. */
async function prepare(): Promise<void> {
  const { api } = program;
  dataset = (await api.post<{ id: string }>('/api/datasets', { name: 'capitals' })).body.id;
  for (const word of ['one', 'two', 'three', 'four', 'five', 'six'])
    await api.post(`/api/datasets/${dataset}/datapoints`, {
      kind: { Generic: { input: `say ${word}`, expected_output: `say ${word}` } },
    });
  await api.post('/api/provider-connections', {
    ...{ name: 'fake', provider: 'openai', api_key: 'sk-test', base_url: `${provider.url}/v1` },
    default_model: 'gpt-5.1',
  });
}

describe('evaluations', () => {
  onNothing();

  inBrowser('are none at first, and say what they need', async () => {
    await open('');
    await page.getByRole('heading', { name: 'No evaluations yet' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('link', { name: 'New evaluation' }).click();
    await page.getByRole('heading', { name: 'There is no dataset yet' }).waitFor();
    await prepare();
  });

  inBrowser('are started by keys alone, and followed to their end', async () => {
    await open(`/new?dataset=${dataset}`);
    await page.getByText('This makes 6 calls').waitFor();
    await expectSoon(() => combobox('Model').inputValue(), 'gpt-5.1');
    await tabTo(page.getByRole('textbox', { name: 'Run name' }));
    await page.keyboard.type('first');
    await tabTo(combobox('Scoring'));
    await page.keyboard.type('Contains');
    await tabTo(button('Start evaluation'));
    await page.keyboard.press('Enter');
    await heading('first');
    await page.reload();
    await page.getByRole('list', { name: 'Run facts' }).getByText('Completed').waitFor();
    await until(async () => (await rowsOf('Results')) === 6);
    const started = await runs();
    expect(started.map(({ name, scoring, progress }) => [name, scoring, progress])).toEqual([['first', 'Contains', 6]]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByRole('group', { name: 'Text of Output' }).getByText('say one').first().waitFor();
    await expectSoon(() => result.getByRole('radio', { name: 'Side by side' }).isChecked(), true);
    await expectSoon(() => page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Result');
    await result.getByText('Attempts 1').waitFor();
    await result.getByRole('radio', { name: 'Words' }).check();
    await result.getByRole('group', { name: 'Text of Difference' }).waitFor();
    await expectAccessible(watched);
    const { searchParams } = new URL(page.url());
    expect(await result.getByRole('link', { name: 'Open datapoint' }).getAttribute('href')).toBe(
      `/datasets/${dataset}/datapoints/${searchParams.get('item')}`,
    );
    await result.getByRole('button', { name: 'Send to review' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await reported('Sent 1 datapoint to review');
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 640 });
    const below = `document.querySelector('[aria-label=Notifications]').getBoundingClientRect().top
      >= document.querySelector('main').getBoundingClientRect().bottom`;
    await expectSoon(() => page.evaluate(below), true);
    await page.setViewportSize(usual);
    expect((await queued()).map(({ datapoint_id: id }) => id)).toEqual([searchParams.get('item')]);
    expectNoFaults(watched);
  });

  inBrowser('are run again with what they were started with', async () => {
    await open(`/${(await runs())[0]!.id}`);
    await button('Run again').click();
    await page.getByRole('textbox', { name: 'Run name' }).fill('second');
    await expectSoon(() => combobox('Scoring').inputValue(), 'Contains');
    await combobox('Scoring').selectOption('LlmJudge');
    await page.getByRole('group', { name: 'Judge' }).getByRole('textbox', { name: 'Rubric' }).waitFor();
    await page.getByText('This makes 12 calls').waitFor();
    await expectAccessible(watched);
    await combobox('Scoring').selectOption('ExactMatch');
    await button('Start evaluation').click();
    await heading('second');
    await page.getByRole('list', { name: 'Run facts' }).getByText('Completed').waitFor();
    await combobox('Show').selectOption('Failed');
    await page.getByRole('heading', { name: 'No results match' }).waitFor();
    await button('Clear filters').click();
    await until(async () => (await rowsOf('Results')) === 6);
    await button('Compare').click();
    await heading('Compare runs');
    await chooseRun('Add run', 'first');
    await page.getByRole('list', { name: 'Summary' }).getByText('6 improved', { exact: true }).waitFor();
    await pressInTurn(page, 'g', 'e');
    await until(async () => (await rowsOf('Runs')) === 2);
    await grid('Runs').getByRole('link', { name: 'capitals' }).first().click();
    await heading('capitals');
    await until(async () => (await rowsOf('Datapoints')) === 6);
    await expectAccessible(watched);
    await page.getByRole('tab', { name: 'Runs' }).click();
    await until(async () => (await rowsOf('Runs')) === 2);
    await expectAccessible(watched);
  });

  inBrowser('are compared, by what became worse', async () => {
    await open('');
    await until(async () => (await rowsOf('Runs')) === 2);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await tabTo(page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Compare' }));
    await page.keyboard.press('Enter');
    await heading('Compare runs');
    const summary = page.getByRole('list', { name: 'Summary' });
    await summary.getByText('6 regressed', { exact: true }).waitFor();
    await page.getByText('not known; scored differently: scorers').waitFor();
    const differences = page.getByRole('region', { name: 'What differs: first → second' });
    await expectSoon(
      () => differences.getByRole('row').nth(1).locator('th, td').allTextContents(),
      ['scorers', 'Contains', 'Exact match'],
    );
    const cells = grid('Comparison').getByRole('row').nth(1).getByRole('gridcell');
    const ends = ([, input, ...others]: readonly string[]): unknown => [input, others.at(-1)];
    await expectSoon(async () => ends(await cells.allTextContents()), ['say one', '-1']);
    await tabTo(combobox('Show'));
    for (const only of ['regressed', 'improved']) {
      await page.keyboard.press('ArrowDown');
      await expectSoon(() => combobox('Show').inputValue(), only);
    }
    await page.getByRole('heading', { name: 'No datapoints match' }).waitFor();
    await combobox('Show').selectOption('Regressed');
    await until(async () => (await rowsOf('Comparison')) === 6);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const difference = page.getByRole('region', { name: 'Difference' });
    await difference.getByText('Score 1 → 0 (-1)').waitFor();
    await difference.getByRole('group', { name: 'Text of second' }).waitFor();
    await expectAccessible(watched);
    // Arrows and `j` go on while it is open, and the address has the one that is.
    const opened = (): string => new URL(page.url()).searchParams.get('item')!;
    const seen = [opened()];
    for (const key of ['ArrowDown', 'j', 'k', 'ArrowUp']) {
      await page.keyboard.press(key);
      await until(() => Promise.resolve(opened() !== seen.at(-1)));
      seen.push(opened());
    }
    expect([new Set(seen).size, seen[3], seen[4]]).toEqual([3, seen[1], seen[0]]);
    await expectSoon(() => page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Difference');
    const head = page.getByRole('table', { name: 'Compared runs' }).getByRole('row');
    await expectSoon(
      () => head.nth(0).getByRole('columnheader').allTextContents(),
      [...['Run', 'Model', 'Score', 'Pass rate', 'Cost a sample', 'p50', 'Tokens a sample']],
    );
    await expectSoon(
      async () => (await head.nth(2).getByRole('cell').allTextContents()).slice(1, 3),
      [...['0 -100%', '0% -100%']],
    );
    await page.keyboard.press('Escape');
    await difference.waitFor({ state: 'detached' });
    await expectSoon(() => page.evaluate('document.activeElement.getAttribute("role")'), 'row');
    // What the list leaves out opens by its address.
    await page.goBack();
    const shared = page.url().replace('only=regressed', 'only=improved');
    expect(shared).toContain('only=improved');
    await page.goto(shared);
    await difference.getByText('Score 1 → 0 (-1)').waitFor();
    await difference.getByRole('button', { name: 'Send to review' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await button('Clear filters').click();
    await difference.waitFor({ state: 'detached' });
    await chooseRun('Baseline', 'second');
    await summary.getByText('6 improved', { exact: true }).waitFor();
    // The datapoint waits for a review already, so that its item is the same.
    await reported('Sent 0, 1 was there already');
    expect(await queued()).toHaveLength(1);
    await page.getByRole('link', { name: 'Start reviewing' }).click();
    await heading('Review capitals');
    const answers = page.getByRole('region', { name: 'Answers' });
    await expectSoon(() => answers.getByRole('link').allTextContents(), ['second', 'first']);
    await expectSoon(() => answers.getByText('You said: say one', { exact: true }).count(), 2);
    await answers.getByText('Score 0', { exact: true }).waitFor();
    await answers.getByRole('link', { name: 'first' }).click();
    await heading('first');
    await page.getByRole('region', { name: 'Result', exact: true }).waitFor();
    expectNoFaults(watched);
  });

  inBrowser('are cancelled, and deleted after a question', async () => {
    await open('');
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    await grid('Runs').getByRole('link').first().waitFor();
    await grid('Runs').getByRole('row').nth(1).focus();
    const { connections } = (await program.api.get<{ connections: { id: string }[] }>('/api/provider-connections'))
      .body;
    const { body: endless } = await program.api.post<{ id: string }>(`/api/datasets/${dataset}/eval`, {
      ...{ name: 'endless', scoring: 'None', config: { connection_id: connections[0]!.id, model: 'fake:hang' } },
    });
    // It comes by its event, and waits while somebody reads.
    await button('1 new run').click();
    await grid('Runs').getByRole('link', { name: 'endless' }).click();
    await heading('endless');
    const facts = page.getByRole('list', { name: 'Run facts' });
    await facts.getByText('Running').waitFor();
    await button('Cancel run').click();
    await facts.getByText('Cancelled').waitFor();
    await button('Cancel run').waitFor({ state: 'detached' });
    await button('Delete run').click();
    const question = page.getByRole('alertdialog', { name: 'Delete run?' });
    await question.getByText('6 results').waitFor();
    await expectAccessible(watched);
    await question.getByRole('button', { name: 'Delete' }).click();
    await heading('Evaluations');
    await until(async () => (await rowsOf('Runs')) === 2);
    expectNoFaults(watched);
    await open(`/${endless.id}`);
    await heading('Run not found');
  });

  inBrowser('try datapoints several times, by several scorers, and are held to gates', async () => {
    const { api } = program;
    const tries = (await api.post<{ id: string }>('/api/datasets', { name: 'tries' })).body.id;
    // The first answer to the second one is another than those that follow.
    for (const input of ['say it', 'fake:judge:0+times:1 two'])
      await api.post(`/api/datasets/${tries}/datapoints`, {
        kind: { Generic: { input, expected_output: `You said: ${input}` } },
      });
    await open(`/new?dataset=${tries}`);
    await expectSoon(() => combobox('Model').inputValue(), 'gpt-5.1');
    await page.getByRole('textbox', { name: 'Run name' }).fill('shaky');
    await combobox('Scoring').selectOption('ExactMatch');
    await tabTo(button('Add scorer'));
    await page.keyboard.press('Enter');
    const second = page.getByRole('group', { name: 'Scorer 2' });
    await second.getByRole('combobox', { name: 'Scoring' }).selectOption('Contains');
    await second.getByRole('textbox', { name: 'Name' }).fill('words');
    await page.getByRole('spinbutton', { name: 'Repeats' }).fill('3');
    await page.getByText('This makes 6 calls: 3 for each datapoint.').waitFor();
    await page.getByRole('textbox', { name: 'Metadata', exact: true }).fill('commit = 1a2b3c');
    await button('Add gate').click();
    const gate = page.getByRole('group', { name: 'Gate 1' });
    await gate.getByRole('combobox', { name: 'Metric' }).selectOption('Flaky datapoints');
    await gate.getByRole('spinbutton', { name: 'Value' }).fill('0');
    await expectAccessible(watched);
    // What the server finds wrong is said at its field.
    await second.getByRole('textbox', { name: 'Name' }).fill('ExactMatch');
    await button('Start evaluation').click();
    await second.getByRole('alert').getByText('is the name of two scorers').waitFor();
    await second.getByRole('textbox', { name: 'Name' }).fill('words');
    await page.getByRole('spinbutton', { name: 'Max cost (USD)' }).fill('5');
    await button('Start evaluation').click();
    await heading('shaky');
    await page.getByRole('list', { name: 'Run facts' }).getByText('Completed').waitFor();
    await page.getByText('2 of 2, 6 of 6 samples').waitFor();
    await page.getByRole('progressbar', { name: 'Cost of its cap' }).waitFor();
    const commit = page.getByRole('list', { name: 'Metadata' }).getByRole('link', { name: '1a2b3c' });
    await expectSoon(() => commit.getAttribute('href'), '/evaluations?metadata.commit=1a2b3c');
    const statistics = page.getByRole('region', { name: 'Statistics' });
    const row = (name: string): Locator => statistics.getByRole('row').filter({ hasText: name }).first();
    for (const name of ['All together', 'Exact match', 'words']) await row(name).getByText('0.833').first().waitFor();
    await statistics.getByRole('table', { name: 'Passes in several tries' }).waitFor();
    const gates = page.getByRole('region', { name: 'Gates' });
    await expectSoon(
      () => gates.getByRole('row').nth(1).locator('th, td').allTextContents(),
      ['Flaky datapoints ≤ 0', '1', 'Does not hold'],
    );
    await grid('Results').getByText('2 of 3 tries, flaky').click();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await expectSoon(() => result.getByRole('group', { name: 'Samples' }).getByRole('article').count(), 3);
    await expectSoon(() => result.getByRole('group', { name: /^Output of try/ }).count(), 3);
    await expectAccessible(watched);
    await button('Edit gates').click();
    const dialog = page.getByRole('dialog', { name: 'Gates of this run' });
    await dialog.getByRole('spinbutton', { name: 'Value' }).fill('1');
    await expectAccessible(watched);
    await button('Save gates').click();
    await gates.getByRole('heading', { name: 'Gates: all hold' }).waitFor();

    const [shaky] = await runs();
    const { config, repeats } = shaky!;
    const scorers = shaky!.scorers.map(({ name, scoring }) => ({ name, scoring }));
    const settings = { connection_id: config.connection_id, model: config.model };
    const { body: steady } = await api.post<{ id: string }>(`/api/datasets/${tries}/eval`, {
      ...{ name: 'steady', config: settings, scorers, repeats },
    });
    await until(async () => (await runs()).find(({ id }) => id === steady.id)?.status === 'completed');
    await open(`/${steady.id}`);
    await chooseRun('Compare with', 'shaky');
    const verdict = 'steady against shaky: No difference shown (so few datapoints could hardly have shown one)';
    await statistics.getByText(verdict).waitFor();
    // Until the runs are there the field does not say that there is no baseline.
    const held = Promise.withResolvers<void>();
    await page.route('**/api/eval?dataset_id=*', (route) => held.promise.then(() => route.continue()));
    await page.reload();
    const chosen = combobox('Compare with').locator('option:checked');
    await expectSoon(() => chosen.textContent(), 'Loading…');
    held.resolve();
    await expectSoon(async () => (await chosen.textContent())?.startsWith('shaky'), true);
    await page.unroute('**/api/eval?dataset_id=*');
    await page.goto(`${program.apiUrl}/evaluations/compare?runs=${shaky!.id},${steady.id}`);
    await statistics.getByText(verdict).waitFor();
    await statistics.getByText('What these numbers mean').click();
    await expectAccessible(watched);
    // Somebody else executes this one; the page says so, and anyone who reads may look for it.
    await api.post(`/api/datasets/${tries}/eval`, { name: 'elsewhere', scoring: 'External', execution: 'external' });
    await open(`?dataset_id=${tries}`);
    await combobox('Execution').selectOption('External');
    await until(async () => (await rowsOf('Runs')) === 1);
    await grid('Runs').getByRole('row').nth(1).getByText('External', { exact: true }).first().waitFor();
    await grid('Runs').getByRole('link', { name: 'elsewhere' }).click();
    await page.getByRole('list', { name: 'Run facts' }).getByText('External: its caller sends the results').waitFor();
    await expectAccessible(watched);
    await open(`?dataset_id=${tries}&passed=true&metadata.commit=1a2b3c`);
    await page.getByRole('button', { name: 'Remove filter: Metadata commit=1a2b3c' }).waitFor();
    await until(async () => (await rowsOf('Runs')) === 1);
    const cells = grid('Runs').getByRole('row').nth(1);
    await cells.getByText('95% interval').waitFor({ state: 'attached' });
    await cells.getByText('Passed', { exact: true }).waitFor();
    await expectAccessible(watched);
    expectNoFaultsBut(watched, /status of 400/);
  });

  inBrowser('are started of several models and prompts at once, and held to gates of groups', async () => {
    const { api } = program;
    const { id } = (await api.post<{ id: string }>('/api/datasets', { name: 'several' })).body;
    for (const category of ['legal', 'other'])
      await api.post(`/api/datasets/${id}/datapoints`, {
        kind: { Generic: { input: 'say it', expected_output: 'say it', metadata: { category } } },
      });
    await open(`/new?dataset=${id}`);
    await expectSoon(() => combobox('Model').inputValue(), 'gpt-5.1');
    await combobox('Scoring').selectOption('Contains');
    await combobox('Model 2').fill('gpt-5.1-mini');
    await page.getByRole('textbox', { name: 'System prompt 2' }).fill('Be brief.');
    await page.getByRole('textbox', { name: 'System prompt 3' }).fill('Be polite.');
    await page.getByText('This makes 12 calls in 6 runs: one for each datapoint.').waitFor();
    await page.getByRole('textbox', { name: 'Run name' }).fill('pair');
    await button('Add gate').click();
    const gate = page.getByRole('group', { name: 'Gate 1' });
    await gate.getByRole('spinbutton', { name: 'Value' }).fill('0.5');
    await gate.getByRole('textbox', { name: 'Group' }).fill('category:nobody');
    await expectAccessible(watched);
    await button('Start evaluation').click();
    await gate.getByRole('alert').getByText('nobody').waitFor();
    await gate.getByRole('textbox', { name: 'Group' }).fill('category:legal');
    await button('Start evaluation').click();
    await heading('Evaluations');
    await expectSoon(
      async () => (await grid('Runs').getByRole('link', { name: /^pair/ }).allTextContents()).toSorted(),
      ['gpt-5.1', 'gpt-5.1-mini'].flatMap((model) => [1, 2, 3].map((n) => `pair, ${model}, prompt ${n}`)),
    );
    await until(async () => (await runs()).filter(({ name }) => name.startsWith('pair')).every(({ passed }) => passed));
    expectNoFaultsBut(watched, /status of 400/);
  });

  inBrowser('say how often a judge was asked whose reply could not be used', async () => {
    const { api } = program;
    const { id } = (await api.post<{ id: string }>('/api/datasets', { name: 'judged' })).body;
    await api.post(`/api/datasets/${id}/datapoints`, {
      kind: { Generic: { input: 'say it', expected_output: 'it' } },
    });
    const [connection] = (await api.get<{ connections: { id: string }[] }>('/api/provider-connections')).body
      .connections;
    // The fake provider repeats what it was asked, which is no verdict.
    const config = { connection_id: connection!.id, model: 'gpt-5.1' };
    const { status, body: run } = await api.post<EvalRunSummary>(`/api/datasets/${id}/eval`, {
      name: 'judged',
      scoring: 'LlmJudge',
      config,
    });
    expect([status, run]).toEqual([201, expect.anything()]);
    await open(`/${run.id}`);
    await page.getByRole('list', { name: 'Run facts' }).getByText('All failed').waitFor();
    await until(async () => (await rowsOf('Results')) === 1);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByText('gpt-5.1, asked 2 times').waitFor();
    // The cost is that of the call and of the judge, here and in the list.
    const { body } = await api.get<{ items: EvalItem[] }>(`/api/eval/${run.id}/items`);
    const [{ cost, judge_cost: judges }] = body.items as [EvalItem];
    expect([cost, judges]).toEqual([expect.any(Number), expect.any(Number)]);
    const costs = result.getByRole('listitem').filter({ hasText: /^Cost/ }).locator('[title]');
    const shown = await Promise.all((await costs.all()).map((each) => each.getAttribute('title')));
    expect(shown.map((text) => Number(text!.slice(1)))).toEqual([
      ...[expect.closeTo(cost! + judges!, 12), expect.closeTo(cost!, 12), expect.closeTo(judges!, 12)],
    ]);
    await expectAccessible(watched);
    // The model is not called again: the judge gives nothing usable once more.
    await page.keyboard.press('Escape');
    await tabTo(page.getByRole('button', { name: 'More' }));
    await page.keyboard.press('Enter');
    await chooseInMenu(page, 'Score failed samples again');
    await page.getByRole('list', { name: 'Run facts' }).getByText('Former attempts 1').waitFor();
    await page.getByRole('list', { name: 'Run facts' }).getByText('All failed').waitFor();
    expectNoFaults(watched);
  });

  inBrowser('say whose answers a judge prefers, in either order', async () => {
    const { api } = program;
    const models = { status: 200, body: { data: [{ id: 'gpt-5.1' }] } };
    const judge = await startScriptedProvider((call) => (call.path.endsWith('/models') ? models : answerPairs(call)));
    try {
      const { body: seeded } = await api.post<{ id: string }>('/api/provider-connections', {
        ...{ name: 'seeded', provider: 'custom', api_key: 'k-123456789', base_url: `${judge.url}/v1` },
        default_model: 'gpt-5.1',
      });
      const { id } = (await api.post<{ id: string }>('/api/datasets', { name: 'pairs' })).body;
      const results: object[] = [];
      for (const word of ['win', 'loss', 'first', 'same']) {
        const kind = { Generic: { input: `${word} 1` } };
        const { body } = await api.post<{ id: string }>(`/api/datasets/${id}/datapoints`, { kind });
        results.push({ datapoint_id: body.id, output: `old ${word} 1` });
      }
      const external = { name: 'before', execution: 'external', scoring: 'None' };
      const { body: baseline } = await api.post<{ id: string }>(`/api/datasets/${id}/eval`, external);
      await api.post(`/api/eval/${baseline.id}/results`, { results });
      await api.post(`/api/eval/${baseline.id}/complete`);

      await open(`/new?dataset=${id}`);
      await page.getByRole('textbox', { name: 'Run name' }).fill('beside it');
      await combobox('Connection').first().selectOption('seeded');
      await combobox('Scoring').selectOption('Preference');
      await button('Start evaluation').click();
      const isFocused = (field: Locator) => field.evaluate((one) => one === one.ownerDocument.activeElement);
      await expectSoon(() => isFocused(combobox('Compare with the answers of')), true);
      await combobox('Compare with the answers of').selectOption(baseline.id);
      await expectAccessible(watched);
      await button('Start evaluation').click();
      await heading('beside it');
      await page.getByRole('list', { name: 'Run facts' }).getByText('Completed').waitFor();
      const words = '1 win, 2 ties, 1 loss against the baseline (sign test, p 1).';
      await page.getByRole('region', { name: 'Statistics' }).getByText(words).waitFor();
      const result = page.getByRole('region', { name: 'Result', exact: true });
      const said = async (word: string, ...sentences: string[]): Promise<void> => {
        await grid('Results')
          .getByRole('row', { name: `${word} 1` })
          .click();
        const score = result.getByRole('list', { name: 'Scores' }).getByRole('listitem');
        await score.getByText(sentences.join(' ')).waitFor();
      };
      const [mine, theirs] = ['this answer was preferred.', "the baseline's answer was preferred."];
      await said('win', `Shown second: ${mine}`, `Shown first: ${mine}`);
      await said('loss', `Shown second: ${theirs}`, `Shown first: ${theirs}`);
      await said('first', `Shown second: ${theirs}`, `Shown first: ${mine}`, 'The judge disagreed with itself: a tie.');
      await expectAccessible(watched);
      await grid('Results').getByRole('row', { name: 'same 1' }).click();
      await result.getByRole('group', { name: 'Text of Output' }).getByText('old same 1').first().waitFor();
      expect(await result.getByText('Shown second').count()).toBe(0);
      expectNoFaults(watched);
      // Later evaluations are made with the connection that answers.
      await api.delete(`/api/provider-connections/${seeded.id}`);
    } finally {
      await judge.close();
    }
  });

  inBrowser('are looked at try by try, and over time', async () => {
    const { api } = program;
    const id = (await api.post<{ id: string }>('/api/datasets', { name: 'over time' })).body.id;
    const ids: string[] = [];
    for (const word of ['steady', 'shaky', 'lost', 'wrong']) {
      const kind = { Generic: { input: word, expected_output: `It is ${word}` } };
      ids.push((await api.post<{ id: string }>(`/api/datasets/${id}/datapoints`, { kind })).body.id);
    }
    /** Scores of two tries by datapoint; `null` for a try that failed. */
    const external = async (name: string, scores: (readonly (number | null)[])[]): Promise<string> => {
      const { body: run } = await api.post<{ id: string }>(`/api/datasets/${id}/eval`, {
        ...{ name, execution: 'external', scoring: 'External', repeats: 2, metadata: { branch: name } },
      });
      const results = scores.flatMap((tries, at) =>
        tries.map((score, repeat) => ({
          ...{ datapoint_id: ids[at], repeat, latency_ms: 100 * (at + 1), cost: 0.01 * (repeat + 1) },
          ...(score === null ? { error: 'lost' } : { output: `# ${name} ${repeat}`, scores: { External: score } }),
        })),
      );
      await api.post(`/api/eval/${run.id}/results`, { results });
      await api.post(`/api/eval/${run.id}/complete`);
      return run.id;
    };
    const [first, second] = [
      await external('early', [...[[1, 1]], [1, 0.25], [null, null], [0, 0]]),
      await external('late', [...[[1, 1]], [1, 1], [null, 1], [0, 0.5]]),
    ];
    await open(`/${first}`);
    const show = async (only: string, ...words: string[]): Promise<void> => {
      await combobox('Show').selectOption(only);
      const inputs = grid('Results').getByRole('row').locator('[role=gridcell]:first-child');
      await expectSoon(async () => (await inputs.allTextContents()).toSorted(), words.toSorted());
    };
    await show('Not passed', 'shaky', 'wrong');
    await show('Failed', 'lost');
    await show('Flaky', 'shaky');
    expect(new URL(page.url()).searchParams.get('only')).toBe('flaky');
    await grid('Results').getByText('0.25, try 2', { exact: true }).waitFor();
    await show('All', 'steady', 'shaky', 'lost', 'wrong');
    await page.getByRole('button', { name: /^Retry failed/ }).waitFor();
    // A result opens beside its list, in a narrow window below it; keys go on from there.
    const result = page.getByRole('region', { name: 'Result', exact: true });
    const isBeside = async (): Promise<boolean> => {
      const [list, region] = [await grid('Results').boundingBox(), await result.boundingBox()];
      return region!.x >= list!.x + list!.width;
    };
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 1100, height: 800 });
    await grid('Results').getByText('shaky', { exact: true }).first().click();
    await result.getByText('Worst try 0.25, try 2').waitFor();
    await expectSoon(isBeside, true);
    const opened = (): string | null => new URL(page.url()).searchParams.get('item');
    expect(opened()).toBe(ids[1]);
    await page.keyboard.press('j');
    await result.getByText('Status Failed').waitFor();
    await page.keyboard.press('ArrowUp');
    await result.getByText('Worst try 0.25, try 2').waitFor();
    expect(opened()).toBe(ids[1]);
    await expectAccessible(watched);
    await page.setViewportSize({ width: 1099, height: 800 });
    await expectSoon(isBeside, false);
    await page.setViewportSize(usual);
    await page.reload();
    await result.getByRole('group', { name: 'Text of Output' }).getByText('early 0', { exact: true }).waitFor();

    await page.goto(`${program.apiUrl}/evaluations/compare?runs=${first},${second}&item=${ids[1]}`);
    const difference = page.getByRole('region', { name: 'Difference' });
    for (const name of ['Tries of early', 'Tries of late']) {
      await expectSoon(() => difference.getByRole('group', { name, exact: true }).getByRole('article').count(), 2);
    }
    await grid('Comparison').getByText('worst 0.25, try 2').waitFor();
    await page.getByText('late against early: ').waitFor();
    await expectAccessible(watched);

    await page.goto(`${program.apiUrl}/datasets/${id}/datapoints/${ids[1]}`);
    const history = grid('Results by run').getByRole('row');
    await expectSoon(() => history.getByRole('link').allTextContents(), ['late', 'early']);
    await history.nth(2).getByText('0.25, try 2').waitFor();
    await expectAccessible(watched);
    await history.getByRole('link', { name: 'early' }).click();
    await heading('early');
    expect(opened()).toBe(ids[1]);

    await page.goto(`${program.apiUrl}/datasets/${id}?tab=runs`);
    const trend = page.getByRole('figure', { name: 'Trend' });
    const chart = trend.getByRole('application', { name: /^Score over time/ });
    await chart.focus();
    await page.keyboard.press('End');
    await chart.getByText(/: Score 0\.813, Interval from 0\.\d+, to 1$/).waitFor({ state: 'attached' });
    await expectAccessible(watched);
    await combobox('Metric').selectOption('Latency');
    await trend.getByRole('application', { name: /^Latency over time/ }).waitFor();
    await trend.getByRole('button', { name: 'Show as table' }).click();
    const rows = trend.getByRole('table', { name: 'Trend' }).getByRole('row');
    await expectSoon(() => rows.getByRole('link').allTextContents(), ['late', 'early']);
    await expectSoon(() => rows.nth(1).getByRole('cell').nth(1).textContent(), '250 ms');
    await expectAccessible(watched);
    await combobox('Metadata').selectOption({ label: 'branch = early' });
    await page.getByRole('button', { name: 'Remove filter: Metadata branch=early' }).waitFor();
    await until(async () => (await rowsOf('Runs')) === 1);
    await trend.getByRole('application').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await heading('early');
    await page.getByRole('button', { name: /^Retry failed/ }).click();
    await page.getByRole('list', { name: 'Run facts' }).getByText('Former attempts 2').waitFor();
    expectNoFaults(watched);
  });

  inBrowser('take a part of their dataset, and go on behind their cost cap, by keys', async () => {
    const { api } = program;
    const { id } = (await api.post<{ id: string }>('/api/datasets', { name: 'parts' })).body;
    for (const [at, split] of ['test', 'train', 'test', 'test', 'train'].entries())
      await api.post(`/api/datasets/${id}/datapoints`, {
        kind: { Generic: { input: `say ${at}`, expected_output: `say ${at}`, metadata: { split } } },
      });
    const textbox = (name: string): Locator => page.getByRole('textbox', { name, exact: true });
    const number = (name: string): Locator => page.getByRole('spinbutton', { name, exact: true });
    const type = async (field: Locator, text: string): Promise<void> => {
      await tabTo(field);
      await page.keyboard.type(text);
    };
    await page.goto(`${program.apiUrl}/datasets/${id}`);
    await until(async () => (await rowsOf('Datapoints')) === 5);
    await tabTo(page.getByRole('button', { name: 'Add filter' }));
    await page.keyboard.press('Enter');
    await chooseInMenu(page, 'Metadata');
    await type(page.getByRole('dialog').getByRole('textbox', { name: 'Key' }), 'split');
    await type(page.getByRole('dialog').getByRole('textbox', { name: 'Value' }), 'test');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: Metadata split=test' }).waitFor();
    await until(async () => (await rowsOf('Datapoints')) === 3);
    await expectAccessible(watched);

    await open(`/new?dataset=${id}`);
    await expectSoon(() => combobox('Model').inputValue(), 'gpt-5.1');
    await type(textbox('Datapoints with metadata'), 'split test');
    await type(number('Limit'), '3');
    await type(number('Sample'), '2');
    await type(number('Seed'), '7');
    await type(combobox('Source'), 'Manual');
    await page.getByText('This makes 2 calls: one for each datapoint.').waitFor();
    await page.getByText(/^About (<)?\$0\.\d+, estimated from /).waitFor();
    await type(textbox('Run name'), 'part');
    await type(combobox('Scoring'), 'Contains');
    await type(number('Max cost (USD)'), '0.000000001');
    await tabTo(button('Start evaluation'));
    await page.keyboard.press('Enter');
    await page.getByText('must be KEY = VALUE in each line, which "split test" is not').waitFor();
    await expectAccessible(watched);
    await textbox('Datapoints with metadata').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('split = test');
    await tabTo(button('Start evaluation'));
    await page.keyboard.press('Enter');
    await heading('part');
    const facts = page.getByRole('list', { name: 'Run facts' });
    await facts.getByText('Cancelled').waitFor();
    await facts.getByText('Datapoints split = test, manual, sample 2 (seed 7), limit 3').waitFor();
    await page.getByText('Stopped: another call could have exceeded the cost cap.').waitFor();
    await page.getByText('1 of 2', { exact: true }).waitFor();
    // A cap that lets no sample begin is refused at its field.
    await tabTo(button('Resume'));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'What may this run cost?' });
    await tabTo(dialog.getByRole('button', { name: 'Go on' }));
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await expectAccessible(watched);
    await tabTo(dialog.getByRole('spinbutton', { name: 'Max cost (USD)' }));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await facts.getByText('Completed').waitFor();
    await page.getByText('2 of 2', { exact: true }).waitFor();
    const [part] = await runs();
    const filter = { metadata: { split: 'test' }, limit: 3, sample: 2, seed: 7, source: ['manual'] };
    expect(part).toMatchObject({ avg_score: 1, max_cost_usd: 5, filter });
    expectNoFaultsBut(watched, /status of 400/);
  });

  inBrowser('say before they start which datapoints a scorer will not score', async () => {
    const { api } = program;
    const datasetOf = async (name: string, ...expected: (string | null)[]): Promise<string> => {
      const { id } = (await api.post<{ id: string }>('/api/datasets', { name })).body;
      for (const expected_output of expected)
        await api.post(`/api/datasets/${id}/datapoints`, { kind: { Generic: { input: 'say it', expected_output } } });
      return id;
    };
    const half = await datasetOf('half', 'say it', null);
    await datasetOf('bare', null, null);
    await open(`/new?dataset=${half}`);
    await expectSoon(() => combobox('Model').inputValue(), 'gpt-5.1');
    const said = page.getByRole('status', { name: 'Expected values' });
    await combobox('Scoring').selectOption('Contains');
    await said
      .getByText('1 of 2 datapoints has no expected value. Contains needs one: it will not be scored.', { exact: true })
      .waitFor();
    await expectAccessible(watched);
    await combobox('Scoring').selectOption('None');
    await expectSoon(() => said.textContent(), '');
    await combobox('Scoring').selectOption('Contains');
    await button('Start evaluation').waitFor();
    await combobox('Dataset').selectOption('bare');
    await said
      .getByText(
        '2 of 2 datapoints have no expected value. Contains needs one: answers will be recorded and not scored.',
        { exact: true },
      )
      .waitFor();
    await page.getByRole('textbox', { name: 'Run name' }).fill('unscored');
    await button('Start without scores').click();
    await heading('unscored');
    await page.getByRole('list', { name: 'Run facts' }).getByText('All failed').waitFor();
    await until(async () => (await rowsOf('Results')) === 2);
    const unscored = (await runs()).find(({ name }) => name === 'unscored')!;
    const { body } = await api.get<{ items: { score: number | null; output: unknown }[] }>(
      `/api/eval/${unscored.id}/items`,
    );
    const unscoredItem = [null, 'You said: say it'];
    expect(body.items.map(({ score, output }) => [score, output])).toEqual([unscoredItem, unscoredItem]);
    expectNoFaults(watched);
  });

  inBrowser('are looked at by category, alone and beside a baseline', async () => {
    const { api } = program;
    const desk = (await api.post<{ id: string }>('/api/datasets', { name: 'desk' })).body.id;
    const categories = ['legal', 'login'];
    const lines = categories.flatMap((category) =>
      Array.from({ length: 20 }, (_, n) => `${category} ${n},${category},doc ${n % 5}`),
    );
    await api.send('POST', `/api/datasets/${desk}/import`, `input,category,doc\n${lines.join('\n')}`, {
      'content-type': 'text/csv',
    });
    /** A run that has these of each category wrong. */
    const tried = async (name: string, wrong: Record<string, number>, gates: object[] = []): Promise<string> => {
      const config = { system_prompt: `You are the ${name}.`, temperature: wrong['legal']! / 10 };
      const start = { name, scoring: 'External', execution: 'external', config, gates };
      const { body: run } = await api.post<{ id: string }>(`/api/datasets/${desk}/eval`, start);
      const { body } = await api.get<{ items: { datapoint_id: string; input: string }[] }>(
        `/api/eval/${run.id}/items?limit=40`,
      );
      const results = body.items.map(({ datapoint_id, input }) => {
        const [category, n] = input.split(' ');
        return { datapoint_id, output: 'x', scores: { External: Number(Number(n) >= wrong[category!]!) } };
      });
      await api.post(`/api/eval/${run.id}/results`, { results });
      await until(async () => (await runs()).find(({ id }) => id === run.id)?.status === 'completed');
      return run.id;
    };
    const before = await tried('desk before', { legal: 0, login: 15 });
    const gates = [{ metric: 'regression', by: 'category', baseline_run_id: before }];
    const after = await tried('desk after', { legal: 8, login: 0 }, gates);
    await open(`/${after}`);
    const statistics = page.getByRole('region', { name: 'Statistics' });
    await page.getByRole('region', { name: 'Gates' }).getByText('Worse (legal)').waitFor();
    await combobox('Group by').selectOption('category');
    const table = statistics.getByRole('table', { name: 'desk after by category' });
    const cellsOf = (at: number) => table.getByRole('row').nth(at).locator('th, td').allTextContents();
    await expectSoon(async () => (await cellsOf(1)).slice(0, 3), ['legal', '20', '0.6']);
    await expectSoon(async () => (await cellsOf(2)).slice(0, 3), ['login', '20', '1']);
    await expectAccessible(watched);
    await chooseRun('Compare with', 'desk before');
    await statistics.getByText("Holm's p is corrected for 2 groups tested").waitFor();
    const verdicts = async () =>
      Promise.all([1, 2].map(async (at) => (await cellsOf(at)).filter((_, i) => [5, 9].includes(i))));
    await expectSoon(verdicts, [
      ['-0.4', 'Worse'],
      ['+0.75', 'Better'],
    ]);
    await combobox('Then by').selectOption('doc');
    const both = statistics.getByRole('table', { name: 'desk after by category, doc' }).getByRole('row');
    await expectSoon(
      async () => (await both.nth(1).locator('th, td').allTextContents()).slice(0, 3),
      ['legal', 'doc 0', '4'],
    );
    expect(await both.count()).toBe(11);
    await expectAccessible(watched);
    await combobox('Then by').selectOption('');
    await combobox('Cluster by').selectOption('doc');
    await until(() => page.url().includes('cluster_by=doc'));
    await expectSoon(async () => (await cellsOf(1)).slice(0, 3), ['legal', '20', '0.6']);
    await expectAccessible(watched);
    await page.goto(`${program.apiUrl}/evaluations/compare?runs=${before},${after}`);
    const differences = page.getByRole('region', { name: 'What differs: desk before → desk after' });
    const prompt = differences.getByRole('group', { name: 'config.system_prompt' });
    await expectSoon(() => prompt.locator('del').allTextContents(), [' removed: before end ']);
    await expectSoon(() => prompt.locator('ins').allTextContents(), [' added: after end ']);
    await expectSoon(
      () => differences.getByRole('row').nth(1).locator('th, td').allTextContents(),
      ['config.temperature', '0', '0.8'],
    );
    await combobox('Group by').selectOption('category');
    await expectSoon(verdicts, [
      ['-0.4', 'Worse'],
      ['+0.75', 'Better'],
    ]);
    await expectAccessible(watched);
    expectNoFaults(watched);
  });

  inBrowser('send a prompt with variables, and stand in a table with those that were started together', async () => {
    const textbox = (name: string): Locator => page.getByRole('textbox', { name, exact: true });
    await open(`/new?dataset=${dataset}`);
    await textbox('Run name').fill('prompted');
    await textbox('System prompt').fill('Be brief.');
    await textbox('User prompt').fill('Q: {{question}}');
    await combobox('Scoring').selectOption('Contains');
    await button('Start evaluation').click();
    await page.getByText('names the unknown variable "question"').waitFor();
    await textbox('User prompt').fill('Q: {{input}}');
    await expectAccessible(watched);
    await button('Start evaluation').click();
    await heading('prompted');
    await page.getByRole('list', { name: 'Run facts' }).getByText('Completed').waitFor();
    const [prompted] = await runs();
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Q: {{input}}' },
    ];
    expect(prompted).toMatchObject({ avg_score: 1, config: { messages, system_prompt: null } });
    await page.getByText('Prompt', { exact: true }).click();
    await page.getByText('Q: {{input}}').waitFor();
    await button('Run again').click();
    await expectSoon(() => textbox('User prompt').inputValue(), 'Q: {{input}}');
    await expectSoon(() => textbox('System prompt').inputValue(), 'Be brief.');

    const { body } = await program.api.post<{ group_id: string; runs: EvalRunSummary[] }>(
      `/api/datasets/${dataset}/eval/matrix`,
      {
        ...{ name: 'both', scoring: 'Contains', config: { connection_id: prompted!.config.connection_id } },
        prompts: [{ messages }, { name: 'silent', messages: [{ role: 'user', content: 'nothing' }] }],
      },
    );
    await open(`/${body.runs[0]!.id}`);
    await page.getByRole('link', { name: 'All runs of the group' }).click();
    await until(async () => (await rowsOf('Runs')) === 2);
    await grid('Runs').getByRole('columnheader', { name: 'Pass rate' }).waitFor();
    const cellsOf = (name: string): Promise<string[]> =>
      grid('Runs').getByRole('row').filter({ hasText: name }).getByRole('gridcell').allInnerTexts();
    await until(async () => (await cellsOf('both, prompt 1')).some((text) => text.trim() === '100%'), 30_000);
    await until(async () => (await cellsOf('both, silent')).some((text) => text.trim() === '0%'), 30_000);
    await expectAccessible(watched);
    expectNoFaultsBut(watched, /400/);
  });
});
