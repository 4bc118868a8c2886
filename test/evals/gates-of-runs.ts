import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalRunSummary, EvalStatistics, Gate, Problem } from '@spandrel/contract';
import { until } from '../support/spandrel.ts';
import type { EvalsLab } from './evals-lab.ts';
import { digits, seedRun, singles } from './seeded-runs.ts';

/** Conditions that runs are to meet, on both databases. */
export function gatesOfRuns(lab: () => EvalsLab): void {
  const statistics = async (run: string, query: string): Promise<EvalStatistics> =>
    (await lab().api.get<EvalStatistics>(`/api/eval/${run}/statistics${query}`)).body;

  describe('gates', () => {
    const set = (run: string, gates: readonly Gate[]) =>
      lab().api.post<EvalRunSummary & Omit<Problem, 'status'>>(`/api/eval/${run}/gates`, { gates });
    const samples = [
      [
        { score: 1, latencyMs: 100, cost: 0.25 },
        { score: 1, latencyMs: 200, cost: 0.5 },
      ],
      [{ score: 1, latencyMs: 300 }, { score: 0.5 }],
      [{ score: 0.25 }, { failed: true }],
    ];
    const of = { datapointIds: ['d1', 'd2', 'd3'], samples };
    let datasetId: string;
    beforeAll(async () => {
      datasetId = (await lab().dataset('x')).id;
    });

    it('are about the numbers that statistics report', async () => {
      const run = await seedRun(lab(), { ...of, datasetId });
      const baseline = await seedRun(lab(), { ...of, datasetId, samples: digits('11 00 11') });
      const found = await statistics(run, `?k=1,2&baseline=${baseline}`);
      const { score, latency_ms: latency, cost } = found;
      const compared = found.comparison!.score;
      const actuals: Record<Gate['metric'], number | string | null> = {
        ...{ mean: score.mean, mean_ci_low: score.ci!.low },
        ...{ pass_rate: score.pass_rate.mean, pass_rate_ci_low: score.pass_rate.ci!.low },
        ...{ pass_at_k: score.pass_k[1]!.pass_at_k, pass_hat_k: score.pass_k[1]!.pass_hat_k },
        ...{ min_datapoint_pass_rate: 0, never_passed: 1, flaky_datapoints: 1 },
        ...{ failed_samples: 1, failed_rate: 1 / 6, latency_p50: latency.p50, latency_p95: latency.p95 },
        ...{ total_cost: 0.75, mean_cost: cost.mean },
        ...{
          diff: compared.diff,
          diff_ci_low: compared.ci!.low,
          worse: 1,
          regression: 'no_difference',
          new_failures: 1 / 6,
        },
      };
      const metrics = Object.keys(actuals) as Gate['metric'][];
      const whole = { op: '>=', value: 0.3, k: 2, scorer: 'External', baseline_run_id: baseline } as const;
      const { status, body } = await set(
        run,
        metrics.map((metric) => ({ metric, ...whole })),
      );
      expect([status, body.status, body.passed]).toEqual([200, 'completed', false]);
      const holds = (actual: number | string | null) =>
        typeof actual === 'number' ? actual >= 0.3 : actual === 'no_difference';
      expect(body.gates.map(({ metric, actual, passed }) => [metric, actual, passed])).toEqual(
        metrics.map((metric) => [metric, actuals[metric], holds(actuals[metric])]),
      );
      expect(body.gates[0]).toMatchObject({ k: null, scorer: 'External', baseline_run_id: null });
      expect((await lab().api.get(`/api/eval/${run}?items=none`)).body).toMatchObject({ gates: body.gates });
    });

    it('are replaced, and judged at once when the run is over', async () => {
      const run = await seedRun(lab(), { ...of, datasetId });
      const gate = { metric: 'mean', op: '>=', value: 0.5 } as const;
      expect((await set(run, [gate, { ...gate, value: 0.9 }])).body).toMatchObject({
        passed: false,
        gates: [{ passed: true }, { passed: false }],
      });
      expect((await set(run, [gate])).body).toMatchObject({ passed: true, gates: [{ passed: true }] });
      expect((await set(run, [])).body).toMatchObject({ passed: null, gates: [] });
      for (const status of ['cancelled', 'failed'] as const) {
        const broken = await seedRun(lab(), { ...of, datasetId, status });
        expect((await set(broken, [gate])).body).toMatchObject({ status, passed: false, gates: [{ passed: true }] });
      }
      const running = await seedRun(lab(), { ...of, datasetId, status: 'running' });
      expect((await set(running, [gate])).body).toMatchObject({
        ...{ status: 'running', passed: null, gates: [{ ...gate, actual: null, passed: null }] },
      });
    });

    it('are judged with the scores when a run ends', async () => {
      const said = (input: string, expected_output: string) => ({ Generic: { input, expected_output } });
      const { id } = await lab().dataset(said('a', 'You said: a'), said('b', 'nothing'), said('c', 'You said: c'));
      const before = await lab().run(id, { scoring: 'Contains', repeats: 2, config: { model: 'gpt-4.1-mini' } });
      const gates: Gate[] = [
        { metric: 'pass_hat_k', k: 2, op: '>=', value: 0.6 },
        { metric: 'total_cost', op: '<=', value: before.total_cost! },
        { metric: 'regression', baseline_run_id: before.id },
      ];
      const start = { scoring: 'Contains', repeats: 2, config: { model: 'gpt-4.1-mini' }, gates };
      const run = await lab().run(id, start);
      const { score, comparison } = await statistics(run.id, `?baseline=${before.id}`);
      expect(score).toMatchObject({ mean: 2 / 3, samples: 6 });
      expect(run).toMatchObject({ passed: true, avg_score: 2 / 3, score_se: score.se, score_ci: score.ci });
      expect(run.gates.map(({ actual, passed }) => [actual, passed])).toEqual([
        [2 / 3, true],
        [run.total_cost, true],
        [comparison!.score.verdict, true],
      ]);
      expect(before).toMatchObject({ passed: null, gates: [], score_se: score.se });
      expect(
        lab()
          .eventsOf(run.id)
          .filter(({ type }) => type === 'eval_completed'),
      ).toHaveLength(1);
      const strict = await lab().run(id, { ...start, gates: [{ metric: 'mean', op: '>', value: run.avg_score }] });
      expect(strict).toMatchObject({ status: 'completed', passed: false, gates: [{ passed: false }] });
    });

    it('do not hold for a run without datapoints, nor for one that was cancelled', async () => {
      const gates: Gate[] = [{ metric: 'mean', op: '>=', value: 0 }];
      const empty = await lab().run((await lab().dataset()).id, { gates });
      expect(empty).toMatchObject({ status: 'completed', passed: false, gates: [{ actual: null, passed: false }] });
      const { body: started } = await lab().start((await lab().dataset('fake:hang 1')).id, { gates });
      await until(async () => (await lab().summary(started.id)).status === 'running');
      const { body: cancelled } = await lab().api.post<EvalRunSummary>(`/api/eval/${started.id}/cancel`);
      expect(cancelled).toMatchObject({ passed: false, stop_reason: 'cancelled', gates: [{ passed: null }] });
      expect((await lab().api.delete(`/api/eval/${started.id}`)).status).toBe(200);
    });

    it('do not hold without a value', async () => {
      const run = await seedRun(lab(), { ...of, datasetId, samples: singles([null, null, null]) });
      const gone = await seedRun(lab(), { ...of, datasetId });
      const gates: Gate[] = [
        { metric: 'mean', op: '>=', value: 0 },
        { metric: 'total_cost', op: '<=', value: 1 },
        { metric: 'regression', baseline_run_id: gone },
      ];
      const judged = (await set(run, gates)).body.gates;
      expect(judged.map(({ actual, passed }) => [actual, passed])).toEqual(gates.map(() => [null, false]));
    });

    it('are refused at what is wrong with them', async () => {
      const run = await seedRun(lab(), { ...of, datasetId });
      const foreign = await seedRun(lab(), { ...of, datasetId: (await lab().dataset('y')).id });
      const compared = { op: '>=', value: 1 } as const;
      const faults = await set(run, [
        { metric: 'pass_at_k', k: 3, ...compared },
        { metric: 'mean', scorer: 'tone', ...compared },
        { metric: 'diff', baseline_run_id: foreign, ...compared },
      ]);
      expect(faults.body.errors?.map(({ path }) => path)).toEqual([
        ...['gates[0].k', 'gates[1].scorer', 'gates[2].baseline_run_id'],
      ]);
      const missing = await set(run, [{ metric: 'mean' }, { metric: 'regression' }]);
      expect(missing.body.errors?.map(({ path }) => path)).toEqual([
        ...['gates[0].op', 'gates[0].value', 'gates[1].baseline_run_id'],
      ]);
      expect((await set(run, [{ metric: 'median' as 'mean', ...compared }])).body.errors?.[0]?.path).toBe(
        'gates[0].metric',
      );
      const unknown = await set(run, [{ metric: 'regression', baseline_run_id: 'nope' }]);
      expect([unknown.status, unknown.body.code]).toEqual([404, 'eval_run_not_found']);
      expect((await set('nope', [])).status).toBe(404);
      expect((await lab().api.get<EvalRunSummary>(`/api/eval/${run}?items=none`)).body.gates).toEqual([]);
    });
  });
}
