import { beforeAll, describe, expect, it } from '@jest/globals';
import { GATE_METRICS, GATE_OPS, type Gate } from '@spandrel/contract';
import { compareWithBaseline, type RunComparison } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { gateFaults, judgeGate, listKs, unjudged } from './gates.js';
import { runStatistics, type RunStatistics } from './run-statistics.js';
import { digits, runOf, single } from '../../../../test/evals/support/run-of.js';

const distributions = await loadDistributions();
const NO_COMPARISONS: ReadonlyMap<string, RunComparison> = new Map();

const statisticsOf = (datapoints: readonly (readonly (number | null)[])[], ks: number[] = [1]) =>
  runStatistics(runOf(datapoints), ks, distributions);

const comparedWith = async (run: number[][], baseline: number[][]) =>
  new Map([
    [
      'before',
      await compareWithBaseline(runOf(run), runOf(baseline), {
        ...{ baselineRunId: 'before', alpha: 0.05, changed: new Set<string>(), distributions },
      }),
    ],
  ]);

describe('a gate', () => {
  let run: RunStatistics;
  beforeAll(async () => {
    run = await statisticsOf([...digits('111 101 001 000'), [null, null, null]], [1, 2, 3]);
  });
  const actual = (gate: Omit<Gate, 'op' | 'value'>) =>
    judgeGate(unjudged({ op: '>=', value: 0, ...gate }), run, NO_COMPARISONS).actual;

  it('is about a number of the statistics', () => {
    expect(actual({ metric: 'mean' })).toBe(run.score.mean);
    expect(actual({ metric: 'mean_ci_low' })).toBe(run.score.ci?.low);
    expect(actual({ metric: 'pass_rate' })).toBe(run.score.pass_rate.mean);
    expect(actual({ metric: 'pass_rate_ci_low' })).toBe(run.score.pass_rate.ci?.low);
    expect(actual({ metric: 'pass_at_k' })).toBeCloseTo(0.5, 12);
    expect(actual({ metric: 'pass_at_k', k: 3 })).toBe(0.75);
    expect(actual({ metric: 'pass_hat_k', k: 2 })).toBeCloseTo(1 / 3, 12);
    expect(actual({ metric: 'min_datapoint_pass_rate' })).toBe(0);
    expect(actual({ metric: 'never_passed' })).toBe(1);
    expect(actual({ metric: 'flaky_datapoints', scorer: 'only' })).toBe(2);
    expect(actual({ metric: 'failed_samples' })).toBe(3);
    expect(actual({ metric: 'failed_rate' })).toBe(0.2);
    expect(actual({ metric: 'latency_p50' })).toBe(100);
    expect(actual({ metric: 'latency_p95' })).toBe(100);
  });

  it('shows the value and whether it holds', () => {
    const gate = unjudged({ metric: 'pass_at_k', k: 3, op: '>=', value: 0.8 });
    expect(judgeGate(gate, run, NO_COMPARISONS)).toEqual({ ...gate, actual: 0.75, passed: false });
  });

  it('allows for rounding', () => {
    const holds = (op: (typeof GATE_OPS)[number], value: number) =>
      judgeGate(unjudged({ metric: 'pass_rate', op, value }), run, NO_COMPARISONS).passed;
    const half = [0.5, 0.5 + 1e-13, 0.5 - 1e-13];
    expect(half.map((value) => [holds('>=', value), holds('<=', value)])).toEqual(half.map(() => [true, true]));
    expect(half.map((value) => [holds('>', value), holds('<', value)])).toEqual(half.map(() => [false, false]));
    expect([holds('>', 0.49), holds('<', 0.51), holds('>=', 0.51), holds('<=', 0.49)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('does not hold without a value', async () => {
    const nothing = await statisticsOf([[null]], [1, 2]);
    for (const metric of GATE_METRICS.filter((metric) => !metric.startsWith('failed'))) {
      const gate = unjudged({ metric, op: '<=', value: 1000, baseline_run_id: 'before' });
      const judged = judgeGate(gate, nothing, NO_COMPARISONS);
      expect(judged).toMatchObject({ metric, actual: null, passed: false });
    }
    const unknown = unjudged({ metric: 'mean', scorer: 'toString', op: '>=', value: 0 });
    expect(judgeGate(unknown, run, NO_COMPARISONS)).toMatchObject({ actual: null, passed: false });
    expect(judgeGate(unjudged({ metric: 'total_cost', op: '<=', value: 1 }), run, NO_COMPARISONS).passed).toBe(false);
    const none = await statisticsOf([]);
    expect(judgeGate(unjudged({ metric: 'failed_rate', op: '<=', value: 1 }), none, NO_COMPARISONS).passed).toBe(false);
  });

  it('compares with a baseline', async () => {
    const comparisons = await comparedWith(single([0.5, 0.6, 0.8]), single([0.6, 0.6, 0.7]));
    const judge = (gate: Gate) => judgeGate(unjudged({ baseline_run_id: 'before', ...gate }), run, comparisons);
    expect(judge({ metric: 'diff', op: '>=', value: 0 })).toMatchObject({ actual: 0, passed: true });
    expect(judge({ metric: 'worse', op: '<=', value: 0 })).toMatchObject({ actual: 1, passed: false });
    expect(judge({ metric: 'worse', scorer: 'only', op: '<=', value: 1 })).toMatchObject({ actual: 1, passed: true });
    expect(judge({ metric: 'diff_ci_low', op: '>=', value: -0.5 }).passed).toBe(true);
    expect(judge({ metric: 'worse', scorer: 'other', op: '<=', value: 9 })).toMatchObject({ actual: null });
  });

  it('finds regressions', async () => {
    const twenty = single(Array.from({ length: 20 }, () => 1));
    const lost = (count: number) => twenty.map(([score], i) => [i < count ? 0 : score!]);
    const regression = unjudged({ metric: 'regression', baseline_run_id: 'before' });
    const judge = async (after: number[][], before: number[][]) =>
      judgeGate(regression, run, await comparedWith(after, before));
    expect(await judge(lost(6), twenty)).toEqual({ ...regression, actual: 'worse', passed: false });
    expect(await judge(lost(5), twenty)).toMatchObject({ actual: 'no_difference', passed: true });
    expect(await judge(twenty, lost(6))).toMatchObject({ actual: 'better', passed: true });
    // One pair cannot show a difference; no pair at all is no comparison.
    expect(await judge([[0.2]], [[0.4]])).toMatchObject({ actual: 'unknown', passed: true });
    expect(await judge([], twenty)).toMatchObject({ actual: null, passed: false });
  });

  it('does not hold beside a run that was scored differently, unless that is allowed', async () => {
    const twenty = single(Array.from({ length: 20 }, () => 1));
    const [comparison] = (
      await comparedWith(twenty, single(Array.from({ length: 20 }, (_, i) => (i < 6 ? 0 : 1))))
    ).values();
    const differences = [{ what: 'scorers.only.scoring', run: 'A', baseline: 'B' }];
    const comparable = { score: false, scorers: { only: false }, differences };
    const other = new Map([['before', { ...comparison!, comparable }]]);
    const reason = 'scored differently: scorers.only.scoring "A" instead of "B"';
    for (const metric of ['diff', 'diff_ci_low', 'worse', 'regression'] as const) {
      const gate = { metric, op: '<=', value: 1, baseline_run_id: 'before' } as const;
      expect(judgeGate(unjudged(gate), run, other)).toMatchObject({ metric, passed: false, reason });
      const allowed = judgeGate(unjudged({ ...gate, allow_different_scoring: true }), run, other);
      expect(allowed).toMatchObject({ metric, passed: true, allow_different_scoring: true });
      expect(allowed).not.toHaveProperty('reason');
    }
  });

  it('counts new failures', async () => {
    const failing = single(Array.from({ length: 20 }, () => 1)).map((scores, i) => (i < 6 ? [null] : scores));
    const compared = await comparedWith(failing as number[][], single(Array.from({ length: 20 }, () => 1)));
    const judge = (gate: Gate) => judgeGate(unjudged({ baseline_run_id: 'before', ...gate }), run, compared);
    expect(judge({ metric: 'new_failures', op: '<=', value: 0.3 })).toMatchObject({ actual: 0.3, passed: true });
    expect(judge({ metric: 'new_failures', op: '<=', value: 0.01, scorer: 'only' })).toMatchObject({
      ...{ actual: 0.3, passed: false, scorer: null, baseline_run_id: 'before' },
    });
    expect(judge({ metric: 'regression' })).toMatchObject({ actual: 'no_difference', passed: true });
    expect(judge({ metric: 'regression', max_new_failures: 0.5 })).toMatchObject({
      ...{ actual: 'worse', passed: false, max_new_failures: 0.5 },
      reason: '6 of 20 samples failed, 0 in the baseline (p 0.031)',
    });
  });

  it('asks for the numbers of tries that it needs', () => {
    const gates: Gate[] = [{ metric: 'pass_at_k' }, { metric: 'pass_hat_k', k: 5 }, { metric: 'pass_at_k', k: 5 }];
    expect(listKs([...gates, { metric: 'mean' } as const].map(unjudged))).toEqual([1, 5]);
  });
});

describe('a gate beside its run', () => {
  const RUN = { repeats: 3, scorers: ['tone', 'exact'] };
  const compared = { op: '>=', value: 0.9 } as const;
  const members = (gate: Gate) => gateFaults(gate, RUN).map(({ member }) => member);

  it('names a scorer and a number of tries that the run has', () => {
    for (const metric of GATE_METRICS) expect(members({ metric, ...compared, baseline_run_id: 'before' })).toEqual([]);
    expect(members({ metric: 'pass_hat_k', k: 3, scorer: 'tone', ...compared })).toEqual([]);
    expect(members({ metric: 'mean', scorer: 'short', ...compared })).toEqual(['scorer']);
    expect(members({ metric: 'pass_at_k', scorer: 'short', k: 4, ...compared })).toEqual(['scorer', 'k']);
    expect(gateFaults({ metric: 'pass_at_k', k: 4, ...compared }, RUN)[0]?.message).toBe(
      'must be at most 3, the repeats of the run',
    );
  });

  it('is shown without what does not go with its metric', () => {
    const whole = { scorer: 'tone', k: 2, ...compared, baseline_run_id: 'before' };
    const none = { scorer: null, k: null, baseline_run_id: null, actual: null, passed: null };
    const shown = (metric: Gate['metric']) => unjudged({ metric, ...whole });
    expect(shown('mean')).toEqual({ metric: 'mean', ...none, ...compared, scorer: 'tone' });
    expect(shown('pass_at_k')).toEqual({ metric: 'pass_at_k', ...none, ...compared, scorer: 'tone', k: 2 });
    expect(unjudged({ metric: 'pass_at_k', ...compared }).k).toBe(1);
    expect(shown('latency_p95')).toEqual({ metric: 'latency_p95', ...none, ...compared });
    expect(members({ metric: 'total_cost', ...whole, scorer: 'short' })).toEqual([]);
    expect(shown('regression')).toEqual({
      ...{ metric: 'regression', ...none, op: null, value: null },
      ...{ scorer: 'tone', baseline_run_id: 'before' },
    });
  });
});
