/** The pages of spans and of sessions, as people use them: with the mouse, and by keys alone. */
import { describe, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, pressInTurn, settled, tabTo } from './page-steps.ts';
import { callOf, recordCalls, recordConversations } from './recorded-conversations.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const onNothing = journeysOn(async () => undefined);
const onConversations = journeysOn(() => recordConversations(program.api));
const onCalls = journeysOn(async () => {
  await recordConversations(program.api);
  await recordCalls(program.api);
});

const open = (path: string) => page.goto(`${program.apiUrl}${path}`);
const grid = (name: string): Locator => page.getByRole('grid', { name });
const names = async (list: string): Promise<string[]> => grid(list).getByRole('link').allTextContents();
const count = (text: string): Promise<void> =>
  page.getByRole('status', { name: 'Result count' }).getByText(text, { exact: true }).waitFor();
const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
const parameters = (): string => new URL(page.url()).search;

/** Goes down a list until the row with the focus says this. */
async function jTo(text: string): Promise<void> {
  await page.getByRole('row').filter({ hasText: text }).waitFor();
  const isThere = async (): Promise<boolean> =>
    (await page.locator(':focus[role=row]').filter({ hasText: text }).count()) > 0;
  for (let presses = 0; !(await isThere()); presses++) {
    expect(presses).toBeLessThan(4);
    await page.keyboard.press('j');
  }
}

describe('without any recording', () => {
  onNothing();

  inBrowser('both pages say what would be there, and fill by themselves', async () => {
    await open('/sessions');
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Spans' }).click();
    await page.getByRole('heading', { name: 'No spans yet' }).waitFor();
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    await recordConversations(program.api);
    await grid('Spans').waitFor();
    await count('6 spans');
    expectNoFaults(watched);
  });
});

describe('sessions', () => {
  onConversations();

  inBrowser('are distinguished by their blanks, and read as a conversation', async () => {
    await open('/sessions');
    await count('3 sessions');
    await expectSoon(async () => (await names('Sessions')).toSorted(), ['" a"', 'A', 'a']);
    const row = grid('Sessions')
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: '" a"', exact: true }) });
    await expectSoon(
      async () => (await row.getByRole('gridcell').allTextContents()).slice(1, 7),
      [...['" a"', '3', '3', '0', '366', '$0.03']],
    );
    await expectAccessible(watched);
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Session " a"', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sessions/%20a');
    await expectSoon(() => page.title(), 'Session " a" · Spandrel');
    const turns = page.getByRole('feed', { name: 'Turns' }).getByRole('article');
    await turns.nth(2).waitFor();
    await expectSoon(() => turns.getByRole('heading', { level: 2 }).allTextContents(), ['turn 0', 'turn 2', 'turn 4']);
    await turns.first().getByText('Question 0\nin two lines').waitFor();
    await turns.first().getByText('Answer 0 <b>as it is</b>').waitFor();
    const facts = page.getByRole('list', { name: 'Session facts' });
    await facts.getByText('User ann').getByRole('link', { name: 'ann' }).waitFor();
    await expectAccessible(watched);
    expectNoFaults(watched);
  });

  inBrowser('are opened, read and left by keys alone', async () => {
    await open('/traces');
    await page.getByRole('heading', { level: 1, name: 'Traces' }).waitFor();
    await pressInTurn(page, 'g', 's');
    await grid('Sessions').waitFor();
    await jTo('" a"');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Session " a"', exact: true }).waitFor();
    await page.getByRole('article').nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('PageDown');
    await page.locator('article:focus').getByText('Question 2').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'turn 2' }).waitFor();
    await page.getByRole('treegrid').waitFor();
    await page.keyboard.press(']');
    await page.getByRole('heading', { level: 1, name: 'turn 4' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'turn 2' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('feed', { name: 'Turns' }).waitFor();
    await page.locator('article:focus').getByText('Question 2').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[role=row]:focus').getByText('" a"').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sessions');
    expectNoFaults(watched);
  });

  inBrowser('go on while they are read, and are found by a part of their id', async () => {
    await open('/sessions/%20a');
    await page.getByRole('article').nth(2).waitFor();
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    await program.api.post('/api/traces', { id: 'late', name: 'a late turn', session_id: ' a' });
    await program.api.post('/api/traces', { id: 'other', name: 'of another', session_id: 'a' });
    await page.getByRole('article').nth(3).getByText('a late turn').waitFor();
    await expectSoon(() => page.getByRole('article').count(), 4);
    await open('/sessions');
    await page.getByRole('searchbox', { name: 'Filter by ID' }).fill(' a');
    await count('1 session');
    await expectSoon(parameters, '?id_contains=+a');
    for (const id of ['late', 'other']) await program.api.delete(`/api/traces/${id}`);
    expectNoFaults(watched);
  });

  inBrowser('are read on while what was read is read again', async () => {
    const { api } = program;
    const traces = Array.from({ length: 51 }, (_, n) => ({ id: `long-${n}`, name: `turn ${n}`, session_id: 'long' }));
    await api.post('/api/ingest', { traces });
    await open('/sessions/long');
    const turns = page.getByRole('article');
    await expectSoon(() => turns.count(), 50);
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/api/sessions/long?*', (route) => held.promise.then(() => route.continue()));
    const asked = page.waitForRequest('**/api/sessions/long?*');
    await api.post('/api/ingest', { spans: [callOf({ trace: 'long-0', n: 0, asked: 'Late', answer: 'In time' })] });
    await asked;
    const more = page.getByRole('button', { name: 'Show more turns' });
    await more.scrollIntoViewIfNeeded();
    await settled(page, () => more.boundingBox());
    held.resolve();
    await expectSoon(() => turns.count(), 51);
    await turns.filter({ hasText: 'turn 0' }).getByText('In time').waitFor();
    await page.unroute('**/api/sessions/long?*');
    for (const { id } of traces) await api.delete(`/api/traces/${id}`);
    expectNoFaults(watched);
  });

  inBrowser('that do not exist say so', async () => {
    await open('/sessions');
    await grid('Sessions').waitFor();
    await page.evaluate('history.pushState({}, "", "/sessions/a%20")');
    await page.evaluate('dispatchEvent(new PopStateEvent("popstate"))');
    await page.getByRole('heading', { level: 1, name: 'Session not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to Sessions' }).waitFor();
  });
});

describe('spans', () => {
  onCalls();

  inBrowser('are found by a word, a model and what they cost', async () => {
    await open('/spans');
    await count('30 spans');
    await expectAccessible(watched);
    const box = page.getByRole('searchbox', { name: 'Search in texts' });
    await box.fill('LIGHTHOUSE');
    expect(parameters()).toBe('');
    await box.press('Enter');
    await count('3 spans');
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('menuitem', { name: 'Model' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('menuitem', { name: 'Model' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Model' }).fill('gpt-5.1');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: Model gpt-5.1' }).waitFor();
    await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
    await page.waitForURL(/sort_by=cost/);
    await until(async () => (await names('Spans')).join() === 'call 76,call 68,call 60');
    await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
    await until(async () => (await names('Spans')).join() === 'call 60,call 68,call 76');
    expect(parameters()).toBe('?text_contains=LIGHTHOUSE&model=gpt-5.1&sort_by=cost&sort_order=asc');
    await page.reload();
    await until(async () => (await names('Spans')).join() === 'call 60,call 68,call 76');
    await page.getByRole('button', { name: 'Remove filter: Text LIGHTHOUSE' }).click();
    await count('18 spans');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await count('30 spans');
    expect(new URL(page.url()).href).toBe(`${program.apiUrl}/spans`);
    expectNoFaults(watched);
  });

  inBrowser('are found by keys alone, and opened within their trace', async () => {
    await open('/traces');
    await page.getByRole('heading', { level: 1, name: 'Traces' }).waitFor();
    await pressInTurn(page, 'g', 'p');
    await count('30 spans');
    await page.keyboard.press('/');
    await page.keyboard.type('lighthouse');
    await page.keyboard.press('Enter');
    await count('3 spans');
    await tabTo(page.getByRole('button', { name: 'Add filter', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Model' }).waitFor();
    await expectSoon(() => page.locator('[role=menu]:focus, [role=menu] :focus').count(), 1);
    await page.keyboard.type('mod');
    await expectSoon(focused, 'Model');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('gpt-5.1');
    // Three spans are found with the filter as without it, and the keys are for the rows that stay.
    const found = page.waitForResponse(/\/api\/spans\?.*model=gpt-5\.1/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: Model gpt-5.1' }).waitFor();
    await (await found).finished();
    await jTo('call 76');
    // From the first row up to the header by which the list is sorted, and on to the last one.
    await page.keyboard.press('ArrowUp');
    await expectSoon(() => page.locator('[role=row]:focus').count(), 0);
    for (let column = 0; column < 4; column++) await page.keyboard.press('ArrowRight');
    await expectSoon(focused, 'Cost');
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort_by=cost/);
    // The other way round, which is no longer the order in which they started.
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort_order=asc/);
    await until(async () => (await names('Spans')).join() === 'call 60,call 68,call 76');
    await jTo('call 68');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\/calls-8\?span=calls-8-call$/);
    await page.getByRole('region', { name: 'Span details' }).getByText('Where is the lighthouse 8?').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[role=row]:focus').getByText('call 68').waitFor();
    await tabTo(page.getByRole('button', { name: 'Clear filters', exact: true }));
    await page.keyboard.press('Enter');
    await count('30 spans');
    expect(parameters()).toBe('');
    expectNoFaults(watched);
  });

  inBrowser('with the same error are found from a failed one', async () => {
    await open('/traces/calls-20');
    await page.getByRole('link', { name: 'Find spans with this error' }).click();
    await page.getByRole('button', { name: 'Remove filter: Error contains the lamp is out: request 20' }).waitFor();
    await count('1 span');
    await expectSoon(() => names('Spans'), ['call 80']);
    expectNoFaults(watched);
  });

  inBrowser('show other columns, and give their ids away', async () => {
    await open('/spans?text_contains=lighthouse');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('group', { name: 'Columns' }).getByRole('checkbox', { name: 'Input' }).check();
    await grid('Spans').getByText('Where is the lighthouse 16?').waitFor();
    await expectAccessible(watched);
    await page.keyboard.press('Escape');
    await grid('Spans').getByRole('checkbox', { name: 'Select call 76' }).check();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Copy IDs' }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByText('Copied 1 ID').waitFor();
    expect(await watched.clipboard()).toBe('calls-16-call');
    expectNoFaults(watched);
  });

  inBrowser('come in while nobody reads, and say so when none matches', async () => {
    await open('/spans');
    await count('30 spans');
    // Nobody is in the list, wherever the mouse was before.
    await page.mouse.move(0, 0);
    await page.getByRole('status', { name: 'Live updates' }).getByText('Connected').waitFor();
    await program.api.post('/api/spans', { id: 'fresh', trace_id: 'calls-0', name: 'a fresh span' });
    const row = grid('Spans')
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: 'a fresh span' }) });
    await row.getByText('Running').waitFor();
    await program.api.post('/api/spans/fresh/complete', {});
    await row.getByText('Completed').waitFor();
    await program.api.delete('/api/spans/fresh');
    await page.getByRole('searchbox', { name: 'Filter by name' }).fill('nothing is called so');
    await page.getByRole('heading', { name: 'No spans match these filters' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Show all spans' }).click();
    // The list comes from memory, below the mouse; what is gone leaves it when nobody is in it.
    await grid('Spans').waitFor();
    await page.mouse.move(0, 0);
    await count('30 spans');
    expectNoFaults(watched);
  });
});
