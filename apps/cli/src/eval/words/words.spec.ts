import { describe, expect, it } from '@jest/globals';
import { sampleStatistics } from '../reports/sample-report.js';
import { describeDifference, describeLatency, describePairs, describeVerdict } from './comparison-words.js';
import { formatCounted, formatDifference, formatInterval, formatLatency, formatP, formatScore } from './numbers.js';

const { comparison } = sampleStatistics();
const verdict = { ...comparison!.score, diff: 7 / 30, detectable_diff: 0.290694452257 };

describe('numbers in words', () => {
  it('have three digits, and a dash where there is none', () => {
    expect([2 / 3, 1, -1e-9, null].map(formatScore)).toEqual(['0.667', '1', '0', '–']);
    expect([0.25, -0.3, 0.0001, null].map((each) => formatDifference(each))).toEqual(['+0.25', '-0.3', '0', '–']);
    expect([0.0004, 0.0654296875, null].map(formatP)).toEqual(['< 0.001', '0.065', '–']);
    expect(formatInterval({ low: 0.396778147461, high: 0.892208732594 })).toBe('0.397 to 0.892');
    expect(formatInterval(null, formatLatency)).toBe('–');
    expect(formatInterval({ low: -80, high: 1490 }, formatLatency)).toBe('-80 ms to 1.49 s');
    expect([formatCounted(1, 'datapoint'), formatCounted(2000, 'datapoint')]).toEqual([
      '1 datapoint',
      '2,000 datapoints',
    ]);
  });
});

// Dashboard and command say it alike (apps/dashboard/src/features/statistics/verdict-words.ts).
describe('a verdict in words', () => {
  it('says by how much', () => {
    expect(describeVerdict({ ...verdict, verdict: 'better' })).toBe('better by 0.233');
    expect(describeVerdict({ ...verdict, diff: -0.3, verdict: 'worse' })).toBe('worse by 0.3');
  });

  it('says which difference would have been shown, where none was', () => {
    const none = (detectable: number | null) =>
      describeVerdict({ ...verdict, verdict: 'no_difference', detectable_diff: detectable });
    expect(none(0.290694452257)).toBe('no difference shown; a change of 0.29 or more would have been');
    expect(none(1.4)).toBe('no difference shown; so few datapoints could hardly have shown one');
    expect([none(0), none(null)]).toEqual(['no difference shown', 'no difference shown']);
    expect(describeVerdict({ ...verdict, verdict: 'unknown' })).toMatch(/^not known; that takes two datapoints/);
  });

  it('says what it rests on, and what was left out', () => {
    expect(describeDifference(comparison!.score)).toBe(
      '-0.125 (95% interval -0.4 to 0.15, p 0.2); 0 better, 1 worse, 1 the same',
    );
    expect(describeLatency(comparison!)).toEqual(['Latency +120 ms (95% interval -261 ms to 502 ms, p 0.16).']);
    expect(describePairs(comparison!)).toBe('2 datapoints compared. Left out: 1 datapoint edited between the runs.');
  });
});
