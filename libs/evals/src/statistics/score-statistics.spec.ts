import { describe, expect, it } from '@jest/globals';
import { loadDistributions } from './distributions.js';
import type { Interval } from './intervals.js';
import { scoreStatistics } from './score-statistics.js';
import { digits, runOf, single, type RunShape } from './testing/run-of.js';

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

  it('count failed samples as 0 when told to', async () => {
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
