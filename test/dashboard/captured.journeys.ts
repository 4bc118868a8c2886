/** How recorded calls become datapoints: one, some together, and by rules. */
import { describe, expect } from '@jest/globals';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { button, datapointsOf, grid, makeDataset, open, reported, versionOf } from './dataset-steps.ts';
import { expectAccessible, expectSoon, tabTo } from './page-steps.ts';
import { recordCalls } from './recorded-conversations.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const onCalls = journeysOn(() => recordCalls(program.api));

describe('recorded spans', () => {
  onCalls();

  inBrowser('become datapoints of a new dataset, with links both ways', async () => {
    await open('/traces/calls-20');
    await button('Copy span link').waitFor();
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
    await tabTo(dialog.getByRole('combobox', { name: 'Dataset' }));
    await page.keyboard.type('New dataset');
    await tabTo(dialog.getByRole('textbox', { name: 'Name' }));
    await page.keyboard.type('failures');
    await dialog.getByRole('region', { name: 'Datapoint preview' }).getByText('Hello 20').waitFor();
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('link', { name: 'Open datapoint' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Hello 20' }).waitFor();
    await expectSoon(
      () => page.getByRole('group', { name: 'Message 1' }).getByRole('textbox').inputValue(),
      'Hello 20',
    );
    await expectAccessible(watched);
    await tabTo(page.getByRole('link', { name: 'Source span' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\/calls-20\?span=calls-20-call$/);
    expectNoFaults(watched);
  });

  inBrowser('of a selection become datapoints together', async () => {
    const id = await makeDataset('selected');
    await open('/spans?text_contains=lighthouse');
    for (const name of ['call 60', 'call 68']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    const toolbar = page.getByRole('toolbar', { name: 'Selection' });
    const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
    await toolbar.getByRole('button', { name: 'Add to dataset' }).click();
    await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('selected');
    await expectAccessible(watched);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await reported('Added 2 datapoints');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Traces' }).click();
    await page.getByRole('checkbox', { name: 'Select calls 16' }).check();
    await toolbar.getByRole('button', { name: 'Add to dataset' }).click();
    await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('selected');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await reported('Added 1 datapoint');
    for (const name of ['calls 16', 'calls 15']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await toolbar.getByRole('button', { name: 'Add to dataset' }).click();
    await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('selected');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await reported('Added 1, 1 was there already');
    expect((await datapointsOf(id)).map(({ source_span_id: span }) => span).toSorted()).toEqual([
      'calls-0-call',
      'calls-15-call',
      'calls-16-call',
      'calls-8-call',
    ]);
    expect(await versionOf(id)).toBe(3);
    expectNoFaults(watched);
  });

  inBrowser('are captured by a rule that said before how many', async () => {
    const id = await makeDataset('captured');
    await open(`/datasets/${id}?tab=rules`);
    await tabTo(button('New rule'));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New capture rule' });
    await dialog.waitFor();
    await page.keyboard.type('dear calls');
    await tabTo(dialog.getByLabel('Minimum cost'));
    await page.keyboard.type('20');
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await preview.getByText('4 of the last 24 finished spans match', { exact: true }).waitFor();
    await expectSoon(() => preview.getByRole('grid', { name: 'Matching spans' }).getByRole('link').count(), 4);
    await expectAccessible(watched);
    await tabTo(button('Create rule'));
    await page.keyboard.press('Enter');
    const row = grid('Capture rules').getByRole('row').filter({ hasText: 'dear calls' });
    await row.getByText('Cost ≥ $20.00').waitFor();
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    const kind = { type: 'llm_call', model: 'm', provider: 'p', cost: 30 };
    await program.api.post('/api/spans', { id: 'dear', trace_id: 'calls-0', name: 'dear', kind });
    await program.api.post('/api/spans/dear/complete', {});
    await row.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    await expectAccessible(watched);
    await row.getByRole('switch', { name: 'Enabled: dear calls' }).uncheck();
    const rules = `/api/datasets/${id}/capture-rules`;
    await until(async () => {
      const { body } = await program.api.get<{ capture_rules: { enabled: boolean }[] }>(rules);
      return body.capture_rules.every(({ enabled }) => !enabled);
    });
    await row.getByRole('button', { name: 'Delete dear calls' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete capture rule?' });
    await question.getByText('Datapoints that dear calls captured are kept.').waitFor();
    await expectAccessible(watched);
    await question.getByRole('button', { name: 'Delete' }).click();
    await reported('Deleted the rule dear calls');
    expect((await program.api.get<{ capture_rules: unknown[] }>(rules)).body.capture_rules).toEqual([]);
    expectNoFaults(watched);
  });
});
