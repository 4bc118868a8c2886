/** Comments on what was recorded: written, read as markdown, edited, deleted and brought back. */
import { describe, expect } from '@jest/globals';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon } from './page-steps.ts';
import { recordTraces } from './recorded-traces.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });

describe('comments', () => {
  const onTraces = journeysOn(async () => {
    await recordTraces(program.api, 2);
  });
  onTraces();

  inBrowser('on a span are written, edited, deleted, and seen at its trace', async () => {
    await page.goto(`${program.apiUrl}/traces/trace-0`);
    const details = page.getByRole('region', { name: 'Span details' });
    await details.getByRole('button', { name: 'Comments' }).click();
    const dialog = page.getByRole('dialog', { name: 'Comments' });
    await dialog.getByLabel('Comment', { exact: true }).fill('**Why** so slow?');
    await expectAccessible(watched);
    await dialog.getByRole('button', { name: 'Add comment' }).click();
    const comment = dialog.getByRole('article');
    await comment.locator('strong', { hasText: 'Why' }).waitFor();
    await comment.getByRole('button', { name: 'Edit' }).click();
    await comment.getByLabel('Edited comment').fill('Solved');
    await comment.getByRole('button', { name: 'Save' }).click();
    await comment.getByText('Solved').waitFor();
    await comment.getByText('(edited)').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('main').getByRole('button', { name: 'Comments (1)' }).first().click();
    await comment.getByRole('link', { name: 'On a span' }).waitFor();
    await expectAccessible(watched);
    await comment.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('No comments yet.').waitFor();
    await page.keyboard.press('Escape');
    await button('Undo').click();
    await page.getByRole('button', { name: 'Comments (1)' }).first().waitFor();
    const texts = async (): Promise<string[]> =>
      (await program.api.get<{ comments: { text: string }[] }>('/api/comments?parent_id=trace-0')).body.comments.map(
        ({ text }) => text,
      );
    await expectSoon(texts, ['Solved']);
    expectNoFaults(watched);
  });

  inBrowser('are typed before those that are there have come, and stay typed when they come', async () => {
    const comment = { target_type: 'trace', target_id: 'trace-1', parent_id: 'trace-1', text: 'Seen before' };
    await program.api.post('/api/comments', comment);
    const typed = Promise.withResolvers<void>();
    await page.route('**/api/comments?*', async (route) => {
      await typed.promise;
      await route.continue();
    });
    await page.goto(`${program.apiUrl}/traces/trace-1`);
    await page.getByRole('main').getByRole('button', { name: 'Comments' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Comments' });
    const field = dialog.getByLabel('Comment', { exact: true });
    await field.fill('And once more');
    typed.resolve();
    await dialog.getByRole('article').getByText('Seen before').waitFor();
    expect(await field.inputValue()).toBe('And once more');
    await dialog.getByRole('button', { name: 'Add comment' }).click();
    await dialog.getByRole('article').getByText('And once more').waitFor();
    await expectSoon(() => field.inputValue(), '');
    await page.unroute('**/api/comments?*');
    expectNoFaults(watched);
  });
});
