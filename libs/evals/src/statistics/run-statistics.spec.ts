import { describe, expect, it } from '@jest/globals';
import type { ScoreComparison, Interval } from '@spandrel/contract';
import fc from 'fast-check';
import { random } from '../../../../test/support/random.js';
import { compareWithBaseline } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { scoreStatistics, defaultKs, passAtK, passHatK, passK, runStatistics } from './run-statistics.js';
import { digits, runOf, single, type RunShape } from '../../../../test/evals/support/run-of.js';

const distributions = await loadDistributions();

async function statisticsOf(
  datapoints: readonly (readonly (number | null)[])[],
  shape: RunShape = {},
  ks: readonly number[] = [],
) {
  const { score, clusters } = runOf(datapoints, shape);
  return scoreStatistics(score, clusters, ks, distributions);
}

const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

/** To the twelve digits of the specification's table. */
function expectInterval(ci: Interval | null, low: number, high: number, method: string): void {
  expect(ci).toEqual({
    low: expect.closeTo(low, 11),
    high: expect.closeTo(high, 11),
    level: 0.95,
    method,
  });
}

describe('statistics of a score', () => {
  it('7 of 10 right', async () => {
    const { mean, se, ci, pass_rate, samples, clusters } = await statisticsOf(single([1, 1, 1, 1, 1, 1, 1, 0, 0, 0]));
    expect({ mean, samples, clusters }).toEqual({ mean: 0.7, samples: 10, clusters: 10 });
    expect(se).toBeCloseTo(0.152752523165, 12);
    expectInterval(ci, 0.396778147461, 0.892208732594, 'wilson');
    expect(pass_rate).toEqual({ mean, se, ci });
  });

  it('10 of 10 right is not certain', async () => {
    const { se, ci } = await statisticsOf(single(ones(10)));
    expect(se).toBe(0);
    expectInterval(ci, 0.722467200137, 1, 'wilson');
    expect(ci?.high).toBe(1);
  });

  it('none of 10 right is its mirror image', async () => {
    const { ci } = await statisticsOf(single(ones(10).map(() => 0)));
    expectInterval(ci, 0, 1 - 0.722467200137, 'wilson');
    expect(ci?.low).toBe(0);
  });

  it('5 datapoints × 4 repeats, all right, are 5 and not 20', async () => {
    const { se, ci, samples, always_passed } = await statisticsOf(digits('1111 1111 1111 1111 1111'));
    expect({ se, samples, always_passed }).toEqual({ se: 0, samples: 20, always_passed: 5 });
    expectInterval(ci, 0.565517535217, 1, 'wilson');
  });

  it('0.2 0.4 0.6 0.8 1.0', async () => {
    const { mean, se, ci, min, max, pass_rate } = await statisticsOf(single([0.2, 0.4, 0.6, 0.8, 1]));
    expect(mean).toBeCloseTo(0.6, 15);
    expect(se).toBeCloseTo(0.141421356237, 12);
    expectInterval(ci, 0.207351367704, 0.992648632296, 't');
    expect({ min, max, rate: pass_rate.mean }).toEqual({ min: 0.2, max: 1, rate: 0.2 });
    expect(pass_rate.ci?.method).toBe('wilson');
  });

  it('repeats 3: 111, 101, 001, 000', async () => {
    const statistics = await statisticsOf(digits('111 101 001 000'), {}, [1, 2, 3]);
    const { mean, se, within_sd, pass_k, ci, ...counts } = statistics;
    expect(mean).toBeCloseTo(0.5, 15);
    expect(se).toBeCloseTo(0.215165741456, 12);
    expect(within_sd).toBeCloseTo(0.408248290464, 12);
    expect(ci?.method).toBe('t');
    expect(pass_k.map(({ pass_at_k: at, pass_hat_k: hat }) => [at, hat])).toEqual([
      [expect.closeTo(0.5, 12), expect.closeTo(0.5, 12)],
      [expect.closeTo(2 / 3, 12), expect.closeTo(1 / 3, 12)],
      [expect.closeTo(0.75, 12), expect.closeTo(0.25, 12)],
    ]);
    expect(pass_k.every(({ datapoints }) => datapoints === 4)).toBe(true);
    expect(pass_k[2]?.pass_at_k_se).toBeCloseTo(0.25, 12);
    expect(counts).toMatchObject({
      flaky_datapoints: 2,
      always_passed: 1,
      never_passed: 1,
      min_datapoint_pass_rate: 0,
    });
  });

  it('12 datapoints in clusters aaaa bbbb cccc: 1110 1100 0001', async () => {
    const scores = single(Array.from('111011000001', Number));
    const { mean, clusters, se, ci } = await statisticsOf(scores, { clusters: Array.from('aaaabbbbcccc') });
    expect({ mean, clusters }).toEqual({ mean: 0.5, clusters: 3 });
    expect(se).toBeCloseTo(0.144337567297, 12);
    expect(ci?.method).toBe('t');
  });

  it('100 repeats, 5 right', async () => {
    const { pass_k } = await statisticsOf([Array.from({ length: 100 }, (_, i) => (i < 5 ? 1 : 0))], {}, [10]);
    expect(pass_k[0]?.pass_at_k).toBeCloseTo(0.416247633074, 12);
  });
});

describe('at the edges, statistics of a score', () => {
  it('have no numbers without a score', async () => {
    for (const datapoints of [[], [[]], [[null, null]]]) {
      expect(await statisticsOf(datapoints, {}, [1])).toEqual({
        ...{ datapoints: 0, samples: 0, clusters: 0, mean: null, se: null, ci: null },
        ...{ within_sd: null, min: null, max: null, pass_rate: { mean: null, se: null, ci: null } },
        pass_k: [{ k: 1, datapoints: 0, pass_at_k: null, pass_at_k_se: null, pass_hat_k: null, pass_hat_k_se: null }],
        ...{ flaky_datapoints: 0, always_passed: 0, never_passed: 0, min_datapoint_pass_rate: null },
      });
    }
  });

  it('have no error with one datapoint, and an interval only where it is exact', async () => {
    const exact = await statisticsOf([[1]]);
    expect(exact).toMatchObject({ mean: 1, se: null });
    expectInterval(exact.ci, 0.20654931437723, 1, 'wilson');
    expect(await statisticsOf([[0.4]])).toMatchObject({ mean: 0.4, se: null, ci: null });
    expect(await statisticsOf([[1, 0]])).toMatchObject({ mean: 0.5, se: null, ci: null });
    expect(await statisticsOf([[1], [0]], { clusters: ['a', 'a'] })).toMatchObject({ clusters: 1, se: null, ci: null });
  });

  it('show a point where all are alike and not at an end of the scale', async () => {
    const { se, ci } = await statisticsOf(single([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]));
    expect(se).toBe(0);
    expectInterval(ci, 0.1, 0.1, 't');
  });

  it('cut intervals to the scale', async () => {
    const { ci } = await statisticsOf(single([0.9, 1, 1, 0.2]));
    expect(ci?.high).toBe(1);
  });

  it('take scores for equal that differ by rounding alone', async () => {
    const { se, pass_rate, always_passed } = await statisticsOf(single([1 - 1e-13, 1, 1]));
    expect({ se, always_passed, rate: pass_rate.mean }).toEqual({ se: 0, always_passed: 3, rate: 1 });
    const above = await statisticsOf(single([0.3, 0.1 + 0.2]), { passScore: 0.1 + 0.2 });
    expect(above.always_passed).toBe(2);
    expect((await statisticsOf(single([1 - 1e-11]))).always_passed).toBe(0);
  });

  it('count a datapoint once, however many of its samples have a score', async () => {
    const { mean, datapoints, samples } = await statisticsOf([[1, 1, 1, 1], [0, null, null, null], [null]]);
    expect({ mean, datapoints, samples }).toEqual({ mean: 0.5, datapoints: 2, samples: 5 });
  });

  it('count failed samples as 0 when asked to', async () => {
    const shape = { failedAs: 'zero' } as const;
    const { mean, samples, never_passed } = await statisticsOf(
      [
        [1, null],
        [null, null],
        [1, 1],
      ],
      shape,
    );
    expect({ mean, samples, never_passed }).toEqual({ mean: 0.5, samples: 6, never_passed: 1 });
  });

  it('take datapoints without the member for clusters of their own', async () => {
    const scores = single([1, 0, 1, 1]);
    const some = await statisticsOf(scores, { clusters: ['a', undefined, 'a', undefined] });
    expect(some.clusters).toBe(3);
    // Residuals of the mean 0.75: a 0.5, the others −0.75 and 0.25.
    expect(some.se).toBeCloseTo(Math.sqrt(1.5 * (0.25 + 0.5625 + 0.0625)) / 4, 14);
    const none = await statisticsOf(scores, { clusters: [undefined, undefined, undefined, undefined] });
    expect(none.se).toBeCloseTo((await statisticsOf(scores)).se!, 15);
    expect(none.ci?.method).toBe('t');
  });

  it('count clusters of datapoints that have a score', async () => {
    const { clusters } = await statisticsOf([[1], [null], [0]], { clusters: ['a', 'b', 'c'] });
    expect(clusters).toBe(2);
  });
});

const tries = fc
  .record({ n: fc.integer({ min: 1, max: 100 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ n, share }) => ({ n, c: Math.round(n * share) }));

describe('pass@k and pass^k', () => {
  it('have the chances of draws without replacement', () => {
    expect(passAtK(100, 5, 10)).toBeCloseTo(0.416247633074, 12);
    expect(passAtK(3, 2, 2)).toBe(1);
    expect(passHatK(3, 2, 2)).toBeCloseTo(1 / 3, 15);
    expect(passAtK(4, 0, 4)).toBe(0);
    expect(passHatK(4, 4, 4)).toBe(1);
    expect(passHatK(4, 3, 4)).toBe(0);
  });

  it('are the pass rate with one try', () => {
    fc.assert(
      fc.property(tries, ({ n, c }) => {
        expect(Math.abs(passAtK(n, c, 1) - c / n)).toBeLessThan(1e-12);
        expect(Math.abs(passHatK(n, c, 1) - c / n)).toBeLessThan(1e-12);
      }),
    );
  });

  it('rise and fall with the number of tries, and complement each other', () => {
    fc.assert(
      fc.property(tries, ({ n, c }) => {
        for (let k = 1; k <= n; k++) {
          expect(passAtK(n, c, k)).toBeCloseTo(1 - passHatK(n, n - c, k), 12);
          if (k === n) continue;
          expect(passAtK(n, c, k + 1)).toBeGreaterThanOrEqual(passAtK(n, c, k) - 1e-12);
          expect(passHatK(n, c, k + 1)).toBeLessThanOrEqual(passHatK(n, c, k) + 1e-12);
        }
      }),
    );
  });

  it('are unbiased: over all samples of a size they average to what chance says', () => {
    // Each of 6 tries passes with a chance of 0.3: P(at least one of 3) = 1 − 0.7³.
    let [at, hat] = [0, 0];
    let choices = 1;
    for (let c = 0; c <= 6; c++) {
      const chance = choices * 0.3 ** c * 0.7 ** (6 - c);
      at += chance * passAtK(6, c, 3);
      hat += chance * passHatK(6, c, 3);
      choices = (choices * (6 - c)) / (c + 1);
    }
    expect(at).toBeCloseTo(1 - 0.7 ** 3, 12);
    expect(hat).toBeCloseTo(0.3 ** 3, 12);
  });

  it('leave out datapoints with fewer samples than tries', async () => {
    const { score } = runOf([...digits('111 101 01'), [null, null]]);
    expect(await passK(score, null, 3)).toMatchObject({ k: 3, datapoints: 2, pass_at_k: 1, pass_hat_k: 0.5 });
    expect((await passK(score, null, 2)).datapoints).toBe(3);
    expect(await passK(score, null, 4)).toEqual({
      k: 4,
      datapoints: 0,
      pass_at_k: null,
      pass_at_k_se: null,
      pass_hat_k: null,
      pass_hat_k_se: null,
    });
  });

  it('are shown for powers of two up to and with the repeats', () => {
    expect(defaultKs(1)).toEqual([1]);
    expect(defaultKs(3)).toEqual([1, 2, 3]);
    expect(defaultKs(8)).toEqual([1, 2, 4, 8]);
    expect(defaultKs(100)).toEqual([1, 2, 4, 8, 16, 32, 64, 100]);
  });
});

const PAIRS_OF_RUNS = 200;
const DATAPOINTS = 60;
const REPEATS = 3;

/** A run of datapoints that are each passed with a chance of their own, less `drop`. */
function simulatedRun(chances: readonly number[], drop: number, next: (n: number) => number, repeats: number) {
  const passes = (chance: number) => (next(1_000_000) / 1_000_000 < chance - drop ? 1 : 0);
  return runOf(chances.map((chance) => Array.from({ length: repeats }, () => passes(chance))));
}

async function verdicts(drop: number, repeats: number): Promise<Record<ScoreComparison['verdict'], number>> {
  const next = random(17);
  const counts = { better: 0, worse: 0, no_difference: 0, unknown: 0 };
  for (let i = 0; i < PAIRS_OF_RUNS; i++) {
    const chances = Array.from({ length: DATAPOINTS }, () => 0.2 + next(1_000_000) / 1_250_000);
    const { score } = await compareWithBaseline(
      simulatedRun(chances, drop, next, repeats),
      simulatedRun(chances, 0, next, repeats),
      { baselineRunId: 'before', alpha: 0.05, changed: new Set(), distributions },
    );
    counts[score.verdict]++;
  }
  return counts;
}

describe('over 200 simulated pairs of runs', () => {
  it('the rate of false alarms is near alpha', async () => {
    const { better, worse } = await verdicts(0, REPEATS);
    // 10 are expected of Binomial(200, 0.05), and fewer than 2 or more than 21 once in a thousand.
    expect(better + worse).toBeGreaterThanOrEqual(2);
    expect(better + worse).toBeLessThanOrEqual(21);
  });

  it('the exact test gives no more false alarms than alpha', async () => {
    const { better, worse } = await verdicts(0, 1);
    expect(better + worse).toBeLessThanOrEqual(21);
  });

  it('a regression is called worse', async () => {
    const { worse, better } = await verdicts(0.25, REPEATS);
    expect(worse).toBeGreaterThanOrEqual(195);
    expect(better).toBe(0);
  });
});

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
