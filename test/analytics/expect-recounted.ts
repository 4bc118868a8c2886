/** What analytics say, against spans counted one by one. */
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { BUCKET_WIDTHS, PERCENTILE_ERROR, SPLITS, type BucketSums, type TimeBucket } from '@spandrel/contract';
import { naiveSeries, naiveSummary, type SeriesQuestion } from '../support/naive-analytics.ts';
import type { AnalyticsApp } from './analytics-app.js';
import { MODELS, moment, PROVIDERS } from './random-writes.js';

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const DAY_MS = 86_400_000;
/** Ranges of any length, and short ones for buckets of minutes. */
const range: fc.Arbitrary<Pick<SeriesQuestion, 'since' | 'until' | 'group_by'>> = fc.oneof(
  fc.record({
    since: maybe(moment),
    until: maybe(moment),
    group_by: maybe(fc.constantFrom(...BUCKET_WIDTHS.filter((width) => width !== 'minute'))),
  }),
  fc
    .tuple(
      moment.filter((since) => since < '9999-12-31'),
      fc.oneof(fc.integer({ min: 1, max: DAY_MS }), fc.constant(DAY_MS)),
    )
    .map(([since, ms]) => ({
      since,
      until: new Date(Date.parse(since) + ms).toISOString(),
      group_by: 'minute' as const,
    })),
);
const asked: fc.Arbitrary<SeriesQuestion> = fc.record({
  split_by: maybe(fc.constantFrom(...SPLITS)),
  top: maybe(fc.integer({ min: 1, max: 4 })),
  percentiles: maybe(fc.boolean()),
  model: fc.option(fc.constantFrom(...MODELS, 'none\0'), { nil: undefined, freq: 3 }),
  provider: fc.option(fc.constantFrom(...PROVIDERS), { nil: undefined, freq: 3 }),
});
/** Questions for a time series. */
export const question = fc.tuple(range, asked).map(([times, what]): SeriesQuestion => ({ ...times, ...what }));

/** Summary, counts and some series of a project, against its spans counted one by one. */
export async function expectRecounted(
  app: AnalyticsApp,
  project: string,
  questions: readonly SeriesQuestion[],
): Promise<void> {
  const [spans, traceCount] = [await app.spans(project), await app.traceCount(project)];
  expect(await app.summary(project)).toEqual(naiveSummary(traceCount, spans));
  expect(await app.stats(project)).toEqual({ trace_count: traceCount, span_count: spans.length });
  for (const wanted of questions) {
    const { status, body } = await app.series(wanted, project);
    const naive = naiveSeries(wanted, spans);
    expect([wanted, status, body.buckets.map(withoutPercentiles)]).toEqual([
      wanted,
      200,
      naive.map(withoutPercentiles),
    ]);
    for (const [index, bucket] of body.buckets.entries()) expectPercentiles(bucket, naive[index]!);
  }
}

/** What doubles add to an estimate. */
const ROUNDING = 1e-9;
const PERCENTILES = ['p50_ms', 'p95_ms', 'p99_ms'] as const;

/** A bucket with the percentiles left out, those of its series too. */
const withoutPercentiles = (bucket: TimeBucket): unknown =>
  JSON.parse(
    JSON.stringify(bucket, (name, value: unknown) =>
      (PERCENTILES as readonly string[]).includes(name) ? undefined : value,
    ),
  );

/** Percentiles lie no further from the exact ones than is said. */
function expectPercentiles(sums: BucketSums & Pick<TimeBucket, 'series'>, exact: typeof sums): void {
  for (const name of PERCENTILES) {
    const [reported, right] = [sums[name], exact[name]];
    if (typeof right === 'number')
      expect(Math.abs(reported! - right)).toBeLessThanOrEqual(right * PERCENTILE_ERROR * (1 + ROUNDING));
    else expect([name, reported]).toEqual([name, right]);
  }
  for (const [index, one] of (sums.series ?? []).entries()) expectPercentiles(one, exact.series![index]!);
}
