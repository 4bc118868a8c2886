import { describe, expect, it } from '@jest/globals';
import { bucketsBetween, stacked, type ChartData } from './chart-series.js';

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
