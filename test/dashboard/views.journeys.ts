/** Saved views: a page's address with a name, made, opened, renamed, replaced and deleted. */
import { describe, expect } from '@jest/globals';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { chooseInMenu, expectAccessible, expectSoon, runCommand } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const open = (path: string) => page.goto(`${program.apiUrl}${path}`);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const search = (): string => new URL(page.url()).search;

describe('saved views', () => {
  const onTraces = journeysOn(async () => {
    await program.api.post('/api/traces', { id: 'one', name: 'one', tags: ['a'] });
    await program.api.post('/api/traces', { id: 'two', name: 'two', tags: ['b'] });
  });
  onTraces();

  inBrowser('keep the address of a list, and lead back to it', async () => {
    await open('/traces?tag=a');
    await page.getByRole('link', { name: 'one' }).waitFor();
    await button('Save view').click();
    const dialog = page.getByRole('dialog', { name: 'Save view' });
    await dialog.getByLabel('Name').fill('Those with a');
    await expectAccessible(watched);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const { body } = await program.api.get<{ views: object[] }>('/api/views');
    expect(body.views).toMatchObject([{ name: 'Those with a', page: 'traces', query: 'tag=a', scope: 'project' }]);

    await open('/traces?tag=b');
    await page.getByRole('link', { name: 'two' }).waitFor();
    await button('Views').click();
    await page.getByRole('menuitem', { name: 'Those with a' }).click();
    await page.getByRole('link', { name: 'one' }).waitFor();
    expect(search()).toBe('?tag=a');

    // By keys alone, from another page.
    await open('/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await runCommand(page, 'those with', 'Those with a');
    await page.getByRole('link', { name: 'one' }).waitFor();
    expect(search()).toBe('?tag=a');
    expectNoFaults(watched);
  });

  inBrowser('are renamed, replaced and deleted, and what was done is undone', async () => {
    const names = async (): Promise<unknown> =>
      (await program.api.get<{ views: { name: string; query: string }[] }>('/api/views?page=analytics')).body.views.map(
        ({ name, query }) => [name, query],
      );
    await program.api.post('/api/views', { name: 'First', page: 'analytics', query: 'range=7d' });
    await open('/analytics?split_by=model');
    await button('Views').click();
    await page.getByRole('menuitem', { name: 'Manage views' }).click();
    const dialog = page.getByRole('dialog', { name: 'Manage views' });
    const row = dialog.getByRole('listitem', { name: 'First' });
    await expectAccessible(watched);
    // The focus comes back to the button of the menu.
    await page.keyboard.press('Escape');
    await expectSoon(() => page.evaluate('document.activeElement.textContent'), 'Views');
    await page.keyboard.press('Enter');
    await chooseInMenu(page, 'Manage views');
    await row.getByRole('button', { name: 'Replace with this page' }).click();
    await expectSoon(names, [['First', 'split_by=model']]);
    await row.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog', { name: 'Rename view' }).getByLabel('Name').fill('Second');
    await page.keyboard.press('Enter');
    await expectSoon(names, [['Second', 'split_by=model']]);
    await button('Views').click();
    await page.getByRole('menuitem', { name: 'Manage views' }).click();
    await dialog.getByRole('listitem', { name: 'Second' }).getByRole('button', { name: 'Delete' }).click();
    await expectSoon(names, []);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Deleted the view').waitFor();
    await button('Undo').last().click();
    await expectSoon(names, [['Second', 'split_by=model']]);
    expectNoFaults(watched);
  });
});
