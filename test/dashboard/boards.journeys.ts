/** Boards: figures of Analytics put together, pinned, moved, renamed, removed, hidden and brought back. */
import { describe, expect } from '@jest/globals';
import type { BoardResource } from '@spandrel/contract';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { chooseInMenu, expectAccessible, expectSoon, pressInTurn } from './page-steps.ts';
import { recordTraces } from './recorded-traces.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const open = (path: string) => page.goto(`${program.apiUrl}${path}`);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const figure = (name: string) => page.getByRole('figure', { name, exact: true });
const said = (text: string) => page.getByRole('region', { name: 'Notifications' }).getByText(text).waitFor();
const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent');
const boardOf = async (id: string): Promise<BoardResource> =>
  (await program.api.get<BoardResource>(`/api/boards/${id}`)).body;
const titlesOf = async (id: string): Promise<string[]> => (await boardOf(id)).figures.map(({ title }) => title);
const figuresShown = (): Promise<string[]> =>
  page
    .getByRole('figure')
    .evaluateAll((all) =>
      all.map((one) => one.getAttribute('aria-label') ?? one.querySelector('figcaption > span')!.textContent ?? ''),
    );

describe('boards', () => {
  const onTraces = journeysOn(async () => {
    await recordTraces(program.api, 30);
  });
  onTraces();

  inBrowser('that come with the product are reached by keys, hidden and brought back', async () => {
    await open('/traces');
    await heading('Traces').waitFor();
    await pressInTurn(page, 'g', 'b');
    await heading('Boards').waitFor();
    const rows = page.getByRole('grid', { name: 'Boards' }).getByRole('row');
    await expectSoon(() => rows.getByRole('link').allTextContents(), ['Cost', 'Quality', 'Reliability']);
    await expectAccessible(watched);
    await button('Hide Quality').click();
    await expectSoon(() => rows.getByRole('link').allTextContents(), ['Cost', 'Reliability']);
    await button('Show hidden boards').click();
    await button('Bring back Quality').click();
    await button('Hide Quality').waitFor();
    for (const name of ['Cost', 'Quality', 'Reliability']) {
      await rows.getByRole('link', { name, exact: true }).click();
      await heading(name).waitFor();
      const titles = await titlesOf(name.toLowerCase());
      await expectSoon(figuresShown, titles);
      await expectSoon(() => page.title(), `${name} · Spandrel`);
      await expectAccessible(watched);
      await page.goBack();
      await heading('Boards').waitFor();
    }
    expectNoFaults(watched);
  });

  inBrowser('take figures of Analytics with their filters, whose order is changed by keys', async () => {
    await open('/analytics?range=24h&split_by=model');
    await figure('Cost').getByRole('button', { name: 'Pin to board' }).click();
    await page.getByRole('menuitem', { name: 'New board' }).click();
    const dialog = page.getByRole('dialog', { name: 'New board' });
    await dialog.getByLabel('Name').fill('Mine');
    await expectAccessible(watched);
    await page.keyboard.press('Enter');
    await said('Pinned Cost by model to Mine');
    for (const name of ['Calls', 'Latency']) {
      await figure(name).getByRole('button', { name: 'Pin to board' }).focus();
      await page.keyboard.press('Enter');
      await chooseInMenu(page, 'Mine');
      await said(`Pinned ${name} by model to Mine`);
    }
    await page.getByRole('link', { name: 'Open the board' }).last().click();
    await heading('Mine').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    const [cost, calls, latency] = ['Cost by model', 'Calls by model', 'Latency by model'];
    expect((await boardOf(id)).figures).toEqual(
      [cost, calls, latency].map((title) => ({
        ...{ title, figure: title!.split(' ')[0]!.toLowerCase(), query: 'range=24h&split_by=model' },
      })),
    );
    await expectSoon(figuresShown, [cost, calls, latency]);

    await figure(cost!).getByRole('button', { name: 'Move down' }).focus();
    await page.keyboard.press('Enter');
    await expectSoon(figuresShown, [calls, cost, latency]);
    await expectSoon(focused, 'Move down');
    await page.keyboard.press('Enter');
    await expectSoon(() => titlesOf(id), [calls, latency, cost]);
    await expectSoon(focused, 'Move up');
    await page.keyboard.press('Enter');
    await expectSoon(() => titlesOf(id), [calls, cost, latency]);
    await page.reload();
    await heading('Mine').waitFor();
    await expectSoon(figuresShown, [calls, cost, latency]);

    await figure(latency!).getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog', { name: 'Rename figure' }).getByLabel('Name').fill('How long');
    await page.keyboard.press('Enter');
    await figure('How long').waitFor();
    await figure('How long').getByRole('button', { name: 'Remove' }).click();
    await expectSoon(() => titlesOf(id), [calls, cost]);
    await button('Undo').click();
    await expectSoon(() => titlesOf(id), [calls, cost, 'How long']);

    await page.getByRole('main').getByRole('button', { name: 'Rename', exact: true }).first().click();
    await page.getByRole('dialog', { name: 'Rename board' }).getByLabel('Name').fill('Ours');
    await page.keyboard.press('Enter');
    await heading('Ours').waitFor();
    await expectSoon(async () => (await boardOf(id)).name, 'Ours');
    await open('/traces');
    await button('Command menu').click();
    await page.getByRole('combobox', { name: 'Command' }).fill('ours');
    await page.getByRole('option', { name: /^Ours/ }).click();
    await heading('Ours').waitFor();
    await button('Delete').click();
    const confirm = page.getByRole('alertdialog');
    await expectAccessible(watched);
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await heading('Boards').waitFor();
    await page.getByRole('link', { name: 'Cost', exact: true }).waitFor();
    await expectSoon(() => page.getByRole('link', { name: 'Ours' }).count(), 0);
    expectNoFaults(watched);
  });
});
