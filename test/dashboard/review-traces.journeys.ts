/** Reviews of traces, spans and sessions: sent from lists and pages, judged by two, decided by a third, by keys alone. */
import { describe, expect } from '@jest/globals';
import type { QueueItemResource } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { grid, open, reported } from './dataset-steps.ts';
import { expectAccessible, expectSoon, runCommand } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const AT = new Date(Date.now() - 3_600_000).toISOString();

async function record(): Promise<void> {
  const { api } = program;
  const times = { started_at: AT, ended_at: AT, status: 'completed' };
  const kind = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai' };
  const asked = (n: number) => [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: `Earlier ${n}` },
    { role: 'assistant', content: 'Well.' },
    { role: 'user', content: `Question ${n}?` },
  ];
  await api.post('/api/ingest', {
    traces: [1, 2].map((n) => ({ id: `trace-${n}`, name: `Trace ${n}`, started_at: AT, session_id: 'talk' })),
    spans: [1, 2].flatMap((n) => [
      { ...times, id: `call-${n}`, trace_id: `trace-${n}`, name: 'ask', kind, input: asked(n), output: `Answer ${n}` },
      { ...times, id: `tool-${n}`, trace_id: `trace-${n}`, name: 'look up', kind: { type: 'tool' }, input: `in ${n}` },
    ]),
  });
  const { body } = await api.get<{ score_definitions: { id: string }[] }>('/api/score-definitions');
  for (const { id } of body.score_definitions) await api.delete(`/api/score-definitions/${id}`);
  await api.post('/api/score-definitions', {
    name: 'good',
    kind: 'category',
    categories: [{ label: 'yes' }, { label: 'no' }],
  });
}

const press = (keys: string): Promise<void> => page.keyboard.press(keys);
const queued = async (query = ''): Promise<QueueItemResource[]> =>
  (await program.api.get<{ items: QueueItemResource[] }>(`/api/queue?targets=true${query}`)).body.items;
const item = (): Locator => page.getByRole('region', { name: 'Item' });
const said = (words: string): Promise<void> =>
  page.getByRole('status', { name: 'Review status' }).getByText(words).waitFor();
const dialog = (name: string): Locator => page.getByRole('dialog', { name });
const selection = (): Locator => page.getByRole('toolbar', { name: 'Selection' });

/** Opens the dialog for the rows that keys select: the first so many. */
async function selectRows(list: string, count: number): Promise<void> {
  const row = grid(list).getByRole('row').nth(1);
  await row.getByRole('link').first().waitFor();
  await row.focus();
  for (let at = 0; at < count; at++) {
    if (at > 0) await press('j');
    await press('x');
  }
  await selection().getByRole('button', { name: 'Send to review' }).press('Enter');
}

/** Begins a review under a name, as people do. */
async function reviewAs(name: string): Promise<void> {
  await open('/review');
  await page.getByRole('textbox', { name: 'Your name' }).fill(name);
  await grid('Queues').getByRole('link', { name: 'Start reviewing traces, spans and sessions' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Review traces, spans and sessions' }).waitFor();
  // A page that is left while it claims cannot release what it does not know yet.
  await item().waitFor();
}

/** Chooses an answer, submits it, and waits for what comes next. */
async function answer(choice: string): Promise<void> {
  const forms = (): Promise<(string | null)[]> =>
    page.locator('[data-form]').evaluateAll((all) => all.map((form) => form.getAttribute('data-form')));
  await page.locator('[data-form]').waitFor();
  const [before = null] = await forms();
  await press(choice);
  await press('a');
  await expectSoon(async () => (await forms()).includes(before), false);
}

const onTraces = journeysOn(record, { isOneVisit: true });

describe('a review of traces', () => {
  onTraces();

  inBrowser('is asked for in the list of traces, by two who are blind and a third who decides', async () => {
    await open('/traces');
    await selectRows('Traces', 2);
    const terms = dialog('Send 2 traces to review');
    await terms.getByRole('spinbutton', { name: 'Reviews required' }).fill('2');
    await terms.getByRole('checkbox', { name: 'good' }).press('Space');
    await terms.getByText('Who reviews, in which order, and why').press('Enter');
    await terms.getByRole('textbox', { name: 'Assignees' }).fill('ada, bob');
    await terms.getByRole('checkbox', { name: 'Another person decides' }).press('Space');
    await terms.getByRole('textbox', { name: 'Who decides' }).fill('judy');
    await expectAccessible(watched);
    await press('Enter');
    await reported('Sent 2 traces to review');
    const asked = {
      reviews_required: 2,
      form: ['good'],
      assignees: ['ada', 'bob'],
      adjudicators: ['judy'],
      blind: true,
    };
    await expectSoon(async () => (await queued()).length, 4);
    expect((await queued())[0]).toMatchObject({ ...asked, trace_id: expect.any(String), span_id: null });
    await selectRows('Traces', 2);
    await dialog('Send 2 traces to review').getByRole('button', { name: 'Send' }).press('Enter');
    await reported('Sent 0, 2 were there already');
  });

  inBrowser('is asked for of spans and sessions, in their lists and on their pages', async () => {
    await open('/spans?name_contains=ask');
    await selectRows('Spans', 1);
    await dialog('Send 1 span to review').getByRole('button', { name: 'Send' }).press('Enter');
    await reported('Sent 1 span to review');
    await open('/sessions');
    await selectRows('Sessions', 1);
    await dialog('Send 1 session to review').getByRole('button', { name: 'Send' }).press('Enter');
    await reported('Sent 1 session to review');
    await open('/traces/trace-1?span=tool-1');
    const details = page.getByRole('region', { name: 'Span details' });
    await details.getByRole('button', { name: 'Send to review' }).press('Enter');
    await expectAccessible(watched);
    await dialog('Send 1 span to review').getByRole('button', { name: 'Send' }).press('Enter');
    await reported('Sent 1 span to review');
    const targets = (await queued())
      .slice(4)
      .map(({ trace_id, span_id, session_id }) => [trace_id, span_id, session_id]);
    expect(targets).toEqual([
      [expect.any(String), expect.stringMatching(/^call-/), null],
      [null, null, 'talk'],
      ['trace-1', 'tool-1', null],
    ]);
    await runCommand(page, 'Send trace', 'Send trace to review');
    await dialog('Send 1 trace to review').waitFor();
    await press('Escape');
  });

  inBrowser('begins with question and answer, and is answered by keys alone', async () => {
    await reviewAs('ada');
    await item()
      .getByText(/^Question \d\?$/)
      .waitFor();
    await item()
      .getByText(/^Answer \d$/)
      .waitFor();
    await expectSoon(
      () =>
        item()
          .getByText(/^Earlier \d$/)
          .count(),
      0,
    );
    const link = item().getByRole('link', { name: 'Open trace' });
    expect(await link.getAttribute('href')).toMatch(/^\/traces\/trace-\d$/);
    await page.getByText('Review 1 of 2. Somebody else decides where answers differ.').waitFor();
    await expectAccessible(watched);
    for (const choice of ['1', '1']) await answer(choice);
    await said('Approved. Next item.');
    expect(await queued('&status=completed')).toHaveLength(2);
    // A span as the third: the answer is edited as a text.
    await item().getByRole('link', { name: 'Open span' }).waitFor();
    await press('e');
    const field = page.getByRole('textbox', { name: 'Edited answer' });
    await expectSoon(
      () => field.inputValue(),
      await item()
        .getByText(/^Answer \d$/)
        .textContent(),
    );
    await field.fill('A better answer');
    await page.getByRole('region', { name: 'Changes' }).locator('ins').first().waitFor();
    expect(await page.getByRole('checkbox', { name: 'Write back to the datapoint' }).count()).toBe(0);
    await expectAccessible(watched);
    await press('Control+Enter');
    await said('Submitted with your answer. Next item.');
    await item().getByRole('link', { name: 'Open session' }).waitFor();
    await item().getByText('Question 2?').waitFor();
    await press('a');
    await item().getByText('in 1').waitFor();
    await press('a');
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
    const done = await queued('&status=completed');
    expect(done.find(({ span_id: span }) => span?.startsWith('call-'))?.edited_data).toBe('A better answer');
  });

  inBrowser('shows a reviewer their own blind answers, and nobody else', async () => {
    const [own] = await queued('&status=completed&reviewer=ada');
    expect(own!.scores).toMatchObject([{ name: 'good', label: 'yes' }]);
    const answers = page.getByRole('list', { name: 'Review answers' });
    await open(`/review/traces?item=${own!.id}`);
    await expectSoon(() => answers.getByRole('listitem').allTextContents(), ['good yes']);
    await reviewAs('bob');
    await open(`/review/traces?item=${own!.id}`);
    await item()
      .getByText(/^Question \d\?$/)
      .waitFor();
    expect(await answers.count()).toBe(0);
    await expectAccessible(watched);
    await press('Escape');
    for (const choice of ['1', '2']) await answer(choice);
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
  });

  inBrowser('is decided by whom it is assigned to, where answers differ', async () => {
    await reviewAs('judy');
    await page.getByText('The answers of 2 reviewers differ: yours decides.').waitFor();
    await expectAccessible(watched);
    await answer('2');
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
    const known = { rate: 0.5, items: [{ id: 'call-2', scores: [{ name: 'good', label: 'yes' }] }] };
    const terms = { form: ['good'], gold: known, until: { ci_width: 0.1 } };
    await program.api.post('/api/queue', { span_ids: ['tool-2'], ...terms });
    for (let n = 0; n < 2; n++) {
      const { body } = await program.api.post<QueueItemResource>('/api/queue/next', { claimed_by: 'judy' });
      await program.api.post(`/api/queue/${body.id}/submit`, { scores: [{ name: 'good', label: 'yes' }] });
    }
    await program.api.post('/api/score-definitions', { name: 'fair', kind: 'boolean' });
    const traces = ['trace-1', 'trace-2'];
    const fair = { form: ['fair'], reviews_required: 2, priority: 9 };
    await program.api.post('/api/queue', { trace_ids: traces, ...fair });
    for (const claimed_by of ['kim', 'kim', 'lee', 'lee']) {
      const { body } = await program.api.post<QueueItemResource>('/api/queue/next', { claimed_by });
      const scores = [{ name: 'fair', value: traces.indexOf(body.trace_id!) }];
      await program.api.post(`/api/queue/${body.id}/submit`, { scores });
    }
    for (const [value, trace_id] of traces.entries())
      await program.api.post('/api/scores', { name: 'fair', source: 'judge', value, trace_id });
    await press('p');
    const judged = page.getByRole('table', { name: 'Judge agreement' }).getByRole('row', { name: /^fair/ });
    await expectSoon(
      async () => (await judged.getByRole('cell').allTextContents()).map((text) => text.split(' (')[0]),
      ['Scoring rules', '2', '100%', '100%', '1'],
    );
    await page.getByText('good: the queue closes when its interval is 0.1 wide.').waitFor();
    const reviewers = page.getByRole('table', { name: 'Reviewers' });
    const ada = reviewers.getByRole('row', { name: /ada/ });
    await expectSoon(async () => (await ada.getByRole('cell').allTextContents()).slice(0, 2), ['5', '0']);
    await reviewers.getByRole('row', { name: /judy/ }).getByText('1 of 1: 100% (').waitFor();
    await page.getByRole('table', { name: 'Agreement' }).getByRole('row', { name: /^good/ }).waitFor();
    const differing = page.getByRole('list', { name: 'Differing reviews' });
    await differing.getByText('judy decided: good no').waitFor();
    await expectAccessible(watched);
    // What is pending may be assigned to others, or of groups that this reviewer has answered in.
    expectNoFaultsBut(watched, /status of 404/);
  });
});
