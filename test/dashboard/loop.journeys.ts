/** From a recorded call to a test case, two runs, their comparison and a review, on a conversation of 25,000 tokens. */
import { describe, expect } from '@jest/globals';
import type { EvalRunSummary } from '@spandrel/contract';
import { askedFor } from '../support/answer-shapes.ts';
import { until } from '../support/spandrel.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { button, datapointsOf, heading, open } from './dataset-steps.ts';
import { expectAccessible, expectSoon } from './page-steps.ts';
import { journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

const QUESTION = 'When is high water in the harbour of the picture?';
const ANSWER = 'At **noon**.';
const BETTER = 'At one, says the table.';

/** A call with a long prompt, an image and a tool, and what answers another one. */
async function plantCall(): Promise<void> {
  const { api } = program;
  const started_at = new Date(Date.UTC(2026, 10, 20, 12)).toISOString();
  const call = {
    ...{ id: 'wrong-call', trace_id: 'wrong', name: 'tide bot', status: 'completed', started_at },
    kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai' },
    ...{ input: askedFor(QUESTION), output: { text: ANSWER, finish_reason: 'stop' } },
  };
  await api.post('/api/ingest', { traces: [{ id: 'wrong', name: 'tide bot', started_at }], spans: [call] });
  await api.post('/api/provider-connections', {
    ...{ name: 'fake', provider: 'openai', api_key: 'sk-test', base_url: `${provider.url}/v1` },
    default_model: 'gpt-5.1',
  });
}

const onCall = journeysOn(plantCall, { isOneVisit: true });
let dataset: string;

describe('the loop on a long conversation', () => {
  onCall();

  inBrowser('makes a test case of an answer that was wrong', async () => {
    await open('/traces/wrong?span=wrong-call');
    const details = page.getByRole('region', { name: 'Span details' });
    await details.getByText(QUESTION, { exact: true }).waitFor();
    await details.getByRole('button', { name: 'Add to dataset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to dataset' });
    const expected = dialog.getByRole('textbox', { name: 'Expected' });
    await expectSoon(() => expected.inputValue(), ANSWER);
    await dialog.getByRole('combobox', { name: 'Dataset' }).selectOption('New dataset');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Tides');
    await expected.fill('');
    await dialog.getByText(/^Left empty, scorers/).waitFor();
    await expectAccessible(watched);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('region', { name: 'Notifications' }).getByRole('link', { name: 'Open datapoint' }).click();
    await heading(QUESTION);
    dataset = /\/datasets\/([^/]+)\//.exec(page.url())![1]!;
    expect((await datapointsOf(dataset))[0]).toMatchObject({
      source_span_id: 'wrong-call',
      kind: { LlmConversation: { expected: null } },
    });
  });

  inBrowser('says that nothing is expected before two models are asked', async () => {
    await open(`/evaluations/new?dataset=${dataset}`);
    await expectSoon(() => page.getByRole('combobox', { name: 'Model', exact: true }).inputValue(), 'gpt-5.1');
    await page.getByRole('combobox', { name: 'Scoring' }).selectOption('Exact match');
    const words =
      '1 of 1 datapoint has no expected value. Exact match needs one: answers will be recorded and not scored.';
    await page.getByText(words, { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Model 2', exact: true }).fill('gpt-5.1-mini');
    await page.getByRole('textbox', { name: 'Run name' }).fill('tides');
    await button('Start without scores').click();
    await heading('Evaluations');
    const runs = async () => (await program.api.get<{ runs: EvalRunSummary[] }>('/api/eval')).body.runs;
    await until(async () => (await runs()).every(({ progress }) => progress === 1));
    expect((await runs()).map(({ name }) => name).toSorted()).toEqual(['tides, gpt-5.1', 'tides, gpt-5.1-mini']);
    for (const run of await runs())
      await page.getByRole('checkbox', { name: `Select ${run.name}`, exact: true }).check();
    await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Compare' }).click();
    await heading('Compare runs');
  });

  inBrowser('is corrected in a review that shows all of it at once', async () => {
    const [datapoint] = await datapointsOf(dataset);
    await program.api.post(`/api/datasets/${dataset}/queue`, { datapoint_ids: [datapoint!.id] });
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(`/review/${dataset}`);
    const item = page.getByRole('region', { name: 'Item' });
    const answers = page.getByRole('region', { name: 'Answers' });
    await answers.getByRole('link', { name: 'tides, gpt-5.1', exact: true }).waitFor();
    for (const shown of [item.getByText(QUESTION, { exact: true }), answers.getByRole('listitem').nth(1)])
      await expectSoon(async () => {
        const box = (await shown.boundingBox())!;
        return box.y > 0 && box.y + Math.min(box.height, 100) < 900;
      }, true);
    await expectAccessible(watched);
    await page.keyboard.press('e');
    const expected = page.getByRole('textbox', { name: 'Expected' });
    await expectSoon(() => expected.evaluate((element) => element === element.ownerDocument.activeElement), true);
    await page.keyboard.insertText(BETTER);
    await expectAccessible(watched);
    await page.keyboard.press('Control+Enter');
    const said = page.getByRole('status', { name: 'Review status' });
    await expectSoon(() => said.textContent(), 'Submitted and written back to the datapoint. Nothing left to review.');
    expect((await datapointsOf(dataset))[0]!.kind['LlmConversation']).toMatchObject({ expected: BETTER });
    await page.setViewportSize(usual);
    expectNoFaults(watched);
  });
});
