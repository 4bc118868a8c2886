import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PERCENTILE_ERROR } from '@spandrel/contract';
import { binOf, compactLatencies, LatencyHistogram } from './latency-histogram.js';

/** What doubles add to an estimate. */
const ROUNDING = 1e-9;

/** From none to the longest that timestamps allow. */
const latency = fc.oneof(
  fc.integer({ min: 0, max: 60 }),
  fc.integer({ min: 0, max: 120_000 }),
  fc.integer({ min: 0, max: 315_537_897_599_999 }),
);

function histogramOf(latencies: readonly number[], sign = 1): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const ms of latencies) histogram.add(ms, sign);
  return histogram;
}

describe('a histogram of latencies', () => {
  it('gives percentiles no further from the exact ones than is said', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (latencies) => {
        const sorted = latencies.toSorted((a, b) => a - b);
        const found = histogramOf(latencies).percentiles();
        for (const [percent, estimate] of [
          [50, found.p50_ms],
          [95, found.p95_ms],
          [99, found.p99_ms],
        ] as const) {
          const exact = sorted[Math.ceil((percent * sorted.length) / 100) - 1]!;
          expect(Math.abs(estimate! - exact)).toBeLessThanOrEqual(exact * PERCENTILE_ERROR * (1 + ROUNDING));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('has bins that grow, small ones of one millisecond each', () => {
    expect(Array.from({ length: 25 }, (_, ms) => binOf(ms))).toEqual(Array.from({ length: 25 }, (_, ms) => ms));
    expect([binOf(1_000), binOf(60_000), binOf(86_400_000), binOf(315_537_897_599_999)]).toEqual([106, 208, 390, 768]);
    fc.assert(fc.property(latency, latency, (a, b) => a > b || binOf(a) <= binOf(b)));
  });

  it('is added up by writing texts one behind the other, whatever is taken away', () => {
    fc.assert(
      fc.property(fc.array(latency), fc.array(latency), (kept, gone) => {
        const text =
          histogramOf([...kept, ...gone]).toText() +
          histogramOf(gone, -1).toText() +
          kept.map((ms) => `=${ms} `).join('');
        expect(compactLatencies(text)).toBe(histogramOf([...kept, ...kept]).toText());
        expect(compactLatencies(histogramOf(gone).toText() + histogramOf(gone, -1).toText())).toBe('');
      }),
    );
  });

  it('says nothing of no spans', () => {
    expect(new LatencyHistogram().percentiles()).toEqual({ p50_ms: null, p95_ms: null, p99_ms: null });
    expect([new LatencyHistogram().toText(), compactLatencies('')]).toEqual(['', '']);
  });
});
