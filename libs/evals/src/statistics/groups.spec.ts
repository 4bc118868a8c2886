import { describe, expect, it } from '@jest/globals';
import { unjudged, judgeGate, listDivisions } from './gates.js';
import fc from 'fast-check';
import type { Gate } from '@spandrel/contract';
import { random } from '../../../../test/support/random.js';
import { compareWithBaseline } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { correctByHolm, correctComparisons, groupResource, type MeasuredGroup } from './groups.js';
import type { RunSamples } from './run-samples.js';
import { runStatistics } from './run-statistics.js';
import { runOf } from '../../../../test/evals/support/run-of.js';

const distributions = await loadDistributions();
const MILLION = 1_000_000;
const CATEGORIES = ['billing', 'legal', 'login', 'refunds', 'shipping', 'stock'];

/** What a run and its baseline come to by category: datapoint i is of category i modulo their number. */
async function measure(run: RunSamples, baseline: RunSamples): Promise<MeasuredGroup[]> {
  const against = { baselineRunId: 'before', alpha: 0.05, changed: new Set<string>(), distributions };
  const measured: MeasuredGroup[] = [];
  for (const { values, samples } of run.groups!.list()) {
    measured.push({
      group: { category: JSON.parse(values[0] ?? 'null') },
      statistics: await runStatistics(samples, [1], distributions),
      comparisons: new Map([['before', await compareWithBaseline(samples, baseline, against)]]),
      corrected: new Map(),
    });
  }
  correctComparisons(measured, 'before');
  return measured;
}

const grouped = (
  scores: readonly (readonly (number | null)[])[],
  categories: readonly (string | null)[] = CATEGORIES,
) => runOf(scores, { groups: scores.map((_, i) => categories[i % categories.length]!) });

const regressionBy = unjudged({ metric: 'regression', by: 'category', baseline_run_id: 'before' });

describe("Holm's correction", () => {
  it.each([
    [
      [0.01, 0.04, 0.03, 0.005],
      [0.03, 0.06, 0.06, 0.02],
    ],
    [
      [0.5, null, 0.6],
      [1, null, 1],
    ],
    [[0.02], [0.02]],
    [[], []],
  ])('of %j is %j', (values, corrected) => {
    expect(correctByHolm(values)).toEqual(corrected.map((p) => (p === null ? null : expect.closeTo(p, 12))));
  });

  it('rejects what the step-down procedure rejects, at every alpha', () =>
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (values, alpha) => {
          // The procedure itself: the smallest against alpha / m, the next against alpha / (m - 1) …, until one is not below.
          const order = values.map((_, at) => at).sort((a, b) => values[a]! - values[b]!);
          const stop = order.findIndex((at, rank) => values[at]! >= alpha / (values.length - rank));
          const rejected = new Set(order.slice(0, stop === -1 ? values.length : stop));
          const corrected = correctByHolm(values);
          for (const [at, p] of corrected.entries()) {
            if (Math.abs(p! - alpha) > 1e-9) expect([values, at, p! < alpha]).toEqual([values, at, rejected.has(at)]);
          }
        },
      ),
    ));
});

describe('a run by category', () => {
  it('has the numbers of each group, as if it were a run by itself', async () => {
    const next = random(7);
    const scores = Array.from({ length: 60 }, () => [next(MILLION) / MILLION, next(MILLION) / MILLION]);
    const before = scores.map(([a, b]) => [a! * 0.9, b! * 0.8]);
    const measured = await measure(grouped(scores), runOf(before));
    expect(measured.map(({ group }) => group['category'])).toEqual(CATEGORIES);
    for (const [at, group] of measured.entries()) {
      const own = (all: number[][]) =>
        runOf(
          all.filter((_, i) => i % 6 === at),
          { ids: scores.flatMap((_, i) => (i % 6 === at ? String(i) : [])) },
        );
      const alone = await runStatistics(own(scores), [1], distributions);
      expect(group.statistics).toEqual(alone);
      const { score } = await compareWithBaseline(own(scores), own(before), {
        ...{ baselineRunId: 'before', alpha: 0.05, changed: new Set<string>(), distributions },
      });
      const { p_holm: holm, verdict: _verdict, ...corrected } = group.corrected.get('before')!.score;
      const { verdict: _own, ...plain } = score;
      expect(corrected).toEqual(plain);
      expect(holm).toBeGreaterThanOrEqual(score.p_value!);
      expect(groupResource(group, 'before')).toMatchObject({
        ...{ n: 10, mean: alone.score.mean, ci: alone.score.ci, pass_rate: alone.score.pass_rate },
        ...{
          group: { category: CATEGORIES[at] },
          comparison: { diff: score.diff, p_value: score.p_value, p_holm: holm },
        },
      });
    }
  });

  it('puts what lacks the member last, and sorts numbers as such', () => {
    const run = runOf([[1], [1], [1], [1]], { groups: [10, null, 9, 'b'] });
    expect(run.groups!.list().map(({ values }) => values[0])).toEqual(['"b"', '9', '10', undefined]);
    expect(run.groups!.missingKeys).toEqual([]);
    expect(runOf([[1]], { groups: [null] }).groups!.missingKeys).toEqual(['category']);
  });

  it('has 200 groups at most, of values that are not too long', () => {
    const many = (count: number) =>
      runOf(
        Array.from({ length: count }, () => [1]),
        { groups: Array.from({ length: count }, (_, i) => i) },
      );
    expect([many(200).groups!.fault, many(200).groups!.list().length]).toEqual([null, 200]);
    expect([many(201).groups!.fault, many(201).groups!.list().length]).toEqual([
      'there are more than 200 groups by category',
      0,
    ]);
    expect(runOf([[1]], { groups: ['x'.repeat(300)] }).groups!.fault).toMatch(/longer than 256 characters/);
  });

  it('shows a category that became worse where the whole became better', async () => {
    // 50 of each: legal loses 12 of 50 (-0.24), every other gains 5.
    const after = Array.from({ length: 300 }, (_, i) => [i % 6 === 1 && i < 72 ? 0 : 1]);
    const before = Array.from({ length: 300 }, (_, i) => [i % 6 !== 1 && i < 30 ? 0 : 1]);
    const run = grouped(after);
    const whole = await compareWithBaseline(run, runOf(before), {
      ...{ baselineRunId: 'before', alpha: 0.05, changed: new Set<string>(), distributions },
    });
    expect(whole.score.diff).toBeGreaterThan(0);
    const measured = await measure(run, runOf(before));
    const legal = measured[1]!.corrected.get('before')!.score;
    expect(legal).toMatchObject({ diff: expect.closeTo(-0.24, 12), verdict: 'worse', test: 'mcnemar_exact' });
    // 2 · ½¹², and six groups were tested: it has the smallest p value.
    expect([legal.p_value, legal.p_holm]).toEqual([
      expect.closeTo(2 * 0.5 ** 12, 15),
      expect.closeTo(12 * 0.5 ** 12, 15),
    ]);
    const statistics = await runStatistics(run, [1], distributions);
    const judge = (gate: Gate) => judgeGate(unjudged(gate), statistics, new Map([['before', whole]]), measured);
    expect(judgeGate(regressionBy, statistics, new Map(), measured)).toEqual({
      ...{ ...regressionBy, actual: 'worse', failing: [{ value: 'legal', actual: 'worse' }], passed: false },
    });
    expect(judge({ metric: 'regression', baseline_run_id: 'before' })).toMatchObject({ passed: true });
    const least = { metric: 'pass_rate', op: '>=', value: 0.8 } as const;
    expect(judge({ ...least, by: 'category' })).toMatchObject({
      ...{ actual: 0.76, passed: false, failing: [{ value: 'legal', actual: 0.76 }] },
    });
    expect(judge({ ...least, group: { key: 'category', value: 'legal' } })).toMatchObject({
      actual: 0.76,
      passed: false,
    });
    expect(judge({ ...least, group: { key: 'category', value: 'stock' } })).toMatchObject({ actual: 1, passed: true });
    expect(judge({ ...least, group: { key: 'category', value: 'gone' } })).toMatchObject({
      actual: null,
      passed: false,
    });
    const legalAlone = {
      metric: 'regression',
      baseline_run_id: 'before',
      group: { key: 'category', value: 'legal' },
    } as const;
    expect(judge(legalAlone)).toMatchObject({ actual: 'worse', passed: false });
  });

  it('calls one of six groups of equal runs worse about as often as alpha says, after the correction', async () => {
    const next = random(31);
    const chances = Array.from({ length: 120 }, () => 0.2 + (0.6 * next(MILLION)) / MILLION);
    const simulated = () => chances.map((chance) => [0, 0].map(() => (next(MILLION) / MILLION < chance ? 1 : 0)));
    const PAIRS = 200;
    let [raw, corrected, gates] = [0, 0, 0];
    for (let pair = 0; pair < PAIRS; pair++) {
      const run = grouped(simulated());
      const measured = await measure(run, runOf(simulated()));
      const scores = measured.map((each) => each.corrected.get('before')!.score);
      if (scores.some(({ p_value: p }) => p! < 0.05)) raw++;
      if (scores.some(({ verdict }) => verdict === 'better' || verdict === 'worse')) corrected++;
      const judged = judgeGate(regressionBy, await runStatistics(run, [1], distributions), new Map(), measured);
      if (!judged.passed) gates++;
    }
    // Six tests alone are wrong in 1 − 0.95⁶ = 26% of the pairs. With alpha 0.05, 20 of 200 are more than 3 standard deviations off.
    expect(raw / PAIRS).toBeGreaterThan(0.15);
    expect(corrected / PAIRS).toBeLessThan(0.1);
    expect(corrected).toBeGreaterThan(0);
    expect(gates).toBeLessThanOrEqual(corrected);
  });
});

describe('a gate for each group', () => {
  it('holds where no group has a pair, for none; and leaves groups without pairs out', async () => {
    const run = grouped([[1], [1], [1], [1]], ['old', 'new']);
    const statistics = await runStatistics(run, [1], distributions);
    const judge = async (baseline: RunSamples) =>
      judgeGate(regressionBy, statistics, new Map(), await measure(run, baseline));
    expect(await judge(runOf([[1], [1]], { ids: ['0', '2'] }))).toMatchObject({
      actual: 'no_difference',
      passed: true,
      failing: [],
    });
    expect(await judge(runOf([[1]], { ids: ['other'] }))).toMatchObject({ actual: null, passed: false });
  });

  it('does not hold where a group has no value', async () => {
    const run = grouped([[1], [null], [1], [null]], ['fine', 'failed']);
    const measured = await measure(run, run);
    const gate = unjudged({ metric: 'mean', op: '>=', value: 0.5, by: 'category' });
    expect(judgeGate(gate, await runStatistics(run, [1], distributions), new Map(), measured)).toMatchObject({
      ...{ actual: 1, passed: false, failing: [{ value: 'failed', actual: null }] },
    });
    const failed = unjudged({ metric: 'failed_rate', op: '<=', value: 0.5, by: 'category' });
    expect(judgeGate(failed, await runStatistics(run, [1], distributions), new Map(), measured)).toMatchObject({
      ...{ actual: 1, passed: false, failing: [{ value: 'failed', actual: 1 }] },
    });
  });

  it('asks for the run to be divided as few times as it can', () => {
    const gates: Gate[] = [
      { metric: 'mean', op: '>', value: 0 },
      { metric: 'mean', op: '>', value: 0, by: 'category' },
      { metric: 'mean', op: '>', value: 0, group: { key: 'category', value: 'a' } },
      { metric: 'mean_ci_low', op: '>', value: 0, by: 'lang', cluster_by: 'doc' },
      // A mean is the same however it is clustered.
      { metric: 'mean', op: '>', value: 0, cluster_by: 'doc' },
    ];
    expect(listDivisions(gates.map(unjudged))).toEqual([
      { clusterBy: null, key: 'category' },
      { clusterBy: 'doc', key: 'lang' },
    ]);
    expect(listDivisions([])).toEqual([{ clusterBy: null, key: undefined }]);
  });
});
