import { beforeAll, describe, expect, it } from '@jest/globals';
import { compareWithBaseline, type RunComparison } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { gateFaults, GATE_OPS, judgeGate, ksOfGates, type Gate } from './gates.js';
import { GATE_METRICS, kindOfMetric } from './gate-metrics.js';
import { runStatistics, type RunStatistics } from './run-statistics.js';
import { digits, runOf, single } from './testing/run-of.js';

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
    judgeGate({ op: '>=', value: 0, ...gate }, run, NO_COMPARISONS).actual;

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
    const gate: Gate = { metric: 'pass_at_k', k: 3, op: '>=', value: 0.8 };
    expect(judgeGate(gate, run, NO_COMPARISONS)).toEqual({ ...gate, actual: 0.75, passed: false });
  });

  it('allows for rounding', () => {
    const holds = (op: (typeof GATE_OPS)[number], value: number) =>
      judgeGate({ metric: 'pass_rate', op, value }, run, NO_COMPARISONS).passed;
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
      const judged = judgeGate({ metric, op: '<=', value: 1000, baseline_run_id: 'before' }, nothing, NO_COMPARISONS);
      expect(judged).toMatchObject({ metric, actual: null, passed: false });
    }
    const unknown = { metric: 'mean', scorer: 'toString', op: '>=', value: 0 } as const;
    expect(judgeGate(unknown, run, NO_COMPARISONS)).toMatchObject({ actual: null, passed: false });
    expect(judgeGate({ metric: 'total_cost', op: '<=', value: 1 }, run, NO_COMPARISONS).passed).toBe(false);
    const none = await statisticsOf([]);
    expect(judgeGate({ metric: 'failed_rate', op: '<=', value: 1 }, none, NO_COMPARISONS).passed).toBe(false);
  });

  it('compares with a baseline', async () => {
    const comparisons = await comparedWith(single([0.5, 0.6, 0.8]), single([0.6, 0.6, 0.7]));
    const judge = (gate: Gate) => judgeGate({ baseline_run_id: 'before', ...gate }, run, comparisons);
    expect(judge({ metric: 'diff', op: '>=', value: 0 })).toMatchObject({ actual: 0, passed: true });
    expect(judge({ metric: 'worse', op: '<=', value: 0 })).toMatchObject({ actual: 1, passed: false });
    expect(judge({ metric: 'worse', scorer: 'only', op: '<=', value: 1 })).toMatchObject({ actual: 1, passed: true });
    expect(judge({ metric: 'diff_ci_low', op: '>=', value: -0.5 }).passed).toBe(true);
    expect(judge({ metric: 'worse', scorer: 'other', op: '<=', value: 9 })).toMatchObject({ actual: null });
  });

  it('finds regressions', async () => {
    const twenty = single(Array.from({ length: 20 }, () => 1));
    const lost = (count: number) => twenty.map(([score], i) => [i < count ? 0 : score!]);
    const regression: Gate = { metric: 'regression', baseline_run_id: 'before' };
    const judge = async (after: number[][], before: number[][]) =>
      judgeGate(regression, run, await comparedWith(after, before));
    expect(await judge(lost(6), twenty)).toEqual({ ...regression, actual: expect.closeTo(-0.3, 12), passed: false });
    expect(await judge(lost(5), twenty)).toMatchObject({ actual: -0.25, passed: true });
    expect(await judge(twenty, lost(6))).toMatchObject({ passed: true });
    // One pair cannot show a difference; no pair at all is no comparison.
    expect(await judge([[0.2]], [[0.4]])).toMatchObject({ passed: true });
    expect(await judge([], twenty)).toMatchObject({ actual: null, passed: false });
  });

  it('asks for the numbers of tries that it needs', () => {
    const gates: Gate[] = [{ metric: 'pass_at_k' }, { metric: 'pass_hat_k', k: 5 }, { metric: 'pass_at_k', k: 5 }];
    expect(ksOfGates([...gates, { metric: 'mean' }])).toEqual([1, 5]);
  });
});

describe('faults of a gate', () => {
  const RUN = { repeats: 3, scorers: ['tone', 'exact'] };
  const members = (gate: Parameters<typeof gateFaults>[0]) => gateFaults(gate, RUN).map(({ member }) => member);
  const compared = { op: '>=', value: 0.9 } as const;

  it('are none where all is there', () => {
    for (const metric of GATE_METRICS) {
      const baseline = kindOfMetric(metric) === 'comparison' ? { baseline_run_id: 'before' } : {};
      expect(members({ metric, ...baseline, ...(metric !== 'regression' && compared) })).toEqual([]);
    }
    expect(members({ metric: 'pass_hat_k', k: 3, scorer: 'tone', ...compared })).toEqual([]);
  });

  it('are at the member that is wrong', () => {
    expect(members({ metric: 'toString', ...compared })).toEqual(['metric']);
    expect(members({ metric: 'mean', scorer: 'short', ...compared })).toEqual(['scorer']);
    expect(members({ metric: 'latency_p50', scorer: 'tone', ...compared })).toEqual(['scorer']);
    expect(members({ metric: 'pass_at_k', k: 4, ...compared })).toEqual(['k']);
    expect(members({ metric: 'mean', k: 1, ...compared })).toEqual(['k']);
    expect(members({ metric: 'diff', ...compared })).toEqual(['baseline_run_id']);
    expect(members({ metric: 'mean', baseline_run_id: 'before', ...compared })).toEqual(['baseline_run_id']);
    expect(members({ metric: 'mean' })).toEqual(['op', 'value']);
    expect(members({ metric: 'regression', baseline_run_id: 'before', ...compared })).toEqual(['op', 'value']);
    expect(gateFaults({ metric: 'pass_at_k', k: 4, ...compared }, RUN)[0]?.message).toBe(
      'must be 3 at most, the repeats of the run',
    );
  });
});
