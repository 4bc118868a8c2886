/** Scores given by hand: on a trace, its spans and its session, in lists, and what they come to. */
import { describe, expect } from '@jest/globals';
import type { ScoreResource } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { button, grid, open, reported } from './dataset-steps.ts';
import { chooseInMenu, expectAccessible, expectSoon } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const AT = new Date(Date.now() - 3_600_000).toISOString();

async function record(): Promise<void> {
  const { api } = program;
  const kind = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', prompt_tokens: 3, completion_tokens: 2 };
  const span = { started_at: AT, ended_at: AT, status: 'completed', kind };
  await api.post('/api/ingest', {
    traces: [{ id: 'scored', name: 'Scored', started_at: AT, session_id: 'talk' }],
    spans: [{ ...span, id: 'call', trace_id: 'scored', name: 'ask', output: 'Paris' }],
  });
  for (const { id, name } of (await api.get<{ score_definitions: ScoreDefinitionId[] }>('/api/score-definitions')).body
    .score_definitions)
    if (['tone', 'helpful'].includes(name)) await api.delete(`/api/score-definitions/${id}`);
  const categories = [
    { label: 'kind', value: 1 },
    { label: 'rude', value: 0 },
  ];
  await api.post('/api/score-definitions', { name: 'tone', kind: 'category', categories });
  await api.post('/api/score-definitions', { name: 'helpful', kind: 'number', min: 0, max: 1 });
}

interface ScoreDefinitionId {
  id: string;
  name: string;
}

const scores = async (): Promise<ScoreResource[]> =>
  (await program.api.get<{ scores: ScoreResource[] }>('/api/scores')).body.scores;
const chips = (name: string): Locator => page.getByRole('list', { name }).getByRole('button');
const onScores = journeysOn(record, { isOneVisit: true });

describe('scores', () => {
  onScores();

  inBrowser('are given, changed and deleted by keys beside a span', async () => {
    // Someone types faster than the definitions come: their first answer waits until Enter is pressed.
    const sent = Promise.withResolvers<void>();
    await page.route('**/api/score-definitions*', async (route) => {
      await sent.promise;
      await route.continue();
    });
    await open('/traces/scored');
    const details = page.getByRole('region', { name: 'Span details' });
    await details.getByRole('button', { name: 'Add score' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Name' }).waitFor();
    await page.keyboard.insertText('helpful');
    await dialog.getByRole('textbox', { name: 'helpful' }).fill('2');
    await page.keyboard.press('Enter');
    sent.resolve();
    await dialog.getByText('must be 1 or less').waitFor();
    await expectAccessible(watched);
    await dialog.getByRole('textbox', { name: 'helpful' }).fill('0.25');
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('Too short');
    await dialog.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await expectSoon(() => chips('Span scores').allTextContents(), ['helpful 0.25']);
    const given = { name: 'helpful', value: 0.25, comment: 'Too short', source: 'human', span_id: 'call' };
    expect(await scores()).toEqual([expect.objectContaining(given)]);
    await chips('Span scores').press('Enter');
    await dialog.getByRole('textbox', { name: 'helpful' }).fill('1');
    await page.keyboard.press('Enter');
    await expectSoon(() => chips('Span scores').allTextContents(), ['helpful 1']);
    await chips('Span scores').press('Enter');
    await dialog.getByRole('list', { name: 'Earlier values' }).getByText('0.25').waitFor();
    await expectAccessible(watched);
    await dialog.getByRole('button', { name: 'Delete' }).press('Enter');
    await page
      .getByRole('alertdialog', { name: 'Delete score?' })
      .getByRole('button', { name: 'Delete' })
      .press('Enter');
    await reported('Deleted the score helpful');
    await expectSoon(() => chips('Span scores').count(), 0);
    expect(await scores()).toEqual([]);
  });

  inBrowser('are given to the trace and to its session by a definition', async () => {
    for (const path of ['/traces/scored', '/sessions/talk']) {
      await open(path);
      await button('Add score').first().press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Add score' });
      await dialog.getByRole('combobox', { name: 'Name' }).fill('tone');
      await dialog.getByRole('radio', { name: 'rude' }).press('Space');
      await dialog.getByRole('button', { name: 'Add', exact: true }).press('Enter');
      const label = path.startsWith('/traces') ? 'Trace scores' : 'Session scores';
      await expectSoon(() => chips(label).allTextContents(), ['tone rude (0)']);
      await expectAccessible(watched);
    }
    const [ofSession, ofTrace] = await scores();
    expect(ofTrace).toMatchObject({ trace_id: 'scored', span_id: null, label: 'rude', value: 0, config: 'tone' });
    expect(ofSession).toMatchObject({ session_id: 'talk', trace_id: null, label: 'rude' });
  });

  inBrowser('are a column of the lists on demand', async () => {
    await program.api.post('/api/scores', { name: 'helpful', value: 0.5, span_id: 'call' });
    await open('/traces');
    await button('Columns').press('Enter');
    await page.getByRole('checkbox', { name: 'Scores' }).press('Space');
    await page.keyboard.press('Escape');
    const cell = grid('Traces').getByRole('row', { name: /Scored/ });
    await cell.getByText('rude').waitFor();
    await expectAccessible(watched);
    await open('/spans?cols=name,scores');
    await grid('Spans').getByRole('row', { name: /ask/ }).getByText('0.5').waitFor();
    await open('/sessions');
    await button('Columns').press('Enter');
    await page.getByRole('checkbox', { name: 'Scores' }).press('Space');
    await page.keyboard.press('Escape');
    // The scores of the session itself, of its trace and of the span.
    const talk = grid('Sessions').getByRole('row', { name: /talk/ });
    for (const words of ['rude ×2', '0.5']) await talk.getByText(words).waitFor();
    await expectAccessible(watched);
    await open('/sessions/talk');
    const turn = page.getByRole('article', { name: 'Scored' });
    for (const words of ['rude', '0.5']) await turn.getByText(words, { exact: true }).waitFor();
    await expectAccessible(watched);
  });

  inBrowser('filter the list of spans', async () => {
    await open('/spans');
    await button('Add filter').press('Enter');
    await chooseInMenu(page, 'Score');
    const dialog = page.getByRole('dialog', { name: 'Filter by score' });
    await dialog.getByRole('textbox', { name: 'Score' }).fill('helpful');
    await page.keyboard.press('Enter');
    await dialog
      .getByRole('alert')
      .getByText(/such as helpful<0.5/)
      .waitFor();
    await dialog.getByRole('textbox', { name: 'Score' }).fill('helpful<0.5');
    await expectAccessible(watched);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No spans match these filters' }).waitFor();
    await button('Remove filter: Score helpful<0.5').press('Enter');
    await expectSoon(() => new URL(page.url()).search, '');
    await open('/spans?score=helpful%3E%3D0.5&cols=name,scores');
    await grid('Spans').getByRole('row', { name: /ask/ }).waitFor();
    // A list that is filtered by a score is sorted by it.
    const header = grid('Spans').getByRole('columnheader', { name: 'Scores' });
    await header.getByRole('button').press('Enter');
    await expectSoon(() => header.getAttribute('aria-sort'), 'descending');
    await expectSoon(() => new URL(page.url()).searchParams.get('sort_by'), 'score:helpful');
    await grid('Spans').getByRole('row', { name: /ask/ }).waitFor();
    await expectAccessible(watched);
  });

  inBrowser('stand over time on Analytics, with what people say of the judge', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `judged-${at}`);
    await program.api.post('/api/ingest', {
      traces: ids.map((id) => ({ id, name: id, started_at: AT })),
      scores: ids.flatMap((id, at) => [
        { id: `${id}-judge`, name: 'passes', trace_id: id, source: 'judge', value: at < 10 ? 1 : 0 },
        { id: `${id}-human`, name: 'passes', trace_id: id, source: 'human', value: at < 10 ? 1 : 0 },
        { id: `${id}-mood`, name: 'mood', trace_id: id, label: 'calm' },
      ]),
    });
    await open('/analytics?range=24h');
    const figure = page.getByRole('figure', { name: 'passes' });
    await figure
      .getByText(/The judge's mean is 0\.5\. Corrected by 20 scores of people it is 0\.5 \(95% interval/)
      .waitFor();
    await figure.getByText('40 scores').waitFor();
    await figure.getByRole('button', { name: 'Show passes as table' }).press('Enter');
    await figure.getByRole('table').getByRole('cell', { name: '0.5' }).waitFor();
    const tone = page.getByRole('figure', { name: 'tone' });
    await tone.getByText('rude').waitFor();
    // An alert watches means of values: the figure of a label that has none offers none.
    const unvalued = page.getByRole('figure', { name: 'mood' });
    await unvalued.getByText('calm').waitFor();
    const bell = { name: 'Create alert' };
    await tone.getByRole('button', bell).waitFor();
    expect(await unvalued.getByRole('button', bell).count()).toBe(0);
    await figure.getByRole('button', bell).press('Enter');
    const alert = page.getByRole('dialog');
    await expectSoon(() => alert.getByLabel('Name', { exact: true }).inputValue(), 'Mean score of passes in 1 hour');
    await page.keyboard.press('Escape');
    await expectAccessible(watched);
  });

  inBrowser('have definitions, made and changed in Settings', async () => {
    await open('/settings');
    await button('New definition').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New score definition' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('mood');
    await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('category');
    await page.keyboard.press('Tab');
    await dialog.getByRole('textbox', { name: 'Categories' }).fill('good = 1\nbad = 0');
    await expectAccessible(watched);
    await dialog.getByRole('button', { name: 'Create' }).press('Enter');
    const row = grid('Score definitions').getByRole('row', { name: /mood/ });
    await row.getByText('good = 1, bad = 0').waitFor();
    await expectAccessible(watched);
    await button('Edit mood').press('Enter');
    const edit = page.getByRole('dialog', { name: 'Edit mood' });
    await edit.getByRole('textbox', { name: 'Categories' }).fill('good\ngood');
    await edit.getByRole('button', { name: 'Save' }).press('Enter');
    await edit.getByText('must not have a label twice').waitFor();
    await edit.getByRole('textbox', { name: 'Categories' }).fill('good\nbad');
    await edit.getByRole('button', { name: 'Save' }).press('Enter');
    await row.getByText('good, bad').waitFor();
    await button('Delete mood').press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await reported('Deleted the definition mood');
    await expectSoon(() => row.count(), 0);
    // The service refused a definition once.
    expectNoFaultsBut(watched, /status of 400/);
  });
});
