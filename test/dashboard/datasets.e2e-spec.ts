/** The pages of datasets, as people use them: with the mouse, and by keys alone. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { takeDirectory, type Place, type Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { DashboardBrowser, expectNoFaults, hasBrowser, inBrowser, type WatchedPage } from './dashboard-browser.ts';
import { recordCalls } from './recorded-conversations.ts';

const browser = new DashboardBrowser();
let place: Place;
let program: Program;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  place = await takeDirectory();
  program = await place.start({});
});
afterAll(async () => {
  await browser.close();
  await place?.close();
});
beforeEach(async () => {
  if (!hasBrowser) return;
  watched = await browser.open(program.apiUrl);
  ({ page } = watched);
});
afterEach(async () => {
  await watched?.close();
});

interface Datapoint {
  id: string;
  kind: Record<string, Record<string, unknown>>;
  source: string;
  source_span_id: string | null;
}

const open = (path: string) => page.goto(`${program.apiUrl}${path}`);
const grid = (name: string): Locator => page.getByRole('grid', { name });
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const editor = (): Locator => page.getByRole('textbox', { name: 'Datapoint JSON' });
const told = (text: string): Promise<void> =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text, { exact: true }).waitFor();
const heading = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const count = (text: string): Promise<void> =>
  page.getByRole('status', { name: 'Result count' }).getByText(text, { exact: true }).waitFor();

async function makeDataset(name: string, inputs: readonly string[] = []): Promise<string> {
  const { body } = await program.api.post<{ id: string }>('/api/datasets', { name });
  for (const input of inputs)
    await program.api.post(`/api/datasets/${body.id}/datapoints`, { kind: { Generic: { input } } });
  return body.id;
}

const datapointsOf = async (id: string): Promise<Datapoint[]> =>
  (await program.api.get<{ datapoints: Datapoint[] }>(`/api/datasets/${id}/datapoints`)).body.datapoints;
const versionOf = async (id: string): Promise<number> =>
  (await program.api.get<{ version: number }>(`/api/datasets/${id}`)).body.version;

async function expectAccessible(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await watched.axe()]).toEqual([colorScheme, []]);
  }
}

/** Tab until the control has the focus. */
async function tabTo(target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab never leads there');
}

describe('datasets', () => {
  inBrowser('are made by keys alone, and filled with a datapoint', async () => {
    await open('/traces');
    await heading('Traces');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'No datasets yet' }).waitFor();
    await expectAccessible();
    await tabTo(button('New dataset'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New dataset' }).waitFor();
    await page.keyboard.type('lighthouses');
    await expectAccessible();
    await page.keyboard.press('Enter');
    await heading('lighthouses');
    await page.getByRole('heading', { name: 'No datapoints yet' }).waitFor();
    await tabTo(button('Add datapoint'));
    await page.keyboard.press('Enter');
    await heading('New datapoint');
    await tabTo(editor());
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('{"input": 12345678901234567890, "expected_output": "far away"}');
    await page.keyboard.press('ControlOrMeta+s');
    await told('Added a datapoint');
    await page.getByRole('heading', { level: 1, name: /^Datapoint / }).waitFor();
    await until(async () => (await editor().inputValue()).includes('12345678901234567890'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await grid('Datapoints').getByRole('link', { name: '12345678901234567890' }).waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
    await grid('Datasets').getByRole('link', { name: 'lighthouses' }).waitFor();
    await expectAccessible();
    expectNoFaults(watched);
  });

  inBrowser('are renamed, and deleted with all that is in them', async () => {
    const id = await makeDataset('before', ['one', 'two']);
    await open(`/datasets/${id}`);
    await heading('before');
    await button('Edit').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('after');
    await page.getByRole('textbox', { name: 'Description' }).fill('What is asked');
    await button('Save').click();
    await heading('after');
    await page.getByText('What is asked').waitFor();
    await button('Delete dataset').click();
    const question = page.getByRole('alertdialog', { name: 'Delete dataset?' });
    await question.getByText('2 datapoints').waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await told('Deleted the dataset after');
    await heading('Datasets');
    expect((await program.api.get(`/api/datasets/${id}`)).status).toBe(404);
    await page.goBack();
    await heading('Dataset not found');
  });
});

describe('datapoints', () => {
  inBrowser('are not saved while they are no JSON, and not left unsaved without a question', async () => {
    const id = await makeDataset('edited', ['Where?']);
    const [datapoint] = await datapointsOf(id);
    await open(`/datasets/${id}/datapoints/${datapoint!.id}`);
    const faults = page.getByRole('status', { name: 'Faults' });
    await editor().fill('{\n  "input": "Where?",\n}');
    await faults.getByText('Line 3: expected a member name in double quotes').waitFor();
    expect(await button('Save').isDisabled()).toBe(true);
    await expectAccessible();
    await page.keyboard.press('ControlOrMeta+s');
    await editor().fill('{\n  "input": "Where?",\n  "score": 7\n}');
    await button('Save').click();
    await faults.getByText('Line 3: score must be a number from 0 to 1').waitFor();
    expect(await versionOf(id)).toBe(1);
    await page.getByRole('link', { name: 'Back to edited' }).click();
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await editor().fill('{"input": "Where?", "expected_output": "Here"}');
    await page.keyboard.press('ControlOrMeta+s');
    await told('Saved the datapoint');
    expect(await versionOf(id)).toBe(2);
    expect((await datapointsOf(id))[0]!.kind['Generic']).toMatchObject({ input: 'Where?', expected_output: 'Here' });
    await page.getByRole('radio', { name: 'Conversation' }).check();
    expect(JSON.parse(await editor().inputValue())).toEqual({
      messages: [{ role: 'user', content: 'Where?' }],
      expected: 'Here',
    });
    await page.getByRole('link', { name: 'Back to edited' }).click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await heading('edited');
    expect(await versionOf(id)).toBe(2);
  });

  inBrowser('are found by their texts, sent to review and deleted together', async () => {
    const id = await makeDataset('chosen', ['a lighthouse', 'a harbour', 'a lighthouse again']);
    await open(`/datasets/${id}`);
    await count('3 datapoints');
    await page.getByRole('searchbox', { name: 'Search in datapoints' }).fill('LIGHTHOUSE');
    await count('2 datapoints');
    for (const name of ['a lighthouse', 'a lighthouse again'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    const toolbar = page.getByRole('toolbar', { name: 'Selection' });
    await toolbar.getByRole('button', { name: 'Send to review' }).click();
    await told('Sent 2 datapoints to review');
    await page.getByRole('checkbox', { name: 'Select a lighthouse', exact: true }).check();
    await toolbar.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('alertdialog', { name: 'Delete 1 datapoint?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await told('Deleted 1 datapoint');
    await count('1 datapoint');
    expect((await datapointsOf(id)).map(({ kind }) => kind['Generic']!['input'])).toEqual([
      'a harbour',
      'a lighthouse again',
    ]);
    await page.getByRole('searchbox', { name: 'Search in datapoints' }).fill('');
    await page.getByRole('combobox', { name: 'Source' }).selectOption('File upload');
    await page.getByRole('heading', { name: 'No datapoints match these filters' }).waitFor();
    await button('Export').click();
    const address = await page.getByRole('menuitem', { name: 'JSON Lines' }).getAttribute('href');
    expect((await fetch(`${program.apiUrl}${address}`)).headers.get('content-disposition')).toContain('jsonl');
    expectNoFaults(watched);
  });

  inBrowser('come from a file, without the rows that are none', async () => {
    const id = await makeDataset('imported');
    const rows = Array.from({ length: 10_000 }, (_, n) => JSON.stringify({ input: `row ${n}`, expected: n }));
    rows[2] = '"no object"';
    rows[5_000] = '{"output": 1}';
    await open(`/datasets/${id}`);
    await button('Import').click();
    const dialog = page.getByRole('dialog', { name: 'Import datapoints' });
    await dialog.getByLabel('File', { exact: true }).setInputFiles({
      name: 'rows.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.from(rows.join('\n')),
    });
    const preview = dialog.getByRole('table', { name: 'Preview' });
    await preview.getByRole('cell', { name: 'row 0', exact: true }).waitFor();
    await expectAccessible();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('alert').getByText('Nothing was imported').waitFor();
    expect(await datapointsOf(id)).toEqual([]);
    await dialog.getByRole('checkbox', { name: 'Skip rows with faults' }).check();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('status').getByText('Imported 9,998 datapoints, skipped 2').waitFor();
    const skipped = dialog.getByRole('table', { name: 'Skipped rows' });
    expect(
      await skipped
        .getByRole('row')
        .filter({ hasText: /^(?:3|5,001)/ })
        .count(),
    ).toBe(2);
    await expectAccessible();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await grid('Datapoints').getByRole('link', { name: 'row 9999', exact: true }).waitFor();
    const exported = await (await fetch(`${program.apiUrl}/api/datasets/${id}/export`)).text();
    expect(exported.trimEnd().split('\n')).toHaveLength(9_998);
  });
});

describe('spans', () => {
  beforeAll(() => recordCalls(program.api));

  inBrowser('become datapoints of a new dataset, with links both ways', async () => {
    await open('/traces/calls-20');
    await button('Copy span link').waitFor();
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
    await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('New dataset');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('failures');
    await dialog.getByRole('region', { name: 'Datapoint preview' }).getByText('Hello 20').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Open datapoint' }).click();
    await until(async () => (await editor().inputValue()).includes('Hello 20'));
    await expectAccessible();
    await page.getByRole('link', { name: 'Source span' }).click();
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
    await expectAccessible();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await told('Added 2 datapoints');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Traces' }).click();
    await page.getByRole('checkbox', { name: 'Select calls 16' }).check();
    await toolbar.getByRole('button', { name: 'Add to dataset' }).click();
    await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('selected');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await told('Added 1 datapoint');
    expect((await datapointsOf(id)).map(({ source_span_id: span }) => span).toSorted()).toEqual([
      'calls-0-call',
      'calls-16-call',
      'calls-8-call',
    ]);
    expect(await versionOf(id)).toBe(2);
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
    expect(await preview.getByRole('grid', { name: 'Matching spans' }).getByRole('link').count()).toBe(4);
    await expectAccessible();
    await tabTo(button('Create rule'));
    await page.keyboard.press('Enter');
    const row = grid('Capture rules').getByRole('row').filter({ hasText: 'dear calls' });
    await row.getByText('cost at least $20').waitFor();
    await page.getByRole('status', { name: 'Live updates' }).getByText('Live').waitFor();
    const kind = { type: 'llm_call', model: 'm', provider: 'p', cost: 30 };
    await program.api.post('/api/spans', { id: 'dear', trace_id: 'calls-0', name: 'dear', kind });
    await program.api.post('/api/spans/dear/complete', {});
    await row.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    await expectAccessible();
    await row.getByRole('switch', { name: 'Enabled: dear calls' }).uncheck();
    const rules = `/api/datasets/${id}/capture-rules`;
    await until(async () => {
      const { body } = await program.api.get<{ capture_rules: { enabled: boolean }[] }>(rules);
      return body.capture_rules.every(({ enabled }) => !enabled);
    });
    expectNoFaults(watched);
  });
});
