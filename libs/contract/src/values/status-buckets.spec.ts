import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bucketsOf, bucketWidth, type StatusBucket, type TimedTrace } from './status-buckets.js';

const at = (ms: number, status: TimedTrace['status'] = 'completed'): TimedTrace => ({ at: ms, status });
const totalOf = ({ running, completed, failed }: StatusBucket): number => running + completed + failed;
const START = Date.parse('2026-11-22T14:00:00.000Z');

describe('traces over time', () => {
  it('are counted by status, where they began', () => {
    const buckets = bucketsOf([at(START), at(START + 999, 'failed'), at(START + 5_000, 'running')]);
    expect(buckets).toHaveLength(6);
    expect(buckets[0]).toEqual({ from: START, to: START + 1_000, running: 0, completed: 1, failed: 1 });
    expect(buckets[5]).toMatchObject({ running: 1, completed: 0 });
  });

  it('are shown over the whole range that was asked for', () => {
    const buckets = bucketsOf([at(START)], { from: START - 86_400_000, to: START + 1_000 });
    expect(buckets.length).toBeGreaterThan(40);
    expect(buckets[0]!.from).toBeLessThanOrEqual(START - 86_400_000);
  });

  it('are none where there is nothing', () => {
    expect(bucketsOf([])).toEqual([]);
  });

  it('are all counted once, in sixty bars at most', () => {
    const times = fc.array(fc.integer({ min: 0, max: 3_000 * 365 * 86_400_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(times, (moments) => {
        const buckets = bucketsOf(moments.map((ms) => at(ms)));
        expect(buckets.length).toBeLessThanOrEqual(60);
        expect(buckets.reduce((sum, bucket) => sum + totalOf(bucket), 0)).toBe(moments.length);
      }),
    );
  });

  it('have widths that people can read', () => {
    expect([60_000, 3_600_000, 86_400_000].map((length) => bucketWidth(0, length))).toEqual([
      2_000, 120_000, 1_800_000,
    ]);
  });
});
