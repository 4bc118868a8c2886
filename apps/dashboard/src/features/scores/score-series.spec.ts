import type { ScoreBucket } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { describeQuality, scoreFigures, type ScoreFigure } from './score-series.js';

const DAY = 86_400_000;
const bucket = (day: number, name: string, rest: Partial<ScoreBucket>): ScoreBucket => ({
  ...{ timestamp: new Date(day * DAY).toISOString(), name, count: 1, mean: null, min: null, max: null, labels: {} },
  ...rest,
});

describe('figures of scores', () => {
  it('are lines of means, with gaps, those with the most scores first', () => {
    const figures = scoreFigures(
      [bucket(1, 'rare', { mean: 1 }), bucket(1, 'often', { mean: 0.5, count: 2 }), bucket(3, 'often', { mean: 0 })],
      DAY,
    );
    expect(figures.map(({ name, count }) => [name, count])).toEqual([
      ['often', 3],
      ['rare', 1],
    ]);
    const { chart, hasValues } = figures[0]!;
    expect(hasValues).toBe(true);
    expect(chart).toMatchObject({ form: 'lines', starts: [DAY, 2 * DAY, 3 * DAY] });
    expect(chart.series[0]!.values).toEqual([0.5, null, 0]);
  });

  it('are bars of labels, those beyond the colours together', () => {
    const labels = { a: 9, b: 8, c: 7, d: 6, e: 5, f: 2, g: 1 };
    const [{ chart, hasValues }] = scoreFigures([bucket(1, 'tone', { labels })], DAY) as [ScoreFigure];
    expect(hasValues).toBe(false);
    expect(chart.form).toBe('bars');
    expect(chart.series.map(({ label, values }) => [label, values[0]])).toEqual([
      ...[
        ['a', 9],
        ['b', 8],
        ['c', 7],
        ['d', 6],
        ['e', 5],
        ['Others', 3],
      ],
    ]);
  });
});

describe('the quality of a judge in words', () => {
  const judge = { mean: 0.7, n: 100 };
  const rate = (value: number) => ({ rate: value, ci: { low: 0, high: 1, level: 0.95 } });

  it('has the corrected mean with its interval', () => {
    const corrected = { mean: 0.61, ci: { low: 0.52, high: 0.7, level: 0.95 } };
    const human = { mean: 0.6, k: 40 };
    expect(describeQuality({ judge, human, corrected, true_pass_rate: rate(0.9), true_fail_rate: rate(0.5) })).toBe(
      "The judge's mean is 0.7. Corrected by 40 scores of people it is 0.61 (95% interval 0.52 to 0.7). " +
        'The judge passes 90% of what people pass, and fails 50% of what people fail.',
    );
  });

  it('says how many scores of people are missing', () => {
    const few = { judge, human: { mean: 1, k: 3 }, corrected: null, true_pass_rate: null, true_fail_rate: null };
    expect(describeQuality(few)).toContain('People have scored 3 of what it scored; from 20 on');
  });
});
