/** The review of a queue, as people do it: by keys alone, and beside each other. */
import { describe, expect } from '@jest/globals';
import type { DatapointResource, EvalRunResource, QueueItemResource } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, pressInTurn, tabTo } from './page-steps.ts';
import { browser, journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

let dataset: string;
let datapoints: string[];
let items: string[];

/** A dataset with six questions, all in its queue; a model has answered them. */
async function plantQueue(): Promise<void> {
  const { api } = program;
  const description = 'Approve answers that name the capital.\nCorrect the others.';
  dataset = (await api.post<{ id: string }>('/api/datasets', { name: 'Capitals', description })).body.id;
  datapoints = [];
  for (let n = 1; n <= 6; n++) {
    const kind = {
      LlmConversation: { messages: [{ role: 'user', content: `Question ${n}?` }], expected: `Answer ${n}` },
    };
    datapoints.push((await api.post<DatapointResource>(`/api/datasets/${dataset}/datapoints`, { kind })).body.id);
  }
  const queued = await api.post<{ items: QueueItemResource[] }>(`/api/datasets/${dataset}/queue`, {
    datapoint_ids: datapoints,
  });
  items = queued.body.items.map(({ id }) => id);
  const connection = await api.post<{ id: string }>('/api/provider-connections', {
    ...{ name: 'fake', provider: 'openai', api_key: 'sk-test', base_url: `${provider.url}/v1` },
  });
  const config = { connection_id: connection.body.id, model: 'gpt-5.1' };
  const started = await api.post<EvalRunResource>(`/api/datasets/${dataset}/eval`, {
    ...{ name: 'Guesses', scoring: 'None', config },
  });
  const run = async () => (await api.get<EvalRunResource>(`/api/eval/${started.body.id}?items=none`)).body;
  await until(async () => (await run()).status === 'completed');
}

const itemOf = async (n: number): Promise<QueueItemResource> =>
  (await program.api.get<QueueItemResource>(`/api/queue/${items[n - 1]}`)).body;
const statuses = (): Promise<string[]> => Promise.all(items.map(async (_, n) => (await itemOf(n + 1)).status));
const region = (of = page): Locator => of.getByRole('region', { name: 'Item' });
const answers = (): Locator => page.getByRole('region', { name: 'Answers' });
const showsQuestion = (n: number, of = page): Promise<void> => region(of).getByText(`Question ${n}?`).waitFor();
const said = (words: string): Promise<void> =>
  page.getByRole('status', { name: 'Review status' }).getByText(words).waitFor();
const progress = (words: string): Promise<void> => page.getByText(words, { exact: true }).last().waitFor();
const press = (keys: string): Promise<void> => page.keyboard.press(keys);

const onNothing = journeysOn(async () => undefined, { isOneVisit: true });

describe('a review', () => {
  onNothing();

  inBrowser('begins in the list of queues, which is empty at first', async () => {
    await page.goto(`${program.apiUrl}/review`);
    await page.getByRole('heading', { name: 'No queues yet' }).waitFor();
    await plantQueue();
    await page.reload();
    await page.getByRole('textbox', { name: 'Your name' }).fill('ada');
    const row = page.getByRole('grid', { name: 'Queues' }).getByRole('row').nth(1);
    const cells = row.getByRole('gridcell');
    await expectSoon(async () => (await cells.allTextContents()).slice(0, 4), ['Capitals', '6', '0', '0']);
    expect(await row.getByRole('link', { name: 'Start reviewing Capitals' }).getAttribute('href')).toBe(
      `/review/${dataset}`,
    );
    await expectAccessible(watched);
    await page.getByRole('heading', { name: 'Review', level: 1 }).focus();
    await press('j');
    await press('Enter');
    await showsQuestion(1);
    await expectSoon(() => page.title(), 'Review Capitals · Spandrel');
    expect(await itemOf(1)).toMatchObject({ status: 'claimed', claimed_by: 'ada' });
    await progress('0 of 6 reviewed');
  });

  inBrowser('gives somebody else another item, and takes it back when they leave', async () => {
    const other = await browser.open(program.apiUrl);
    await other.page.goto(`${program.apiUrl}/review/${dataset}`);
    await showsQuestion(2, other.page);
    expect(await itemOf(2)).toMatchObject({ status: 'claimed', claimed_by: 'local' });
    await other.page.goto('about:blank');
    await until(async () => (await itemOf(2)).status === 'pending');
    expectNoFaults(other);
    await other.close();
  });

  inBrowser('is done by keys alone', async () => {
    await press('i');
    await page.getByText('Approve answers that name the capital.').waitFor();
    await answers().getByText('You said: Question 1?', { exact: true }).waitFor();
    await expectAccessible(watched);
    await press('i');
    await press('a');
    await showsQuestion(2);
    await said('Approved. Next item.');
    await expectSoon(() => region().evaluate((element) => element === element.ownerDocument.activeElement), true);
    await press('a');
    await showsQuestion(3);
    await progress('2 of 6 reviewed');
    await press('e');
    const expected = page.getByRole('textbox', { name: 'Expected' });
    await expectSoon(() => expected.evaluate((element) => element === element.ownerDocument.activeElement), true);
    expect(await expected.inputValue()).toBe('Answer 3');
    await expectAccessible(watched);
    await press('Escape');
    await answers().getByRole('button', { name: 'Use as expected' }).press('Enter');
    await expectSoon(() => expected.inputValue(), 'You said: Question 3?');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const field = page.getByRole('textbox', { name: 'Edited data' });
    await expectSoon(async () => (await field.inputValue()).includes('"expected": "You said: Question 3?"'), true);
    const text = await field.inputValue();
    await press('Control+a');
    await page.keyboard.insertText(text.replace('You said: Question 3?', 'Better 3').slice(0, -1));
    await page.getByText(/^not valid JSON at line/).waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Submit' }).isDisabled(), true);
    await press('Control+End');
    await page.keyboard.insertText('}');
    const changes = page.getByRole('region', { name: 'Changes' });
    await changes.locator('ins').getByText('Better').waitFor();
    await expectAccessible(watched);
    await press('Escape');
    expect(await page.getByRole('checkbox', { name: 'Write back to the datapoint' }).isChecked()).toBe(true);
    await press('Control+Enter');
    await showsQuestion(4);
    await said('Submitted and written back to the datapoint. Next item.');
    await press('s');
    await showsQuestion(5);
    await press('r');
    await showsQuestion(6);
    await said('Released. Next item.');
    await press('u');
    await changes.locator('del').getByText('Answer').waitFor();
    const link = page.getByRole('link', { name: 'Open datapoint' });
    expect(await link.getAttribute('href')).toBe(`/datasets/${dataset}/datapoints/${datapoints[2]}`);
    await expectAccessible(watched);
    await press('Escape');
    await showsQuestion(6);
    await expectSoon(statuses, ['completed', 'completed', 'completed', 'pending', 'pending', 'claimed']);
    expect((await itemOf(1)).edited_data).toBeNull();
    const { body } = await program.api.get<DatapointResource>(`/api/datasets/${dataset}/datapoints/${datapoints[2]}`);
    expect(body.kind).toMatchObject({ LlmConversation: { expected: 'Better 3' } });
  });

  inBrowser('goes on when another reviewer has the item, and says so', async () => {
    // The page claims again what it reads to be released: it does not read the item before another one has it. Else both
    // claim, and the browser logs the 409 of the one that comes second.
    let goOn = (): void => undefined;
    const isClaimed = new Promise<void>((done) => (goOn = done));
    await page.route(`**/api/queue/${items[5]}*`, async (route) => {
      await isClaimed;
      await route.continue();
    });
    await program.api.post(`/api/queue/${items[5]}/release`);
    expect((await program.api.post(`/api/queue/${items[5]}/claim`, { claimed_by: 'bob' })).status).toBe(200);
    goOn();
    await said('Another reviewer has claimed this item. Nothing left to review.');
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
    await page.unroute(`**/api/queue/${items[5]}*`);
    await page.getByText('3 completed, 1 claimed by others, 2 pending.').waitFor();
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Review what I did' }).click();
    const list = page.getByRole('list', { name: 'Reviewed items' });
    await list.getByText('Question 3?').waitFor();
    await expectSoon(() => list.getByRole('link').allTextContents(), ['Question 1?', 'Question 2?', 'Question 3?']);
    await expectAccessible(watched);
    await press('Escape');
    await page.getByRole('button', { name: 'Review skipped items' }).click();
    await showsQuestion(4);
    expect((await itemOf(4)).claimed_by).toBe('ada');
    await pressInTurn(page, 'g', 't');
    await until(async () => (await itemOf(4)).status === 'pending');
    expectNoFaults(watched);
  });
});

/** A dataset whose two questions two people are to judge by a form, sent to review by the dialog. */
async function plantForm(): Promise<void> {
  const { api } = program;
  await api.post('/api/score-definitions', {
    ...{ name: 'tone', kind: 'category', description: 'How it sounds.' },
    categories: [
      { label: 'kind', value: 1 },
      { label: 'rude', value: 0 },
    ],
  });
  await api.post('/api/score-definitions', { name: 'helpful', kind: 'number', min: 0, max: 1 });
  await api.post('/api/score-definitions', { name: 'correct', kind: 'boolean' });
  dataset = (await api.post<{ id: string }>('/api/datasets', { name: 'Judged' })).body.id;
  for (const n of [1, 2])
    await api.post(`/api/datasets/${dataset}/datapoints`, {
      kind: { Generic: { input: `Question ${n}?`, actual_output: `Answer ${n}` } },
    });
}

/** The focus goes to the first datapoint, once it stands where an empty row was. */
async function focusFirst(): Promise<void> {
  const row = page.getByRole('grid', { name: 'Datapoints' }).getByRole('row').nth(1);
  await row.getByRole('link').first().waitFor();
  await row.focus();
}

const onForm = journeysOn(plantForm, { isOneVisit: true });
const form = (): Locator => page.getByRole('region', { name: 'Form' });
const isFocused = (target: Locator): Promise<void> =>
  expectSoon(() => target.evaluate((element) => element === element.ownerDocument.activeElement), true);
const listed = async (): Promise<QueueItemResource[]> =>
  (await program.api.get<{ items: QueueItemResource[] }>(`/api/datasets/${dataset}/queue`)).body.items;

describe('a review with a form', () => {
  onForm();

  inBrowser('is asked for in the dialog Send to review', async () => {
    await page.goto(`${program.apiUrl}/datasets/${dataset}`);
    await focusFirst();
    await press('x');
    await press('j');
    await press('x');
    await page
      .getByRole('toolbar', { name: 'Selection' })
      .getByRole('button', { name: 'Send to review' })
      .press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Send 2 datapoints to review' });
    await isFocused(dialog.getByRole('spinbutton', { name: 'Reviews required' }));
    await press('Control+a');
    await page.keyboard.insertText('2');
    for (const name of ['tone', 'helpful', 'correct'])
      await dialog.getByRole('checkbox', { name, exact: true }).press('Space');
    await dialog.getByRole('textbox', { name: 'Instructions' }).fill('Judge the answer alone.');
    await dialog.getByRole('spinbutton', { name: 'Priority' }).fill('5');
    await expectAccessible(watched);
    await press('Enter');
    await page.getByText('Sent 2 datapoints to review').waitFor();
    const terms = { reviews_required: 2, form: ['tone', 'helpful', 'correct'], priority: 5, blind: true };
    await expectSoon(async () => (await listed()).length, 4);
    expect((await listed())[0]).toMatchObject({ ...terms, instructions: 'Judge the answer alone.' });
  });

  inBrowser('is answered by keys alone', async () => {
    await page.goto(`${program.apiUrl}/review`);
    // In local mode who reads is nobody by name, and answers of others are hidden.
    await page.getByRole('textbox', { name: 'Your name' }).fill('');
    await page.goto(`${program.apiUrl}/review/${dataset}`);
    await form().getByText('Review 1 of 2').waitFor();
    await press('i');
    await page.getByText('Judge the answer alone.').waitFor();
    await press('a');
    const tone = form().getByRole('radiogroup', { name: 'tone' });
    await isFocused(tone.getByRole('radio', { name: 'kind' }));
    await form().getByText('needs an answer').first().waitFor();
    await expectAccessible(watched);
    await press('2');
    await expectSoon(() => tone.getByRole('radio', { name: 'rude' }).isChecked(), true);
    await press('f');
    const helpful = form().getByRole('textbox', { name: 'helpful' });
    await isFocused(helpful);
    await page.keyboard.insertText('1.5');
    await form().getByText('must be 1 or less').waitFor();
    await press('Control+a');
    await page.keyboard.insertText('0.5');
    await press('Tab');
    await press('1');
    await expectSoon(() => form().getByRole('radio', { name: 'Yes' }).isChecked(), true);
    await press('Escape');
    await isFocused(region());
    await press('a');
    await said('Approved. Next item.');
    const scores = [
      { name: 'tone', value: 0, label: 'rude', comment: null },
      { name: 'helpful', value: 0.5, label: null, comment: null },
      { name: 'correct', value: 1, label: null, comment: null },
    ];
    await expectSoon(async () => (await listed()).find(({ status }) => status === 'completed')?.scores, scores);
    await showsQuestion(1);
    await press('n');
    const comment = form().getByRole('textbox', { name: 'Comment' });
    await isFocused(comment);
    await form().getByText('Say why there is no answer.').waitFor();
    await page.keyboard.insertText('The question is unclear.');
    await press('Escape');
    await press('u');
    const answered = page.getByRole('list', { name: 'Review answers' });
    await expectSoon(
      () => answered.getByRole('listitem').allTextContents(),
      ['tone rude (0)', 'helpful 0.5', 'correct 1'],
    );
    await expectAccessible(watched);
    await press('Escape');
    await showsQuestion(1);
    expect(await comment.inputValue()).toBe('The question is unclear.');
    await press('n');
    await expectSoon(async () => (await listed()).filter(({ skipped }) => skipped).length, 1);
  });

  inBrowser('shows its progress, and whether reviewers agree', async () => {
    const answer = { claimed_by: 'bob' };
    for (const label of ['kind', 'kind']) {
      const { body } = await program.api.post<QueueItemResource>(`/api/datasets/${dataset}/queue/next`, answer);
      const scores = [
        { name: 'tone', label },
        { name: 'helpful', value: 0.5 },
        { name: 'correct', value: 1 },
      ];
      await program.api.post(`/api/queue/${body.id}/submit`, { scores });
    }
    await page.goto(`${program.apiUrl}/review/${dataset}?view=done`);
    await page.getByRole('list', { name: 'Reviewed items' }).getByText('Question 2?').waitFor();
    await press('p');
    await page.getByRole('heading', { name: 'Progress and agreement' }).waitFor();
    const table = (name: string): Locator => page.getByRole('table', { name });
    const bob = table('Reviewers').getByRole('row', { name: /bob/ });
    await expectSoon(async () => (await bob.getByRole('cell').allTextContents()).slice(0, 2), ['2', '0']);
    const tone = table('Agreement').getByRole('row', { name: /^tone/ });
    await expectSoon(async () => (await tone.getByRole('cell').allTextContents()).slice(0, 3), ['1', '2', '2']);
    await page.getByText('4 reviews completed, 1 of them without an answer').waitFor();
    await page.getByText(/tone: alpha is 0: reviewers differ too much/).waitFor();
    await page.getByText('What these numbers mean').press('Enter');
    const differing = page.getByRole('list', { name: 'Differing reviews' });
    await expectSoon(() => differing.getByRole('listitem').count(), 2);
    await expectAccessible(watched);
    await press('Escape');
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
    const { body: empty } = await program.api.post<{ id: string }>('/api/datasets', { name: 'empty' });
    await page.goto(`${program.apiUrl}/review/${empty.id}`);
    await page.getByText('0 completed, 0 claimed by others, 0 pending.').waitFor();
    expect(await page.getByRole('button', { name: 'Review what I did' }).count()).toBe(0);
    // What is pending may be of groups that this reviewer has answered in.
    expectNoFaultsBut(watched, /status of 404/);
  });
});

describe('a review that ends once its estimates are sure enough', () => {
  journeysOn(plantForm, { isOneVisit: true })();

  inBrowser('is asked for by keys alone, and what is wrong is said at the width', async () => {
    await page.goto(`${program.apiUrl}/datasets/${dataset}`);
    await focusFirst();
    await press('x');
    const selection = page.getByRole('toolbar', { name: 'Selection' });
    await selection.getByRole('button', { name: 'Send to review' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Send 1 datapoint to review' });
    await dialog.getByText('Who reviews, in which order, and why').press('Enter');
    const width = dialog.getByRole('spinbutton', { name: 'Enough when the interval is as wide as' });
    await tabTo(width);
    await page.keyboard.insertText('0.2');
    await press('Enter');
    await dialog.getByText('is needed with until: the scores whose means are estimated').waitFor();
    await expectSoon(() => width.getAttribute('aria-invalid'), 'true');
    await expectAccessible(watched);
    await dialog.getByRole('checkbox', { name: 'correct', exact: true }).press('Space');
    await dialog.getByRole('combobox', { name: 'Order' }).selectOption('uncertain');
    await width.press('Enter');
    await dialog.getByText('must not be uncertain with until: such items enter no estimate').waitFor();
    await dialog.getByRole('combobox', { name: 'Order' }).selectOption('random');
    await width.press('Enter');
    await page.getByText('Sent 1 datapoint to review').waitFor();
    expect(await listed()).toMatchObject([{ form: ['correct'], until: { ci_width: 0.2 } }]);
    await page.goto(`${program.apiUrl}/review/${dataset}?view=progress`);
    await page.getByText(/correct: the queue closes when its interval is 0.2 wide\./).waitFor();
    await expectAccessible(watched);
    expectNoFaultsBut(watched, /400 \(Bad Request\)|status of 404/);
  });
});
