/** A trace as one file: downloaded, opened from the disk without any network, by keys as well, and dropped on Traces. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { tempDir, until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser, type WatchedPage } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, runCommand } from './page-steps.ts';
import { recordManySpans, recordRichTrace } from './recorded-spans.ts';
import { browser, journeysOn, page, program, watched } from './shared-dashboard.ts';

const onTraces = journeysOn(async () => {
  await recordRichTrace(program.api);
  await recordManySpans(program.api, 'many', 10_000);
  await program.api.post('/api/scores', { name: 'tone', value: 0.5, span_id: 'rich-call', comment: 'rather short' });
  const { body } = await program.api.post<{ id: string }>('/api/datasets', { name: 'harbours' });
  await program.api.post(`/api/datasets/${body.id}/export-spans`, { span_ids: ['rich-call'] });
});

const folder = tempDir();

/** Opens a file of the disk in a browser that reaches nothing. A request to anybody is one of its faults. */
async function openFile(path: string, width = 1_280): Promise<WatchedPage> {
  const opened = await browser.open('null', { offline: true, timezoneId: 'UTC', viewport: { width, height: 600 } });
  await opened.page.goto(pathToFileURL(path).href);
  return opened;
}

const rowsOf = (opened: WatchedPage): Locator => opened.page.getByRole('treegrid', { name: 'Spans of this trace' });

describe('a trace as one file', () => {
  onTraces();
  const file = join(folder, 'incident.html');

  inBrowser('is downloaded, opens from the disk with the network off, and is read by keys alone', async () => {
    await page.goto(`${program.apiUrl}/traces/rich`);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as one file' }).click();
    expect((await download).suggestedFilename()).toBe('trace-rich.html');
    await (await download).saveAs(file);
    const opened = await openFile(file);
    const { keyboard } = opened.page;
    await opened.page.getByRole('heading', { name: 'A rich trace', level: 1 }).waitFor();
    await opened.page.getByText(/^Spandrel .*, read-only$/).waitFor();
    await rowsOf(opened)
      .getByRole('row', { name: /answer/ })
      .focus();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    const details = opened.page.getByRole('region', { name: 'Span details' });
    await details.getByRole('heading', { name: 'gpt-5.1' }).waitFor();
    await details.getByRole('group', { name: 'Conversation' }).getByText('Be brief.').waitFor();
    await details.getByRole('list', { name: 'Span scores' }).getByText('rather short').waitFor();
    await details.getByText('How this cost was computed').click();
    await details.getByText('$0.0123').first().waitFor();
    expect(await opened.page.evaluate('window.harmed')).toBeUndefined();
    await keyboard.press('Escape');
    await keyboard.press('/');
    await keyboard.type('line 59');
    await expectSoon(() => opened.page.getByRole('status', { name: 'Matches' }).innerText(), '1 of 3 spans');
    await opened.page.getByText('Datapoints: 1').click();
    await opened.page.getByRole('rowheader', { name: 'harbours' }).waitFor();
    // What asks a server is not there.
    for (const name of ['Delete trace', 'Add score', 'Copy span link']) {
      expect(await opened.page.getByRole('button', { name }).count()).toBe(0);
    }
    await expectAccessible(opened);
    expectNoFaults(opened);
    await opened.close();
    expectNoFaults(watched);
  });

  inBrowser('stays readable on a phone, in the dark, and says where a part was changed', async () => {
    const phone = await openFile(file, 390);
    await phone.page.emulateMedia({ colorScheme: 'dark' });
    await rowsOf(phone).waitFor();
    await expectSoon(() => phone.page.evaluate('document.documentElement.scrollWidth'), 390);
    await expectAccessible(phone);
    expectNoFaults(phone);
    await phone.close();
    const changed = join(folder, 'changed.html');
    writeFileSync(changed, readFileSync(file, 'utf8').replace(/(data-part="trace-0">.{60})./, '$1x'));
    const opened = await openFile(changed);
    await opened.page.getByText('The part "trace-0" of this file was changed after the file was made.').waitFor();
    await opened.close();
  });

  inBrowser('holds several, as a list, and ten thousand spans', async () => {
    const several = join(folder, 'several.html');
    const answer = await fetch(`${program.apiUrl}/api/traces/many/bundle?with=rich`);
    writeFileSync(several, await answer.text());
    const opened = await openFile(several);
    await opened.page.getByRole('link', { name: 'Many spans' }).waitFor();
    await expectAccessible(opened);
    await opened.page.getByRole('link', { name: 'Many spans' }).press('Enter');
    await expectSoon(() => rowsOf(opened).getAttribute('aria-rowcount'), '10001');
    await opened.page.getByRole('link', { name: 'All 2 traces in this file' }).press('Enter');
    await opened.page.getByRole('link', { name: 'A rich trace' }).press('Enter');
    await opened.page.getByRole('heading', { name: 'A rich trace', level: 1 }).waitFor();
    expectNoFaults(opened);
    await opened.close();
  });

  inBrowser('is imported where it is dropped on Traces, or chosen by the command menu', async () => {
    await program.api.delete('/api/traces/rich');
    await page.goto(`${program.apiUrl}/traces`);
    await page.getByRole('grid', { name: 'Traces' }).waitFor();
    const html = readFileSync(file, 'utf8');
    const drop = `(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(html).replaceAll('<', String.raw`\u003c`)}], 'incident.html'));
      return document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`;
    // What takes it comes once the list is there.
    await until(async () => (await page.evaluate(drop)) === false);
    await page.getByRole('heading', { name: 'A rich trace', level: 1 }).waitFor();
    await page.getByRole('list', { name: 'Trace facts' }).getByText('imported').waitFor();
    await page.goto(`${program.apiUrl}/traces`);
    await page.getByRole('grid', { name: 'Traces' }).waitFor();
    const chooser = page.waitForEvent('filechooser');
    await runCommand(page, 'Open a file of traces', 'Open a file of traces');
    await (await chooser).setFiles(file);
    await page.getByRole('heading', { name: 'A rich trace', level: 1 }).waitFor();
    expectNoFaults(watched);
  });
});
