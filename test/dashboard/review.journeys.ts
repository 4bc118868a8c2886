/** The review of a queue, as people do it: by keys alone, and beside each other. */
import { describe, expect } from '@jest/globals';
import type { DatapointResource, EvalRunResource, QueueItemResource } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon } from './page-steps.ts';
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
    // The page claims again what it sees released: anyone who is quicker has it.
    await until(async () => {
      await program.api.post(`/api/queue/${items[5]}/release`);
      return (await program.api.post(`/api/queue/${items[5]}/claim`, { claimed_by: 'bob' })).status === 200;
    });
    await said('Another reviewer has claimed this item. Nothing left to review.');
    await page.getByRole('heading', { name: 'Nothing left to review' }).waitFor();
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
    await press('g');
    await press('t');
    await until(async () => (await itemOf(4)).status === 'pending');
    expectNoFaults(watched);
  });
});
