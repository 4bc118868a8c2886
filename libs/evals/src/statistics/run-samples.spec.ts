import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadDistributions } from './distributions.js';
import type { PassRule } from '../eval-item.js';
import { clusterKey, Clusters, RunSamples, type SampleMeasures, OrderStatistics } from './run-samples.js';
import { runStatistics } from './run-statistics.js';
import { random } from '../../../../test/support/random.js';

describe('clusters', () => {
  it('are numbered in the order in which they appear', () => {
    const clusters = new Clusters();
    for (const key of ['a', 'b', undefined, 'a', undefined]) clusters.add(key);
    expect(clusters.numbers).toEqual([0, 1, 2, 0, 3]);
    expect(clusters.total).toBe(4);
  });

  it('have keys by value', () => {
    expect(clusterKey({ doc: 1 }, 'doc')).not.toBe(clusterKey({ doc: '1' }, 'doc'));
    expect(clusterKey({ doc: { a: 1, b: [2, { c: 3, d: 4 }] } }, 'doc')).toBe(
      clusterKey({ doc: { b: [2, { d: 4, c: 3 }], a: 1 } }, 'doc'),
    );
    expect(clusterKey({ doc: false }, 'doc')).toBe('false');
  });

  it('have no key without the member', () => {
    for (const metadata of [null, undefined, 'doc', {}, { doc: null }, { other: 1 }]) {
      expect(clusterKey(metadata, 'doc')).toBeUndefined();
    }
    expect(clusterKey({}, 'toString')).toBeUndefined();
  });
});

const distributions = await loadDistributions();

const sample = (measures: Partial<SampleMeasures>): SampleMeasures => ({
  ...{ failed: false, score: null, scores: [], latencyMs: null, cost: null },
  ...measures,
});

const MEAN: PassRule = [{ at: null, passScore: 1 }];
const ALL: PassRule = [
  { at: 0, passScore: 1 },
  { at: 1, passScore: 0.5 },
];

const runWith = (failedAs: 'excluded' | 'zero', datapoints: SampleMeasures[][], passRule = MEAN): RunSamples => {
  const run = new RunSamples({
    passRule,
    scorers: [
      { name: 'exact', passScore: 1 },
      { name: 'tone', passScore: 0.5 },
    ],
    failedAs,
    clustered: false,
  });
  for (const [i, samples] of datapoints.entries()) run.add({ id: String(i), samples });
  return run;
};

describe('the samples of a run', () => {
  const datapoints = [
    [sample({ score: 0.8, scores: [1, 0.6], latencyMs: 120, cost: 0.25 })],
    // One scorer failed the sample; what the other one said is kept.
    [sample({ failed: true, scores: [1, null], latencyMs: 80, cost: 0.5 })],
    [sample({ failed: true })],
    [],
  ];

  it('have statistics for each scorer by its own pass score', async () => {
    const statistics = await runStatistics(runWith('excluded', datapoints), [1], distributions);
    expect(statistics).toMatchObject({ samples: 3, failed_samples: 2 });
    expect(statistics.score).toMatchObject({ datapoints: 1, mean: 0.8, pass_rate: { mean: 0 } });
    expect(statistics.scorers['exact']).toMatchObject({ datapoints: 2, mean: 1 });
    expect(statistics.scorers['tone']).toMatchObject({ datapoints: 1, mean: 0.6, pass_rate: { mean: 1 } });
  });

  it('count as 0 for each scorer that a failed sample has no score of', async () => {
    const { score, scorers } = await runStatistics(runWith('zero', datapoints), [1], distributions);
    expect(score).toMatchObject({ datapoints: 3, mean: expect.closeTo(0.8 / 3, 15) });
    expect(scorers['exact']).toMatchObject({ datapoints: 3, mean: expect.closeTo(2 / 3, 15) });
    expect(scorers['tone']).toMatchObject({ datapoints: 3, mean: expect.closeTo(0.2, 15) });
  });

  it('pass where each scorer that decides is content, or where the mean is', async () => {
    const tries = [
      [sample({ score: 0.8, scores: [1, 0.6] }), sample({ score: 0.7, scores: [1, 0.4] })],
      [sample({ score: 0.5, scores: [0, 1] }), sample({ score: 1, scores: [1, null] })],
      [sample({ failed: true, scores: [1, null] }), sample({ score: 1, scores: [1, 1] })],
    ];
    const passesBy = async (rule: PassRule, failedAs: 'excluded' | 'zero' = 'excluded') => {
      const { score } = await runStatistics(runWith(failedAs, tries, rule), [2], distributions);
      const { pass_rate: rate, flaky_datapoints: flaky, always_passed: always, never_passed: never } = score;
      return [rate.mean, flaky, always, never, score.pass_k[0]!.pass_at_k, score.pass_k[0]!.pass_hat_k];
    };
    // 1 of 2, 1 of 2, 1 of 1: what a scorer does not score it does not hold up either.
    expect(await passesBy(ALL)).toEqual([2 / 3, 2, 1, 0, 1, 0]);
    expect(await passesBy(ALL, 'zero')).toEqual([1 / 2, 3, 0, 0, 1, 0]);
    expect(await passesBy(MEAN)).toEqual([1 / 2, 1, 1, 1, 1 / 2, 0]);
    expect(await passesBy([{ at: null, passScore: 0.7 }])).toEqual([5 / 6, 1, 2, 0, 1, 1 / 2]);
  });

  it('are timed and priced, where they have a time and a price', async () => {
    const { latency_ms, cost } = await runStatistics(runWith('excluded', datapoints), [1], distributions);
    // For two datapoints 12.7062 is the quantile of Student's t for one degree of freedom, 20 the standard error.
    const ci = { low: 0, high: expect.closeTo(100 + 20 * 12.7062, 3), level: 0.95, method: 't' };
    expect(latency_ms).toEqual({ count: 2, mean: 100, ci, p50: 100, p95: expect.closeTo(118, 10), max: 120 });
    expect(cost).toEqual({
      ...{
        count: 2,
        mean: 0.375,
        ci: expect.objectContaining({ low: 0 }),
        p50: 0.375,
        p95: expect.closeTo(0.4875, 12),
        max: 0.5,
      },
      total: 0.75,
    });
    const none = await runStatistics(runWith('excluded', [[sample({ score: 1 })]]), [1], distributions);
    expect(none.cost).toEqual({ count: 0, mean: null, ci: null, p50: null, p95: null, max: null, total: null });
  });
});

const quantilesOf = (values: readonly number[], shares: readonly number[]) => {
  const statistics = new OrderStatistics();
  for (const value of values) statistics.add(value);
  return statistics.quantiles(shares);
};

/** The definition: linear between order statistics. */
function type7(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const h = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(h)]!, sorted[Math.ceil(h)]!];
  return low + (h - Math.floor(h)) * (high - low);
}

describe('quantiles', () => {
  it('latencies 120 80 95 300 110 105 2000', () => {
    expect(quantilesOf([120, 80, 95, 300, 110, 105, 2000], [0.5, 0.95, 0, 1])).toEqual([
      110,
      expect.closeTo(1490, 9),
      80,
      2000,
    ]);
  });

  it('are those of the sorted values', () => {
    const values = fc.array(fc.integer({ min: -5, max: 500 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
        expect(quantilesOf(all, [share])[0]).toBeCloseTo(type7(all, share), 9);
      }),
    );
  });

  it('are found across blocks, in whatever order values come', () => {
    const next = random(3);
    const mixed = Array.from({ length: 200_000 }, () => next(40_000));
    for (const values of [mixed, mixed.toSorted((a, b) => a - b), mixed.map(() => 7)]) {
      const statistics = quantilesOf(values, [0, 0.5, 0.95, 1]);
      expect(statistics).toEqual([0, 0.5, 0.95, 1].map((share) => expect.closeTo(type7(values, share), 6)));
    }
  });

  it('are none without values, and may be asked for again after more', () => {
    const statistics = new OrderStatistics();
    expect(statistics.quantiles([0.5, 0.95])).toEqual([null, null]);
    statistics.add(5);
    expect(statistics.quantiles([0.5])).toEqual([5]);
    statistics.add(1);
    expect(statistics.quantiles([0.5])).toEqual([3]);
  });
});
