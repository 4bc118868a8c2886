import { describe, expect, it } from '@jest/globals';
import { loadDistributions } from './distributions.js';
import type { PassRule } from '../pass-rule.js';
import { clusterKey, Clusters, RunSamples, type SampleMeasures } from './run-samples.js';
import { runStatistics } from './run-statistics.js';

describe('clusters', () => {
  it('are numbered in the order in which they appear', () => {
    const clusters = new Clusters(5);
    for (const key of ['a', 'b', undefined, 'a', undefined]) clusters.add(key);
    expect(clusters.numbers).toEqual(Int32Array.from([0, 1, 2, 0, 3]));
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
    capacity: datapoints.length,
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
    expect(latency_ms).toEqual({ count: 2, mean: 100, p50: 100, p95: expect.closeTo(118, 10), max: 120 });
    expect(cost).toEqual({
      ...{ count: 2, mean: 0.375, p50: 0.375, p95: expect.closeTo(0.4875, 12), max: 0.5 },
      total: 0.75,
    });
    const none = await runStatistics(runWith('excluded', [[sample({ score: 1 })]]), [1], distributions);
    expect(none.cost).toEqual({ count: 0, mean: null, p50: null, p95: null, max: null, total: null });
  });

  it('are never more than the run has', () => {
    const run = runWith('excluded', datapoints);
    expect(() => run.add({ id: 'more', samples: [] })).toThrow(RangeError);
  });
});
