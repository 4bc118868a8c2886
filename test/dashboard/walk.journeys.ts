/**
 * One walk through the product on traffic like a company's: find out why yesterday's answers got expensive, make a test case
 * of the worst one, evaluate two models on it, compare them, review what they said. `SPANDREL_WALK_PICTURES` is a folder
 * that gets a picture of each step.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { EvalRunSummary } from '@spandrel/contract';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { button, datapointsOf, grid, heading, open } from './dataset-steps.ts';
import { expectAccessible, expectSoon, pressInTurn, settled, tabTo } from './page-steps.ts';
import { journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

const { recordRealistic } = (await import('../../scripts/demo-realistic/main.mjs' as string)) as {
  recordRealistic(server: { url: string }, options: object): Promise<unknown>;
};

const FOLDER = process.env['SPANDREL_WALK_PICTURES'];
let step = 0;

/** A picture of the page as it stands. */
async function show(name: string): Promise<void> {
  step++;
  await settled(page, () => page.evaluate('document.querySelectorAll("*").length'));
  if (FOLDER === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  // A chart is drawn a moment after its figure is there.
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: join(FOLDER, `${String(step).padStart(2, '0')}-${name}.png`), animations: 'disabled' });
}

const onTraffic = journeysOn(
  async () => {
    await recordRealistic({ url: program.apiUrl }, {});
    await program.api.post('/api/provider-connections', {
      ...{ name: 'Models', provider: 'openai', api_key: 'sk-test', base_url: `${provider.url}/v1` },
      default_model: 'gpt-5.1',
    });
  },
  { isOneVisit: true },
);
let dataset: string;

describe('the walk', () => {
  onTraffic();
  beforeAll(() => page?.setViewportSize({ width: 1_440, height: 900 }));
  afterAll(() => page?.setViewportSize({ width: 1_280, height: 600 }));

  inBrowser('finds out why the answers of yesterday got expensive', async () => {
    await open('/analytics?range=7d&split_by=model');
    await page.getByRole('figure', { name: 'Cost', exact: true }).getByRole('application').waitFor();
    await show('analytics');
    await page.getByRole('combobox', { name: 'Split by' }).selectOption('Trace name');
    await page.getByRole('figure', { name: 'Cost', exact: true }).getByRole('application').waitFor();
    await show('analytics-by-trace-name');
    const chart = page.getByRole('figure', { name: 'Cost', exact: true }).getByRole('application');
    await chart.focus();
    // The last day is today.
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await heading('Spans');
    // The dearest are first by themselves.
    await expectSoon(() => new URL(page.url()).searchParams.get('sort_by'), 'cost');
    await grid('Spans').getByRole('row').nth(3).waitFor();
    await show('spans-by-cost');
    await grid('Spans').getByRole('row').nth(1).getByRole('link').first().click();
    const details = page.getByRole('region', { name: 'Span details' });
    await details.getByRole('article').last().waitFor();
    await details.getByText('How this cost was computed').click();
    await page.getByRole('table', { name: 'Parts of the cost' }).waitFor();
    await show('worst-answer');
    await expectAccessible(watched);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  inBrowser('makes a test case of the worst one', async () => {
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
    await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('New dataset');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Expensive answers');
    await expectSoon(async () => (await dialog.getByRole('textbox', { name: 'Expected' }).inputValue()) !== '', true);
    await show('add-to-dataset');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByRole('link', { name: 'Open datapoint' }).click();
    await page.getByRole('textbox', { name: 'Expected' }).first().waitFor();
    dataset = /\/datasets\/([^/]+)\//.exec(page.url())![1]!;
    await show('datapoint');
  });

  inBrowser('evaluates two models on it', async () => {
    await open(`/datasets/${dataset}`);
    await heading('Expensive answers');
    await grid('Datapoints').getByRole('row').nth(1).waitFor();
    await show('dataset');
    await page.getByRole('main').getByText('Evaluate', { exact: true }).click();
    await heading('New evaluation');
    await expectSoon(() => page.getByRole('combobox', { name: 'Model', exact: true }).inputValue(), 'gpt-5.1');
    await page.getByRole('combobox', { name: 'Model 2', exact: true }).fill('gpt-5.1-mini');
    await page.getByRole('textbox', { name: 'Run name' }).fill('cheaper');
    await show('new-evaluation');
    await button('Start evaluation').click();
    await heading('Evaluations');
    const runs = async () =>
      (await program.api.get<{ runs: EvalRunSummary[] }>(`/api/eval?dataset_id=${dataset}`)).body.runs;
    await until(async () => (await runs()).length === 2 && (await runs()).every(({ progress }) => progress === 1));
    await grid('Runs').getByRole('row').nth(2).waitFor();
    await show('runs');
    for (const { name } of await runs())
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
  });

  inBrowser('compares them', async () => {
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Compare' }).click();
    await heading('Compare runs');
    await grid('Comparison').getByRole('row').nth(1).filter({ hasText: /\S/ }).click();
    await page.getByRole('region', { name: 'Difference' }).waitFor();
    const compared = await page.getByRole('group', { name: 'Compared runs, as a table' }).boundingBox();
    expect(compared!.height).toBeGreaterThan(60);
    await show('comparison');
    await expectAccessible(watched);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  inBrowser('reviews what they said', async () => {
    await open(`/datasets/${dataset}`);
    await grid('Datapoints').getByRole('row').nth(1).getByRole('checkbox').check();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Send to review' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send 1 datapoint to review' });
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await until(async () => {
      const { body } = await program.api.get<{ datasets: { dataset_id: string; pending: number }[] }>(
        '/api/count/queue',
      );
      return body.datasets.some(({ dataset_id: id, pending }) => id === dataset && pending === 1);
    });
    await open(`/review/${dataset}`);
    await page.getByRole('region', { name: 'Answers' }).getByRole('listitem').nth(1).waitFor();
    await show('review');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
    await show('reviewed');
    expect(await datapointsOf(dataset)).toHaveLength(1);
    expectNoFaults(watched);
  });
});

/** Without a mouse: each step goes on where the one before left the focus. */
describe('the walk by keys alone', () => {
  onTraffic();
  const NAME = 'Found by keys';
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const followNotification = async (name: string): Promise<void> => {
    const link = page.getByRole('region', { name: 'Notifications' }).getByRole('link', { name });
    await link.waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await pressInTurn(page, 'g', 'n');
    await expectSoon(() => link.evaluate((one) => one === one.ownerDocument.activeElement), true);
    await press('Enter');
  };
  const runsMade = async () =>
    (await program.api.get<{ runs: EvalRunSummary[] }>('/api/eval')).body.runs.filter(({ name }) =>
      name.startsWith('keys'),
    );

  inBrowser('finds the dearest answer of yesterday', async () => {
    await open('/traces');
    await heading('Traces');
    await grid('Traces').getByRole('row').nth(1).getByRole('link').first().waitFor();
    await press('j', 'Space');
    // Beside the list what was said is in view.
    const said = page.getByRole('region', { name: 'Peek' }).getByRole('article').first();
    await said.waitFor();
    await expectSoon(async () => (await said.boundingBox())!.y < 820, true);
    expect(await said.getAttribute('aria-label')).toBe('User message');
    const scrolls = `[...document.querySelectorAll('[aria-label="Peek"] *')].filter((part) =>
      part.scrollHeight > part.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(part).overflowY)).length`;
    expect(await page.evaluate(scrolls)).toBe(0);
    await press('Escape');
    await pressInTurn(page, 'g', 'a');
    await heading('Analytics');
    await tabTo(page.getByRole('combobox', { name: 'Time range' }));
    await page.keyboard.type('Last 7');
    await page.waitForURL(/range=7d/);
    await tabTo(page.getByRole('combobox', { name: 'Split by' }));
    await page.keyboard.type('Model');
    await page.waitForURL(/split_by=model/);
    const chart = page.getByRole('figure', { name: 'Cost', exact: true }).getByRole('application');
    await chart.locator('canvas').waitFor();
    await tabTo(chart);
    await press('End', 'ArrowLeft', 'Enter');
    await heading('Spans');
    await expectSoon(() => new URL(page.url()).searchParams.get('sort_by'), 'cost');
    await grid('Spans').getByRole('row').nth(1).getByRole('link').first().waitFor();
    await press('j', 'Enter');
    await page.getByRole('region', { name: 'Span details' }).getByRole('article').last().waitFor();
  });

  inBrowser('makes a test case of it', async () => {
    await press('d');
    const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
    await expectSoon(async () => (await dialog.getByRole('textbox', { name: 'Expected' }).inputValue()) !== '', true);
    await tabTo(dialog.getByRole('combobox', { name: 'Dataset' }));
    await page.keyboard.type('New dataset');
    await tabTo(dialog.getByRole('textbox', { name: 'Name' }));
    await page.keyboard.type(NAME);
    await press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await followNotification('Open datapoint');
    await page.getByRole('textbox', { name: 'Expected' }).first().waitFor();
    await press('Escape');
    await heading(NAME);
  });

  inBrowser('evaluates two models on it, and compares them', async () => {
    await grid('Datapoints').getByRole('row').nth(1).getByRole('link').first().waitFor();
    await tabTo(button('Evaluate'));
    await press('Enter');
    await heading('New evaluation');
    await expectSoon(() => page.getByRole('combobox', { name: 'Model', exact: true }).inputValue(), 'gpt-5.1');
    await tabTo(page.getByRole('combobox', { name: 'Model 2', exact: true }));
    await page.keyboard.type('gpt-5.1-mini');
    await tabTo(page.getByRole('textbox', { name: 'Run name' }));
    await page.keyboard.type('keys');
    await press('Enter');
    await heading('Evaluations');
    await until(
      async () => (await runsMade()).length === 2 && (await runsMade()).every(({ progress }) => progress === 1),
    );
    await grid('Runs').getByRole('row').nth(2).getByRole('link').first().waitFor();
    await press('j', 'x', 'j', 'x');
    await tabTo(page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Compare' }));
    await press('Enter');
    await heading('Compare runs');
    await grid('Comparison').getByRole('row').nth(1).filter({ hasText: /\S/ }).waitFor();
    await press('j', 'Enter');
    await page.getByRole('region', { name: 'Difference' }).waitFor();
    await tabTo(page.getByRole('region', { name: 'Difference' }).getByRole('button', { name: 'Send to review' }));
    await press('Enter');
    await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    await press('Enter');
  });

  inBrowser('reviews what they said', async () => {
    await followNotification('Start reviewing');
    await heading(`Review ${NAME}`);
    await page.getByRole('region', { name: 'Answers' }).getByRole('listitem').nth(1).waitFor();
    await press('a');
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
    expectNoFaults(watched);
  });
});
