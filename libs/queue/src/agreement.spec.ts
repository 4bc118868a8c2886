import { describe, expect, it } from '@jest/globals';
import type { ScoreLevel } from '@spandrel/contract';
import { measureAgreement, type Unit } from './agreement.js';

function measure(units: readonly Unit[], level: ScoreLevel, values: readonly number[]) {
  const steps = measureAgreement(units, level, values);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Units of a table with a row a rater and a column a unit; `.` is no rating. */
function unitsOf(rows: readonly string[]): Unit[] {
  const columns = rows[0]!.split(' ').length;
  return Array.from({ length: columns }, (_, at) => {
    const said = rows.map((row, rater) => [`rater ${rater}`, row.split(' ')[at]!] as const);
    return new Map(said.filter(([, answer]) => answer !== '.').map(([rater, answer]) => [rater, Number(answer) - 1]));
  });
}

describe('agreement', () => {
  it.each([
    ['nominal', 0.743],
    ['ordinal', 0.815],
    ['interval', 0.849],
  ] as const)("is Krippendorff's alpha of his table of four by twelve, %s", (level, alpha) => {
    const units = unitsOf([
      '1 2 3 3 2 1 4 1 2 . . .',
      '1 2 3 3 2 2 4 1 2 5 . 3',
      '. 3 3 3 2 3 4 2 2 5 1 .',
      '1 2 3 3 2 4 4 1 2 5 1 .',
    ]);
    const { krippendorff_alpha: found, units: counted, raters, ratings } = measure(units, level, [1, 2, 3, 4, 5]);
    expect(found).toBeCloseTo(alpha, 3);
    expect([counted, raters, ratings]).toEqual([11, 4, 40]);
  });

  it("is Fleiss' kappa of his example: ten subjects, fourteen raters", () => {
    const counts = [
      [0, 0, 0, 0, 14],
      [0, 2, 6, 4, 2],
      [0, 0, 3, 5, 6],
      [0, 3, 9, 2, 0],
      [2, 2, 8, 1, 1],
      [7, 7, 0, 0, 0],
      [3, 2, 6, 3, 0],
      [2, 5, 3, 2, 2],
      [6, 5, 2, 1, 0],
      [0, 2, 2, 3, 7],
    ];
    const units = counts.map((row) => {
      const answers = row.flatMap((count, answer) => Array.from({ length: count }, () => answer));
      return new Map(answers.map((answer, rater) => [`rater ${rater}`, answer]));
    });
    expect(measure(units, 'nominal', [0, 1, 2, 3, 4]).fleiss_kappa).toBeCloseTo(0.21, 3);
  });

  it("is Gwet's AC1 where kappa collapses: 118 of 125 agree that it passes", () => {
    // Gwet (2008), table 2: 118 both plus, 5 and 2 plus by one alone, none minus by both.
    const pair = (a: number, b: number): Unit =>
      new Map([
        ['a', a],
        ['b', b],
      ]);
    const units = [
      ...Array.from({ length: 118 }, () => pair(0, 0)),
      ...Array.from({ length: 5 }, () => pair(0, 1)),
      ...Array.from({ length: 2 }, () => pair(1, 0)),
    ];
    const {
      gwet_ac1: ac1,
      cohen_kappa: kappa,
      percent_agreement: percent,
      gwet_ac1_ci: ci,
    } = measure(units, 'nominal', [0, 1]);
    expect(percent).toBeCloseTo(0.944, 3);
    expect(kappa).toBeCloseTo(-0.0234, 3);
    expect(ac1).toBeCloseTo(0.9408, 3);
    expect(ci!.low).toBeLessThan(ac1!);
    expect(ci!.high).toBeGreaterThan(ac1!);
  });

  it('is nothing, not 1, where no disagreement was to be expected', () => {
    const same = unitsOf(['1 1 1', '1 1 1']);
    expect(measure(same, 'nominal', [1])).toMatchObject({
      ...{ percent_agreement: 1, cohen_kappa: null, fleiss_kappa: null, krippendorff_alpha: null, gwet_ac1: null },
    });
    expect(measure([], 'nominal', [1, 2])).toMatchObject({ units: 0, percent_agreement: null, pairs: [] });
  });

  it.each(['nominal', 'ordinal', 'interval'] as const)(
    'is alpha as its definition has it, pair by pair: %s',
    (level) => {
      let state = 5;
      const draw = (n: number): number => (state = (state * 48_271) % 2_147_483_647) % n;
      for (let table = 0; table < 20; table++) {
        const values = Array.from({ length: 2 + draw(30) }, (_, at) => 1e6 + at / 10 + draw(9) / 100);
        const units = Array.from({ length: 12 }, () => {
          const raters = Array.from({ length: 2 + draw(4) }, (_, rater) => `rater ${rater}`);
          return new Map(raters.map((rater) => [rater, draw(values.length)]));
        });
        const ratings = units.flatMap((unit) => [...unit.values()]);
        const count = (answer: number): number => ratings.filter((one) => one === answer).length;
        const distance = (a: number, b: number): number => {
          const [c, k] = [Math.min(a, b), Math.max(a, b)];
          if (level === 'nominal') return c === k ? 0 : 1;
          if (level === 'interval') return (values[c]! - values[k]!) ** 2;
          const between = Array.from({ length: k - c + 1 }, (_, at) => count(c + at)).reduce(
            (sum, one) => sum + one,
            0,
          );
          return (between - (count(c) + count(k)) / 2) ** 2;
        };
        const apart = (of: readonly number[]): number =>
          of.reduce((sum, a) => sum + of.reduce((rest, b) => rest + distance(a, b), 0), 0) / (of.length - 1);
        const observed = units.reduce((sum, unit) => sum + apart([...unit.values()]), 0);
        expect(measure(units, level, values).krippendorff_alpha).toBeCloseTo(1 - observed / apart(ratings), 6);
      }
    },
  );

  it('of each pair is over the units that both rated', () => {
    const units = unitsOf(['1 1 2 . 2', '1 2 2 1 .', '. . . 1 2']);
    expect(measure(units, 'nominal', [1, 2]).pairs).toMatchObject([
      {
        a: 'rater 0',
        b: 'rater 1',
        units: 3,
        percent_agreement: expect.closeTo(2 / 3, 12),
        cohen_kappa: expect.closeTo(0.4, 12),
      },
      { a: 'rater 0', b: 'rater 2', units: 1, percent_agreement: 1, cohen_kappa: null },
      { a: 'rater 1', b: 'rater 2', units: 1, percent_agreement: 1, cohen_kappa: null },
    ]);
  });
});
