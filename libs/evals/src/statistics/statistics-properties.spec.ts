import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareWithBaseline } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { runStatistics } from './run-statistics.js';
import { runOf } from './testing/run-of.js';

const distributions = await loadDistributions();

/** Scores as scorers give them: mostly right or wrong, some in between, some failed. */
const score = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 1) },
  { weight: 3, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  { weight: 1, arbitrary: fc.constant(null) },
);
const datapoint = fc.record({
  scores: fc.array(score, { maxLength: 6 }),
  baseline: fc.array(score, { maxLength: 6 }),
  cluster: fc.constantFrom('a', 'b', 'c', 'd', undefined),
  place: fc.integer(),
});
const datapoints = fc.array(datapoint, { maxLength: 40 });
type Datapoint = typeof datapoints extends fc.Arbitrary<(infer D)[]> ? D : never;

const runs = (all: readonly Datapoint[], clustered: boolean, ids = all.map((_, i) => String(i))) => {
  const shape = { ids, ...(clustered && { clusters: all.map(({ cluster }) => cluster) }) };
  return [
    runOf(
      all.map(({ scores }) => scores),
      shape,
    ),
    runOf(
      all.map(({ baseline }) => baseline),
      shape,
    ),
  ] as const;
};

const compare = ([run, baseline]: ReturnType<typeof runs>) =>
  compareWithBaseline(run, baseline, { baselineRunId: 'b', alpha: 0.05, changed: new Set(), distributions });

/** Matches values that differ by rounding alone. */
const near = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : expect.closeTo(value, 11);
  if (Array.isArray(value)) return value.map(near);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, near(member)]));
};

describe('whatever the scores', () => {
  it('the order of datapoints does not matter', async () => {
    await fc.assert(
      fc.asyncProperty(datapoints, fc.boolean(), async (all, clustered) => {
        const ids = all.map((_, i) => String(i));
        const order = all.map((_, i) => i).toSorted((a, b) => all[a]!.place - all[b]!.place);
        const before = runs(all, clustered, ids);
        const after = runs(
          order.map((i) => all[i]!),
          clustered,
          order.map((i) => ids[i]!),
        );
        const statistics = (run: (typeof before)[0]) => runStatistics(run, [1, 2, 3, 6], distributions);
        expect(await statistics(after[0])).toEqual(near(await statistics(before[0])));
        expect(await compare(after)).toEqual(near(await compare(before)));
      }),
    );
  });

  it('repeats that are all alike have mean and error of one', async () => {
    const once = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(once, fc.integer({ min: 2, max: 9 }), async (scores, repeats) => {
        const repeated = scores.map((score) => Array.from({ length: repeats }, () => score));
        const one = await runStatistics(runOf(scores.map((score) => [score])), [1], distributions);
        const many = await runStatistics(runOf(repeated), [1], distributions);
        expect(many.score).toMatchObject({ mean: one.score.mean, se: one.score.se, within_sd: 0 });
        expect(many.score.pass_rate).toMatchObject({ mean: one.score.pass_rate.mean, se: one.score.pass_rate.se });
      }),
    );
  });

  it('one try is the pass rate, more tries pass more and pass all less', async () => {
    await fc.assert(
      fc.asyncProperty(datapoints, fc.integer({ min: 1, max: 6 }), async (all, repeats) => {
        // All datapoints have all repeats, none of which failed, so that every k is about the same ones.
        const scores = all.map(({ place }) => Array.from({ length: repeats }, (_, j) => (place >> j) & 1));
        const ks = Array.from({ length: repeats }, (_, i) => i + 1);
        const { pass_rate: rate, pass_k: tries } = (await runStatistics(runOf(scores), ks, distributions)).score;
        if (rate.mean === null) return;
        expect(tries[0]).toMatchObject({
          pass_at_k: expect.closeTo(rate.mean, 12),
          pass_hat_k: expect.closeTo(rate.mean, 12),
        });
        if (rate.se !== null) expect(tries[0]?.pass_at_k_se).toBeCloseTo(rate.se, 12);
        for (const [i, { pass_at_k: at, pass_hat_k: hat }] of tries.slice(1).entries()) {
          expect(at).toBeGreaterThanOrEqual(tries[i]!.pass_at_k! - 1e-12);
          expect(hat).toBeLessThanOrEqual(tries[i]!.pass_hat_k! + 1e-12);
        }
      }),
    );
  });

  it('swapping the runs negates the difference and keeps p', async () => {
    await fc.assert(
      fc.asyncProperty(datapoints, fc.boolean(), async (all, clustered) => {
        const [run, baseline] = runs(all, clustered);
        const { score: there } = await compare([run, baseline]);
        const { score: back } = await compare([baseline, run]);
        const { diff, ci, better, worse, verdict, ...same } = there;
        const opposite = { better: 'worse', worse: 'better', no_difference: 'no_difference', unknown: 'unknown' };
        expect(back).toEqual({
          ...(near(same) as object),
          diff: diff === null ? null : expect.closeTo(-diff, 12),
          ci: ci && { ...ci, low: expect.closeTo(-ci.high, 11), high: expect.closeTo(-ci.low, 11) },
          better: worse,
          worse: better,
          verdict: opposite[verdict],
        });
      }),
    );
  });

  it('intervals hold their mean and stay on the scale', async () => {
    await fc.assert(
      fc.asyncProperty(datapoints, fc.boolean(), async (all, clustered) => {
        const { score } = await runStatistics(runs(all, clustered)[0], [], distributions);
        for (const { mean, ci } of [score, score.pass_rate]) {
          if (ci === null || mean === null) continue;
          expect(ci.low).toBeGreaterThanOrEqual(0);
          expect(ci.low).toBeLessThanOrEqual(mean + 1e-12);
          expect(ci.high).toBeGreaterThanOrEqual(mean - 1e-12);
          expect(ci.high).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
