import { expect, it } from '@jest/globals';
import { sampleStatistics } from '../../../../test/cli/sample-report.js';
import { describeDifference, describeLatency, formatDollars, formatLatency } from './words.js';

const comparison = sampleStatistics().comparison!;

it('amounts have their unit, and a dash where there is none', () => {
  expect([85, 1490, -1490, null].map(formatLatency)).toEqual(['85 ms', '1.49 s', '-1.49 s', '–']);
  expect([1.2, 0.00032, undefined].map(formatDollars)).toEqual(['$1.20', '$0.00032', '–']);
});

it('a difference says what it rests on', () => {
  expect(describeDifference(comparison.score)).toBe(
    '-0.125 (95% interval -0.4 to 0.15, p 0.2); 0 better, 1 worse, 1 the same',
  );
  expect(describeLatency(comparison)).toEqual(['Latency +120 ms (95% interval -261 ms to 502 ms, p 0.16).']);
});

it('a latency that fell by seconds is written in seconds', () => {
  const latency = {
    ...comparison.latency_ms,
    diff: -1490,
    ci: { ...comparison.latency_ms.ci!, low: -2300, high: -680 },
  };
  expect(describeLatency({ ...comparison, latency_ms: latency })).toEqual([
    'Latency -1.49 s (95% interval -2.30 s to -680 ms, p 0.16).',
  ]);
});
