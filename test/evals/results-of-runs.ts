import { describe, expect, it } from '@jest/globals';
import type { DatapointResource, EvalRunResource } from '@spandrel/contract';
import { FAKE_USAGE } from '../fake-provider/usage.ts';
import type { EvalsLab } from './evals-lab.ts';

const TOKENS = FAKE_USAGE.input + FAKE_USAGE.output;

/** @param all whether what a database has no part in is shown as well. */
export function resultsOfRuns(lab: () => EvalsLab, all: boolean): void {
  const itOfCalls = (title: string, test: () => Promise<void>): void => {
    if (all) it(title, test);
  };
  const generic = (input: unknown, expected_output?: unknown) => ({ Generic: { input, expected_output } });
  const scores = (run: EvalRunResource) => run.result_items.map(({ score }) => score);

  describe('results', () => {
    it('hold output, tokens, cost and latency, and stand in the datapoint', async () => {
      const { id, datapointIds } = await lab().dataset(generic('hello', 'You said: hello'), {
        LlmConversation: { messages: [{ role: 'user', content: 'hey' }], expected: 'HEY' },
      });
      const run = await lab().run(id, { scoring: 'Contains', config: { model: 'gpt-4.1-mini' } });
      const item = {
        tokens: TOKENS,
        cost: expect.any(Number),
        latency_ms: expect.any(Number),
        status: 'completed',
        error: null,
        attempts: 1,
        score: 1,
        passed: true,
        score_reason: null,
        judge_model: null,
        judge_prompt_hash: null,
        judge_attempts: null,
        judge_tokens: null,
        judge_cost: null,
        trace_id: null,
        span_id: null,
        metadata: null,
        reused: false,
        reused_run_id: null,
        samples: null,
        scores: {
          Contains: {
            ...{ score: 1, reason: null, error: null },
            ...{
              judge_model: null,
              judge_prompt_hash: null,
              judge_attempts: null,
              judge_tokens: null,
              judge_cost: null,
            },
          },
        },
      };
      expect(run.result_items).toEqual([
        {
          ...item,
          datapoint_id: datapointIds[0],
          input: 'hello',
          output: 'You said: hello',
          expected: 'You said: hello',
        },
        {
          ...item,
          datapoint_id: datapointIds[1],
          input: [{ role: 'user', content: 'hey' }],
          output: 'You said: hey',
          expected: 'HEY',
        },
      ]);
      const cost = run.result_items[0]!.cost!;
      expect(cost).toBeCloseTo((FAKE_USAGE.input * 0.4 + FAKE_USAGE.output * 1.6) / 1e6, 12);
      expect(run).toMatchObject({
        avg_score: 1,
        total_tokens: 2 * TOKENS,
        failed_count: 0,
        judge_tokens: 0,
        judge_cost: null,
      });
      expect(run.total_cost).toBeCloseTo(2 * cost, 12);
      const [first, second] = await Promise.all(
        datapointIds.map(
          async (dp) => (await lab().api.get<DatapointResource>(`/api/datasets/${id}/datapoints/${dp}`)).body,
        ),
      );
      expect(first?.kind).toMatchObject({
        Generic: { actual_output: 'You said: hello', score: 1, expected_output: 'You said: hello' },
      });
      expect(second?.kind).not.toHaveProperty('LlmConversation.actual_output');
      // A result is no change to the dataset.
      expect((await lab().api.get<{ version: number }>(`/api/datasets/${id}`)).body.version).toBe(2);
    });

    itOfCalls('are scored by ExactMatch, Contains, None to the letter', async () => {
      const { id } = await lab().dataset(
        generic('a', 'You said: a'),
        generic('b', 'you said: b'),
        generic('c', 'SAID'),
        generic('{"k":1}', 1),
        generic('d'),
        generic('e', null),
      );
      const exact = await lab().run(id, { scoring: 'ExactMatch' });
      expect(scores(exact)).toEqual([1, 0, 0, 0, null, null]);
      expect(exact.result_items[4]).toMatchObject({
        status: 'failed',
        output: 'You said: d',
        score: null,
        tokens: TOKENS,
      });
      expect(exact.result_items[4]?.error).toMatch(/^ExactMatch: .*expected/);
      expect(exact).toMatchObject({ status: 'completed', progress: 6, failed_count: 2, avg_score: 0.25 });
      const contains = await lab().run(id, { scoring: 'Contains' });
      expect(scores(contains)).toEqual([1, 1, 1, 1, null, null]);
      const none = await lab().run(id, { scoring: 'None' });
      expect(scores(none)).toEqual([null, null, null, null, null, null]);
      expect(none).toMatchObject({ failed_count: 0, avg_score: null });
    });

    itOfCalls('are judged by a model, its use kept apart', async () => {
      const { id } = await lab().dataset(generic('q', 'expected answer'));
      lab().provider.requests.length = 0;
      const run = await lab().run(id, {
        scoring: 'LlmJudge',
        config: { model: 'gpt-5.1', judge: { model: 'fake:judge:0.75', rubric: 'Only the tides count' } },
      });
      expect(run.result_items[0]).toMatchObject({
        status: 'completed',
        score: 0.75,
        score_reason: 'so it seems',
        judge_model: 'fake:judge:0.75',
        judge_prompt_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        judge_tokens: TOKENS,
        judge_cost: null,
        tokens: TOKENS,
        attempts: 1,
      });
      expect(run).toMatchObject({ avg_score: 0.75, total_tokens: TOKENS, judge_tokens: TOKENS });
      const judged = lab().lastRequest();
      expect(judged).toMatchObject({ model: 'fake:judge:0.75', temperature: 0 });
      for (const text of ['Only the tides count', 'expected answer', 'You said: q']) {
        expect(JSON.stringify(judged)).toContain(text);
      }
      const other = await lab().run(id, { scoring: 'LlmJudge', config: { judge: { model: 'fake:judge:1' } } });
      expect(other.result_items[0]?.judge_prompt_hash).not.toBe(run.result_items[0]?.judge_prompt_hash);
    });

    itOfCalls('that all failed make the error of the run, by their commonest reason', async () => {
      const { id } = await lab().dataset(
        ...Array.from({ length: 8 }, (_, n) => `fake:error-401 ${n}`),
        'fake:error-400',
      );
      const run = await lab().run(id);
      const reason = run.result_items[0]!.error!;
      expect(reason).toMatch(
        /^HTTP 401 from http:\/\/127\.0\.0\.1:\d+: .* \(check the api_key of the connection "fake"\)$/,
      );
      expect(run).toMatchObject({ status: 'completed', failed_count: 9, total: 9 });
      expect(run.error).toBe(`all 9 items failed: ${reason} (8 of 9)`);
      expect((await lab().runs(id))[0]!.error).toBe(run.error);
      expect(lab().eventsOf(run.id).at(-1)).toEqual({ type: 'eval_completed', run_id: run.id });
    });

    it('that failed beside others leave the run without an error', async () => {
      const { id } = await lab().dataset('fake:error-400', 'fine');
      expect(await lab().run(id)).toMatchObject({ status: 'completed', failed_count: 1, error: null });
    });

    it('are of the snapshot, whatever happens to the dataset meanwhile', async () => {
      const { id, datapointIds } = await lab().dataset(
        'fake:slow:150 one',
        'fake:slow:150 two',
        'three',
        'four',
        'five',
        'six',
      );
      const { body } = await lab().start(id);
      await lab().api.delete(`/api/datasets/${id}/datapoints/${datapointIds[4]}`);
      await lab().api.send('PUT', `/api/datasets/${id}/datapoints/${datapointIds[5]}`, { kind: generic('changed') });
      await lab().datapoint(id, 'new');
      const run = await lab().ended(body.id);
      expect(run).toMatchObject({ status: 'completed', total: 6, progress: 6, dataset_version: 6 });
      expect(run.result_items.map(({ datapoint_id }) => datapoint_id)).toEqual(datapointIds);
      expect(run.result_items.slice(2).map(({ input }) => input)).toEqual(['three', 'four', 'five', 'six']);
      const again = await lab().run(id);
      expect(again.result_items.map(({ input }) => input).slice(2)).toEqual(['three', 'four', 'changed', 'new']);
      // The results of the first run stay as they were.
      expect((await lab().read(body.id)).result_items[5]).toMatchObject({ input: 'six', output: 'You said: six' });
    });
  });
}
