/** The pages of datasets, as people use them: with the mouse, and by keys alone. */
import { describe, expect } from '@jest/globals';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { button, count, datapointsOf, editor, editorText, grid, heading } from './dataset-steps.ts';
import { makeDataset, open, reported, versionOf } from './dataset-steps.ts';
import { expectAccessible, expectSoon, pressInTurn, runCommand, tabTo } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const onNothing = journeysOn(async () => undefined);

describe('datasets', () => {
  onNothing();

  inBrowser('are made by keys alone, and filled with a datapoint', async () => {
    await open('/traces');
    await heading('Traces');
    await pressInTurn(page, 'g', 'd');
    await page.getByRole('heading', { name: 'No datasets yet' }).waitFor();
    await expectAccessible(watched);
    await tabTo(button('New dataset'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New dataset' }).waitFor();
    await page.keyboard.type('lighthouses');
    await expectAccessible(watched);
    await page.keyboard.press('Enter');
    await heading('lighthouses');
    await page.getByRole('heading', { name: 'No datapoints yet' }).waitFor();
    await tabTo(button('Add datapoint'));
    await page.keyboard.press('Enter');
    await heading('New datapoint');
    // The form comes first; the arrow leads to the other tab.
    await expectSoon(() => button('Save').isDisabled(), true);
    await tabTo(page.getByRole('tab', { name: 'Form' }));
    await page.keyboard.press('ArrowRight');
    await tabTo(editor());
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('{"input": 12345678901234567890, "expected_output": "far away"}');
    await page.keyboard.press('ControlOrMeta+s');
    await reported('Added a datapoint');
    await heading('12345678901234567890');
    await until(async () => (await editorText()).includes('12345678901234567890'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await grid('Datapoints').getByRole('link', { name: '12345678901234567890' }).waitFor();
    await page.keyboard.press('Escape');
    await grid('Datasets').getByRole('link', { name: 'lighthouses' }).waitFor();
    await expectAccessible(watched);
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
    await expectAccessible(watched);
    await question.getByRole('button', { name: 'Delete' }).click();
    await reported('Deleted the dataset after');
    await heading('Datasets');
    expect((await program.api.get(`/api/datasets/${id}`)).status).toBe(404);
    await page.goBack();
    await heading('Dataset not found');
  });
});

describe('datapoints', () => {
  onNothing();

  inBrowser('are not saved while they are no JSON, and not left unsaved without a question', async () => {
    const id = await makeDataset('edited', ['Where?']);
    const [datapoint] = await datapointsOf(id);
    await open(`/datasets/${id}/datapoints/${datapoint!.id}`);
    await heading('Where?');
    await expectSoon(() => button('Save').isDisabled(), true);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const faults = page.getByRole('status', { name: 'Faults' });
    await editor().fill('{\n  "input": "Where?",\n}');
    await faults.getByText('Line 3: expected a member name in double quotes').waitFor();
    await expectSoon(() => button('Save').isDisabled(), true);
    await expectAccessible(watched);
    await page.keyboard.press('ControlOrMeta+s');
    await editor().fill('{\n  "input": "Where?",\n  "score": 7\n}');
    await button('Save').click();
    await faults.getByText('Line 3: score must be a number from 0 to 1').waitFor();
    expect(await versionOf(id)).toBe(1);
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'edited' }).click();
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await question.waitFor();
    await expectAccessible(watched);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await editor().fill('{"input": "Where?", "expected_output": "Here"}');
    await page.keyboard.press('ControlOrMeta+s');
    await reported('Saved the datapoint');
    expect(await versionOf(id)).toBe(2);
    expect((await datapointsOf(id))[0]!.kind['Generic']).toMatchObject({ input: 'Where?', expected_output: 'Here' });
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByRole('textbox', { name: 'Expected output' }).fill('There');
    await page.getByRole('combobox', { name: 'Input as' }).selectOption('JSON');
    await page.getByRole('textbox', { name: 'Input', exact: true }).fill('[12345678901234567890');
    await page.getByText('This is not valid JSON yet.').waitFor();
    await expectSoon(() => button('Save').isDisabled(), true);
    await page.getByRole('textbox', { name: 'Input', exact: true }).fill('12345678901234567890');
    await page.keyboard.press('ControlOrMeta+s');
    await until(async () => (await versionOf(id)) === 3);
    const stored = await (await fetch(`${program.apiUrl}/api/datasets/${id}/datapoints/${datapoint!.id}`)).text();
    expect(stored).toContain('"input":12345678901234567890,"expected_output":"There"');
    await page.getByRole('radio', { name: 'Conversation' }).check();
    await page.getByRole('group', { name: 'Message 1' }).getByRole('textbox', { name: 'Content' }).fill('Where to?');
    await expectAccessible(watched);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await until(async () => (await editorText()).includes('Where to?'));
    expect(JSON.parse(await editorText())).toEqual({
      messages: [{ role: 'user', content: 'Where to?' }],
      expected: 'There',
    });
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'edited' }).click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await heading('edited');
    expect(await versionOf(id)).toBe(3);
  });

  inBrowser('are gone through in the order of their list', async () => {
    const id = await makeDataset('walked', ['first', 'second\nin two lines', 'third']);
    await open(`/datasets/${id}`);
    await grid('Datapoints').getByRole('link', { name: 'third' }).click();
    await heading('third');
    await expectSoon(() => button('Previous').isDisabled(), true);
    await button('Next').click();
    await heading('second');
    await expectAccessible(watched);
    await page.getByRole('textbox', { name: 'Expected output' }).fill('unsaved');
    await button('Next').click();
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await heading('first');
    await expectSoon(() => button('Next').isDisabled(), true);
    await page.keyboard.press('[');
    await heading('second');
    expectNoFaults(watched);
  });

  inBrowser('of a long conversation show the last question first', async () => {
    const id = await makeDataset('talks');
    const prompt = Array.from(
      { length: 2_000 },
      (_, n) => `Rule ${n}: answer with the port and the time of the tide.`,
    ).join('\n');
    const turns = Array.from({ length: 6 }, (_, n) => [
      { role: 'user', content: `Question ${n}` },
      { role: 'assistant', content: `Answer ${n}` },
    ]).flat();
    const messages = [{ role: 'system', content: prompt }, ...turns, { role: 'user', content: 'And now?\nPlease.' }];
    const kind = { LlmConversation: { messages, expected: 'At noon.' } };
    const { body } = await program.api.post<{ id: string }>(`/api/datasets/${id}/datapoints`, { kind });
    await open(`/datasets/${id}/datapoints/${body.id}`);
    await heading('And now?');
    const question = page.getByRole('group', { name: 'Message 14' });
    await expectSoon(() => question.getByRole('textbox', { name: 'Content' }).inputValue(), 'And now?\nPlease.');
    expect(await page.getByRole('group', { name: 'Message 1', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show earlier messages (13)' }).click();
    const system = page.getByRole('group', { name: 'Message 1', exact: true }).getByRole('textbox');
    expect((await system.boundingBox())!.height).toBeLessThan(80);
    await expectAccessible(watched);
    await page.getByRole('textbox', { name: 'Expected' }).fill('At one.');
    await button('Save').click();
    await reported('Saved the datapoint');
    expect((await datapointsOf(id))[0]!.kind['LlmConversation']).toMatchObject({ messages, expected: 'At one.' });
    expectNoFaults(watched);
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
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await reported('Sent 2 datapoints to review');
    await page.getByRole('searchbox', { name: 'Search in datapoints' }).fill('');
    await count('3 datapoints');
    for (const name of ['a lighthouse', 'a harbour'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    await toolbar.getByRole('button', { name: 'Send to review' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await reported('Sent 1, 1 was there already');
    await page.getByRole('searchbox', { name: 'Search in datapoints' }).fill('LIGHTHOUSE');
    await count('2 datapoints');
    await page.getByRole('checkbox', { name: 'Select a lighthouse', exact: true }).check();
    await toolbar.getByRole('button', { name: 'Delete' }).click();
    const deletion = page.getByRole('alertdialog', { name: 'Delete 1 datapoint?' });
    await deletion.waitFor();
    await expectAccessible(watched);
    await deletion.getByRole('button', { name: 'Delete' }).click();
    await reported('Deleted 1 datapoint');
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
    await expectAccessible(watched);
    expect((await fetch(`${program.apiUrl}${address}`)).headers.get('content-disposition')).toContain('jsonl');
    expectNoFaults(watched);
  });

  inBrowser('come from a file, without the rows that are none', async () => {
    const id = await makeDataset('imported');
    const rows = Array.from({ length: 10_000 }, (_, n) => JSON.stringify({ input: `row ${n}`, expected: n }));
    rows[2] = '"no object"';
    rows[5_000] = '{"output": 1}';
    await open(`/datasets/${id}`);
    await button('Import').waitFor();
    await runCommand(page, 'Import datapoints', 'Import datapoints');
    const dialog = page.getByRole('dialog', { name: 'Import datapoints' });
    const field = dialog.getByLabel('File', { exact: true });
    await tabTo(field);
    const chooser = page.waitForEvent('filechooser');
    // Keys go another way to the page than what it is asked for; anyone who waits for a chooser is known once this is answered.
    await page.evaluate('undefined');
    await page.keyboard.press('Enter');
    await (
      await chooser
    ).setFiles({
      name: 'rows.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.from(rows.join('\n')),
    });
    const preview = dialog.getByRole('table', { name: 'Preview' });
    await preview.getByRole('rowheader', { name: 'row 0', exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('alert').getByText('Nothing was imported').waitFor();
    expect(await datapointsOf(id)).toEqual([]);
    const skips = dialog.getByRole('checkbox', { name: 'Skip rows with faults' });
    await tabTo(skips);
    await page.keyboard.press('Space');
    await expectSoon(() => skips.isChecked(), true);
    const progress = dialog.getByRole('progressbar', { name: 'Import progress' });
    await page.route('**/import?*', async (route) => {
      await progress.waitFor();
      await route.continue();
    });
    await tabTo(field);
    await page.keyboard.press('Enter');
    // An import that fails says why, in place of this.
    const ending = dialog.getByRole('status').or(dialog.getByRole('alert'));
    await expectSoon(() => ending.allTextContents(), ['Imported 9,998 datapoints, skipped 2']);
    await page.unroute('**/import?*');
    const skipped = dialog.getByRole('table', { name: 'Skipped rows' });
    for (const line of ['3', '5,001']) await skipped.getByRole('rowheader', { name: line, exact: true }).waitFor();
    await expectAccessible(watched);
    await tabTo(dialog.getByRole('button', { name: 'Done' }));
    await page.keyboard.press('Enter');
    await grid('Datapoints').getByRole('link', { name: 'row 9999', exact: true }).waitFor();
    const exported = await (await fetch(`${program.apiUrl}/api/datasets/${id}/export`)).text();
    expect(exported.trimEnd().split('\n')).toHaveLength(9_998);

    const importAgain = async (content: string, choice: string | null): Promise<void> => {
      await page.getByRole('button', { name: 'Import', exact: true }).first().click();
      // A list of files that is closed without a choice leaves the dialog open.
      await field.dispatchEvent('cancel', { bubbles: true, cancelable: true });
      await field.setInputFiles({ name: 'again.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(content) });
      if (choice !== null) await dialog.getByRole('checkbox', { name: choice }).check();
      await dialog.getByRole('button', { name: 'Import' }).click();
    };
    const done = async (...words: string[]): Promise<void> => {
      for (const text of words) await dialog.getByText(text, { exact: true }).waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
    };
    const two = exported.split('\n').slice(0, 2).join('\n');
    await importAgain(two, 'Leave out rows that the dataset has already');
    await done('Imported 0 datapoints, 2 were there already');
    await importAgain(two, null);
    await done('Imported 2 datapoints, 2 were there already', 'Rows that were there already were imported again.');
    await importAgain(`${two}\n{"input":"new"}`, 'Remove datapoints that are not in the file');
    await done('Imported 3 datapoints, removed 9,998');
    expect(await datapointsOf(id)).toHaveLength(3);

    await page.getByRole('button', { name: 'Import', exact: true }).first().click();
    const columns = Array.from({ length: 8 }, (_, n) => `a long header of column ${n}`);
    const wide = [columns, columns.map(() => 'שלום')].map((cells) => cells.join(',')).join('\n');
    await field.setInputFiles({ name: 'wide.csv', mimeType: 'text/csv', buffer: Buffer.from(wide) });
    await preview.getByRole('columnheader', { name: columns[7]! }).waitFor();
    // What is wider than the dialog scrolls by itself, and texts begin where their script does.
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await preview.locator(':is(th, td):not([dir=auto])').count()).toBe(0);
  });
});
