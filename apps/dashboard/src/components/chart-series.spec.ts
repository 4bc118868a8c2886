import { describe, expect, it } from '@jest/globals';
import { bucketsBetween, stacked, type ChartData, ticksOf } from './chart-series.js';

const series = (...values: (number | null)[]) => ({ label: 'a', colour: '--kind-1', values }) as const;

describe('data of a chart', () => {
  it('stands on one another, nothing counts as 0', () => {
    expect(stacked([series(1, null, 2), series(3, 4, null)])).toEqual([
      [1, 0, 2],
      [4, 4, 2],
    ]);
    expect(stacked([])).toEqual([]);
  });

  it('finds the buckets that a range touches, within those there are', () => {
    const data: ChartData = { starts: [100, 110, 120], widthMs: 10, form: 'bars', series: [] };
    expect(bucketsBetween(data, 105, 119)).toEqual([0, 1]);
    expect(bucketsBetween(data, 119, 105)).toEqual([0, 1]);
    expect(bucketsBetween(data, -50, 500)).toEqual([0, 2]);
    expect(bucketsBetween({ ...data, starts: [] }, 1, 2)).toEqual([0, 0]);
  });
});

describe('ticks of a chart', () => {
  const DAY = 86_400_000;
  const days = (count: number) => ({ starts: Array.from({ length: count }, (_, at) => at * DAY), widthMs: DAY });

  it('stand in the middle of buckets, never more than there are, and apart from each other', () => {
    expect(ticksOf(days(3), 300)).toEqual([DAY / 2, DAY * 1.5, DAY * 2.5]);
    for (const count of [1, 7, 8, 31, 180]) {
      for (const width of [40, 260, 700]) {
        const ticks = ticksOf(days(count), width);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.every((tick) => tick % DAY === DAY / 2)).toBe(true);
        const apart = ticks.slice(1).map((tick, at) => ((tick - ticks[at]!) / DAY / count) * width);
        expect(Math.min(46, ...apart)).toBe(46);
      }
    }
  });

  it('has no ticks upon another where points lie close together', () => {
    const minute = 60_000;
    expect(ticksOf({ starts: [0, 10, 20], widthMs: minute }, 300)).toEqual([minute / 2]);
    expect(ticksOf({ starts: [0, 10, 10 * minute], widthMs: minute }, 300)).toEqual([minute / 2, 10.5 * minute]);
  });
});
