/** What analytics say, against spans counted one by one. */
import { expect } from '@jest/globals';
import fc from 'fast-check';
import {
  BUCKET_WIDTHS,
  COUNTED_THINGS,
  PERCENTILE_ERROR,
  SPLITS,
  type BucketSums,
  type TimeBucket,
} from '@spandrel/contract';
import { naiveSeries, naiveSummary, type SeriesQuestion } from '../support/naive-analytics.ts';
import type { AnalyticsApp } from './analytics-app.js';
import { MODELS, moment, PROVIDERS, USERS } from './random-writes.js';

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
  of: maybe(fc.constantFrom(...COUNTED_THINGS)),
  user_id: fc.option(fc.constantFrom(...USERS, 'none\0'), { nil: undefined, freq: 3 }),
  split_by: maybe(fc.constantFrom(...SPLITS, 'metadata.env' as const)),
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
  const [spans, traces] = [await app.spans(project), await app.traces(project)];
  const traceCount = traces.length;
  expect(await app.summary(project)).toEqual(naiveSummary(traceCount, spans));
  expect(await app.stats(project)).toEqual({ trace_count: traceCount, span_count: spans.length });
  for (const wanted of questions) {
    const { status, body } = await app.series(wanted, project);
    const naive = naiveSeries(wanted, spans, traces);
    expect([wanted, status, body.buckets.map(withoutPercentiles)]).toEqual([
      wanted,
      200,
      naive.map(withoutPercentiles),
    ]);
    for (const [index, bucket] of body.buckets.entries()) expectPercentiles(bucket, naive[index]!);
    await expectTotals(app, project, wanted, (question) => naiveSeries(question, spans, traces)[0]);
  }
}

/** Totals are those of one bucket that holds the whole range; those before, of as long a range that ends with its start. */
async function expectTotals(
  app: AnalyticsApp,
  project: string,
  wanted: SeriesQuestion,
  bucketOf: (question: SeriesQuestion) => TimeBucket | undefined,
): Promise<void> {
  const { since, until } = wanted;
  const { body } = await app.series({ ...wanted, totals: true }, project);
  const expectWhole = (totals: BucketSums | null | undefined, range: Partial<SeriesQuestion>): void => {
    if (totals?.span_count === 0) expect(bucketOf({ ...wanted, ...range, isWhole: true })).toBeUndefined();
    else {
      const { timestamp: _timestamp, ...right } = bucketOf({ ...wanted, ...range, isWhole: true })!;
      expect([wanted, withoutPercentiles(totals!)]).toEqual([wanted, withoutPercentiles(right)]);
      expectPercentiles(totals!, right);
    }
  };
  expectWhole(body.totals, {});
  if (since === undefined || until === undefined || since >= until) expect(body.previous_totals).toBeNull();
  else {
    const before = new Date(Math.max(2 * Date.parse(since) - Date.parse(until), -62_135_596_800_000)).toISOString();
    expectWhole(body.previous_totals, { since: before, until: since, split_by: undefined });
  }
}

/** What doubles add to an estimate. */
const ROUNDING = 1e-9;
const PERCENTILES = ['p50_ms', 'p95_ms', 'p99_ms'] as const;

/** A bucket with the percentiles left out, those of its series too. */
export const withoutPercentiles = (bucket: object | null): unknown =>
  JSON.parse(
    JSON.stringify(bucket, (name, value: unknown) =>
      (PERCENTILES as readonly string[]).includes(name) ? undefined : value,
    ),
  );

/** Percentiles lie no further from the exact ones than is said. */
export function expectPercentiles(sums: BucketSums & Pick<TimeBucket, 'series'>, exact: typeof sums): void {
  for (const name of PERCENTILES) {
    const [reported, right] = [sums[name], exact[name]];
    if (typeof right === 'number')
      expect(Math.abs(reported! - right)).toBeLessThanOrEqual(right * PERCENTILE_ERROR * (1 + ROUNDING));
    else expect([name, reported]).toEqual([name, right]);
  }
  for (const [index, one] of (sums.series ?? []).entries()) expectPercentiles(one, exact.series![index]!);
}
