/** What was asked and answered, on every page that shows it, in each form in which senders record an answer. */
import { describe, expect } from '@jest/globals';
import type { DatapointResource, ExportedSpans } from '@spandrel/contract';
import { ANSWER_SHAPES, askedFor } from '../support/answer-shapes.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const FORMS = Object.keys(ANSWER_SHAPES);
const questionOf = (form: string): string => `When is high water, as ${form}?`;
const answerOf = (form: string): string => `At noon, says ${form}.`;

let dataset: string;

/** A call in each form, in one session, as datapoints that wait for a reviewer. */
async function plantAnswers(): Promise<void> {
  const { api } = program;
  const kind = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai' };
  const started = (at: number) => ({ started_at: new Date(Date.UTC(2026, 10, 20, 12, at)).toISOString() });
  const traces = FORMS.map((form, at) => ({ id: `tide-${at}`, name: form, session_id: 'tides', ...started(at) }));
  const spans = FORMS.map((form, at) => ({
    ...{ id: `call-${at}`, trace_id: `tide-${at}`, name: form, status: 'completed', kind, ...started(at) },
    ...{ input: askedFor(questionOf(form)), output: ANSWER_SHAPES[form]!(answerOf(form)) },
  }));
  await api.post('/api/ingest', { traces, spans });
  dataset = (await api.post<{ id: string }>('/api/datasets', { name: 'Tides' })).body.id;
  const span_ids = spans.map(({ id }) => id);
  const { body } = await api.post<ExportedSpans>(`/api/datasets/${dataset}/export-spans`, { span_ids });
  const datapoint_ids = body.created.map(({ datapoint_id: id }) => id);
  await api.post<DatapointResource>(`/api/datasets/${dataset}/queue`, { datapoint_ids });
}

const onAnswers = journeysOn(plantAnswers);

describe('an answer in any form', () => {
  onAnswers();

  inBrowser('is read on the page of its trace, with a long prompt folded', async () => {
    for (const [at, form] of FORMS.entries()) {
      await page.goto(`${program.apiUrl}/traces/tide-${at}?span=call-${at}`);
      const details = page.getByRole('region', { name: 'Span details' });
      await details.getByRole('article').last().getByText(answerOf(form), { exact: true }).waitFor();
      await details.getByText(questionOf(form), { exact: true }).waitFor();
      const system = details.getByRole('article', { name: 'System message' });
      await details.getByRole('button', { name: 'Show earlier messages (5)' }).click();
      await system.getByRole('button', { name: /^Show all/ }).waitFor();
      await system.getByText('Rule 5:').waitFor({ state: 'detached' });
    }
    await expectAccessible(watched);
    expectNoFaults(watched);
  });

  inBrowser('is read in its session', async () => {
    await page.goto(`${program.apiUrl}/sessions/tides`);
    for (const form of FORMS) {
      const turn = page.getByRole('article', { name: form, exact: true });
      await turn.getByText(questionOf(form), { exact: true }).waitFor();
      await turn.getByText(answerOf(form), { exact: true }).waitFor();
    }
    expectNoFaults(watched);
  });

  inBrowser('is read in its session as markdown, where the reader chose so', async () => {
    const call = {
      ...{ id: 'bold', trace_id: 'bold', name: 'call', status: 'completed' },
      output: '**At six** sharp.',
    };
    const spans = [{ ...call, kind: { type: 'llm_call', model: 'm' }, input: askedFor('When is low water?') }];
    await program.api.post('/api/ingest', { traces: [{ id: 'bold', name: 'bold', session_id: 'low' }], spans });
    await page.goto(`${program.apiUrl}/sessions/low`);
    const turn = page.getByRole('article', { name: 'bold', exact: true });
    await turn.getByText('**At six** sharp.', { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Rendered' }).check();
    await turn.locator('strong').getByText('At six', { exact: true }).waitFor();
    await page.reload();
    await turn.locator('strong').getByText('At six', { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Text' }).check();
    await turn.getByText('**At six** sharp.', { exact: true }).waitFor();
    expectNoFaults(watched);
  });

  inBrowser('is read beside the list, of a long text the rows in view alone', async () => {
    const output = Array.from({ length: 20_000 }, (_, n) => `line ${n}`).join('\n');
    const span = { id: 'long', trace_id: 'long', name: 'read a file', status: 'completed', output };
    await program.api.post('/api/ingest', { traces: [{ id: 'long' }], spans: [{ ...span, kind: { type: 'custom' } }] });
    await page.goto(`${program.apiUrl}/traces?peek=long`);
    const peek = page.getByRole('region', { name: 'Peek' });
    await peek.getByRole('tab', { name: 'Output' }).click();
    await peek.getByText('line 3', { exact: true }).waitFor();
    expect(await peek.getByText(/^line \d+$/).count()).toBeLessThan(400);
    await peek.getByRole('searchbox', { name: 'Find in text' }).fill('line 19876');
    await peek.getByText('line 19876', { exact: true }).waitFor();
    expectNoFaults(watched);
  });

  inBrowser('is reviewed with its question first', async () => {
    await page.goto(`${program.apiUrl}/review/${dataset}`);
    const item = page.getByRole('region', { name: 'Item' });
    for (const form of FORMS) {
      await item.getByText(questionOf(form), { exact: true }).waitFor();
      await item.getByRole('article', { name: 'Expected output' }).getByText(answerOf(form), { exact: true }).waitFor();
      await item.getByRole('article', { name: 'System message' }).waitFor({ state: 'detached' });
      if (form === FORMS[0]) {
        await item.getByRole('button', { name: 'Show earlier messages (5)' }).click();
        await item.getByRole('article', { name: 'System message' }).waitFor();
        await expectAccessible(watched);
      }
      await page.getByRole('button', { name: /^Approve/ }).click();
    }
    await page.getByText(`${FORMS.length} of ${FORMS.length} reviewed`, { exact: true }).last().waitFor();
    expectNoFaults(watched);
  });
});
