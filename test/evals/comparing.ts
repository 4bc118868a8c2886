import { describe, expect, it } from '@jest/globals';
import type { EvalComparison, Problem } from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';

/** @param all whether what a database has no part in is shown as well. */
export function comparing(lab: () => EvalsLab, all: boolean): void {
  const itOfQueries = (title: string, test: () => Promise<void>): void => {
    if (all) it(title, test);
  };
  describe('comparing runs', () => {
    const generic = (input: unknown, expected_output?: unknown) => ({ Generic: { input, expected_output } });

    it('puts them side by side, also where one lacks a datapoint', async () => {
      const { id, datapointIds } = await lab().dataset(
        generic('a', 'said: a'),
        generic({ b: 1 }, { b: 1 }),
        generic('gone'),
      );
      const first = await lab().run(id, { name: 'first', scoring: 'Contains' });
      await lab().api.delete(`/api/datasets/${id}/datapoints/${datapointIds[2]}`);
      const added = await lab().datapoint(id, generic('late', 'x'));
      const second = await lab().run(id, { name: 'second', scoring: 'ExactMatch' });
      const { body } = await lab().api.get<EvalComparison>(`/api/datasets/${id}/compare?runs=${second.id},${first.id}`);
      expect(body.dataset_id).toBe(id);
      expect(body.runs).toEqual([
        {
          id: second.id,
          name: 'second',
          avg_score: second.avg_score,
          total_cost: second.total_cost,
          call_cost: second.total_cost,
          judge_cost: null,
          unpriced_count: 0,
        },
        {
          id: first.id,
          name: 'first',
          avg_score: first.avg_score,
          total_cost: first.total_cost,
          call_cost: first.total_cost,
          judge_cost: null,
          unpriced_count: 0,
        },
      ]);
      const none = { output: null, score: null, latency_ms: null, trace_id: null };
      const called = { latency_ms: expect.any(Number), trace_id: null };
      expect(body.comparisons).toEqual([
        {
          datapoint_id: datapointIds[0],
          input: 'a',
          expected: 'said: a',
          results: [
            { run_id: second.id, output: 'You said: a', score: 0, ...called },
            { run_id: first.id, output: 'You said: a', score: 1, ...called },
          ],
        },
        {
          datapoint_id: datapointIds[1],
          input: { b: 1 },
          expected: '{"b":1}',
          results: [
            { run_id: second.id, output: 'You said: {"b":1}', score: 0, ...called },
            { run_id: first.id, output: 'You said: {"b":1}', score: 1, ...called },
          ],
        },
        {
          datapoint_id: datapointIds[2],
          input: 'gone',
          expected: null,
          results: [
            { run_id: second.id, ...none },
            { run_id: first.id, output: 'You said: gone', score: null, ...called },
          ],
        },
        {
          datapoint_id: added,
          input: 'late',
          expected: 'x',
          results: [
            { run_id: second.id, output: 'You said: late', score: 0, ...called },
            { run_id: first.id, ...none },
          ],
        },
      ]);
    });

    itOfQueries('takes one to four runs of one dataset', async () => {
      const { id } = await lab().dataset('x');
      const other = await lab().dataset('y');
      const runs = [];
      for (let i = 0; i < 5; i++) runs.push((await lab().run(id)).id);
      const foreign = (await lab().run(other.id)).id;
      const compare = (query: string) => lab().api.get<Problem & EvalComparison>(`/api/datasets/${id}/compare${query}`);
      expect((await compare(`?runs=${runs.slice(0, 4).join(',')}`)).body.runs.map((run) => run.id)).toEqual(
        runs.slice(0, 4),
      );
      expect((await compare(`?runs=${runs[0]}`)).body.comparisons).toHaveLength(1);
      for (const [query, status, code] of [
        ['', 400, 'validation_failed'],
        ['?runs=', 400, 'validation_failed'],
        [`?runs=${runs.join(',')}`, 400, 'validation_failed'],
        [`?runs=${runs[0]},${foreign}`, 400, 'validation_failed'],
        [`?runs=${runs[0]},none`, 404, 'eval_run_not_found'],
        ['?runs=%00', 404, 'eval_run_not_found'],
      ] as const) {
        const answer = await compare(query);
        expect([query, answer.status, answer.body.code]).toEqual([query, status, code]);
      }
    });
  });
}
