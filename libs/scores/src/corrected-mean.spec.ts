import { describe, expect, it } from '@jest/globals';
import { estimateMean, measureQuality, wilson, type JudgedSums } from './corrected-mean.js';

/** A seeded source of numbers from 0 to 1 (mulberry32): the same projects each time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Verdict = { f: number; y: number };

function sumsOf(alone: readonly Verdict[], pairs: readonly Verdict[]): JudgedSums {
  const sum = (of: readonly Verdict[], value: (one: Verdict) => number): number =>
    of.reduce((all, one) => all + value(one), 0);
  return {
    alone: { count: alone.length, f: sum(alone, ({ f }) => f), ff: sum(alone, ({ f }) => f * f) },
    pairs: {
      ...{ count: pairs.length, f: sum(pairs, ({ f }) => f), ff: sum(pairs, ({ f }) => f * f) },
      ...{ y: sum(pairs, ({ y }) => y), yy: sum(pairs, ({ y }) => y * y), fy: sum(pairs, ({ f, y }) => f * y) },
    },
    isBinary: [...alone, ...pairs].every(({ f, y }) => (f === 0 || f === 1) && (y === 0 || y === 1)),
  };
}

/** How often the interval holds the truth, in 1,000 projects of so many targets. */
function coverage(truth: number, [n, k]: readonly [number, number], draw: (random: () => number) => Verdict): number {
  const random = seeded(20_261_127);
  const make = (count: number): Verdict[] => Array.from({ length: count }, () => draw(random));
  let held = 0;
  for (let project = 0; project < 1_000; project++) {
    const { corrected } = measureQuality(sumsOf(make(n), make(k)));
    if (corrected && corrected.ci.low <= truth && truth <= corrected.ci.high) held++;
  }
  return held / 1_000;
}

describe('the corrected mean', () => {
  it('of numbers holds the truth as often as its level says', () => {
    const normal = (random: () => number): number =>
      Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const biased = (random: () => number): Verdict => {
      const y = 0.6 + 0.2 * normal(random);
      return { y, f: 0.1 + 0.8 * y + 0.1 * normal(random) };
    };
    const held = coverage(0.6, [1_000, 100], biased);
    expect(held).toBeGreaterThan(0.93);
    expect(held).toBeLessThan(0.97);
  });

  it('of pass and fail holds the truth as often as its level says, for a judge that passes too much', () => {
    const lenient = (random: () => number): Verdict => {
      const y = random() < 0.3 ? 1 : 0;
      return { y, f: random() < (y === 1 ? 0.95 : 0.15) ? 1 : 0 };
    };
    const held = coverage(0.3, [1_000, 200], lenient);
    expect(held).toBeGreaterThan(0.93);
    expect(held).toBeLessThan(0.97);
  });

  it('of pass and fail is that of Rogan and Gladen', () => {
    // 60 of 100 pairs pass and 40 fail; the judge passes 54 and 8 of them, and 620 of 900 others.
    const pairs = [
      ...Array.from({ length: 54 }, () => ({ y: 1, f: 1 })),
      ...Array.from({ length: 6 }, () => ({ y: 1, f: 0 })),
      ...Array.from({ length: 8 }, () => ({ y: 0, f: 1 })),
      ...Array.from({ length: 32 }, () => ({ y: 0, f: 0 })),
    ];
    const alone = Array.from({ length: 900 }, (_, n) => ({ f: n < 620 ? 1 : 0, y: 0 }));
    const {
      judge,
      human,
      corrected,
      true_pass_rate: passes,
      true_fail_rate: fails,
    } = measureQuality(sumsOf(alone, pairs));

    expect([judge, human]).toEqual([
      { mean: 0.682, n: 900 },
      { mean: 0.6, k: 100 },
    ]);
    expect(corrected!.mean).toBeCloseTo((0.682 + 0.8 - 1) / (0.9 + 0.8 - 1), 12);
    // Delta method: (p(1-p)/N + t² se(1-se)/60 + (1-t)² sp(1-sp)/40) / 0.7².
    const t = 0.482 / 0.7;
    const variance = ((0.682 * 0.318) / 1_000 + (t ** 2 * 0.09) / 60 + ((1 - t) ** 2 * 0.16) / 40) / 0.49;
    expect(corrected!.ci.high - corrected!.mean).toBeCloseTo(1.959963984540054 * Math.sqrt(variance), 12);
    // Wilson, 54 of 60 and 32 of 40.
    expect(passes).toMatchObject({
      rate: 0.9,
      ci: { low: expect.closeTo(0.7985, 4), high: expect.closeTo(0.9534, 4) },
    });
    expect(fails).toMatchObject({ rate: 0.8, ci: { low: expect.closeTo(0.6524, 4), high: expect.closeTo(0.895, 4) } });
  });

  it('is none below 20 pairs, without a pass or a fail, and for a judge that is no better than chance', () => {
    const same = (count: number, verdict: Verdict): Verdict[] => Array.from({ length: count }, () => verdict);
    const alone = same(50, { f: 1, y: 0 });
    expect(measureQuality(sumsOf(alone, same(19, { f: 0.5, y: 0.4 }))).corrected).toBeNull();
    expect(measureQuality(sumsOf(alone, same(30, { f: 1, y: 1 }))).corrected).toBeNull();
    const chance = [...same(20, { f: 1, y: 0 }), ...same(20, { f: 0, y: 1 })];
    expect(measureQuality(sumsOf(alone, chance)).corrected).toBeNull();
    expect(measureQuality(sumsOf([], []))).toMatchObject({ judge: { mean: null, n: 0 }, human: { mean: null, k: 0 } });
  });
});

const repeated = (values: readonly number[], times: number): number[] =>
  Array.from({ length: times }, () => values).flat();

describe('estimateMean', () => {
  it('says no interval of few values, and nothing of none', () => {
    expect(estimateMean([])).toEqual({ mean: null, ci: null });
    expect(estimateMean(repeated([0.5], 29))).toEqual({ mean: 0.5, ci: null });
  });

  it("takes Wilson's interval of shares", () => {
    const { mean, ci } = estimateMean(repeated([1, 1, 1, 0], 10));
    expect(mean).toBe(0.75);
    expect([ci!.low, ci!.high]).toEqual([expect.closeTo(0.5981, 4), expect.closeTo(0.8581, 4)]);
    expect(estimateMean(repeated([1], 30)).ci).toMatchObject({ low: expect.closeTo(0.8865, 4) });
  });

  it('takes the normal interval of numbers', () => {
    const { mean, ci } = estimateMean(repeated([1, 2, 3], 20));
    expect(mean).toBe(2);
    // s = sqrt(40 / 59), half = 1.96 s / sqrt(60)
    expect(ci).toMatchObject({ low: expect.closeTo(1.7917, 4), high: expect.closeTo(2.2083, 4), level: 0.95 });
  });
});

describe("Wilson's interval", () => {
  it('ends at 0 and at 1 where all are alike, to the last digit', () => {
    for (let count = 1; count <= 200; count++) {
      expect([wilson(0, count).low, wilson(count, count).high]).toEqual([0, 1]);
    }
    expect(wilson(7, 10).low).toBeCloseTo(0.396778147461, 12);
    expect(wilson(7, 10).high).toBeCloseTo(0.892208732594, 12);
  });
});
