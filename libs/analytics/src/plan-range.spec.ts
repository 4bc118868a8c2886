import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUCKET_WIDTHS, formatTimestamp, parseTimestamp } from '@spandrel/contract';
import {
  planRange,
  type RangePlan,
  type TimeRange,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  BUCKET,
  bucketStart,
  nextBucketStart,
} from './plan-range.js';

const partsOf = ({ days, hours, minutes, spans }: RangePlan): TimeRange[] =>
  [days, ...hours, minutes, ...spans].filter(({ from, until }) => from < until);

const lengthOf = ({ from, until }: TimeRange): number => (from < until ? until - from : 0);

const moment = fc.oneof(
  fc.integer({ min: -5 * DAY_MS, max: 5 * DAY_MS }),
  fc
    .tuple(fc.integer({ min: -120, max: 120 }), fc.constantFrom(-1, 0, 1))
    .map(([hour, offset]) => hour * HOUR_MS + offset),
);
const range = fc
  .tuple(fc.oneof(moment, fc.constant(-Infinity)), fc.oneof(moment, fc.constant(Infinity)))
  .filter(([from, until]) => from < until)
  .map(([from, until]) => ({ from, until }));

describe('the plan of a range', () => {
  it('covers it exactly once', () => {
    fc.assert(
      fc.property(range, fc.constantFrom(...BUCKET_WIDTHS), (wanted, width) => {
        const parts = partsOf(planRange(wanted, width)).toSorted((a, b) => a.from - b.from);
        expect(parts[0]?.from).toBe(wanted.from);
        expect(parts.at(-1)?.until).toBe(wanted.until);
        for (const [index, part] of parts.entries()) {
          if (index > 0) expect(part.from).toBe(parts[index - 1]!.until);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes what is whole from the roll-ups, and from the spans less than an hour, or a minute, at each end', () => {
    fc.assert(
      fc.property(range, fc.constantFrom(...BUCKET_WIDTHS), (wanted, width) => {
        const { days, hours, minutes, spans } = planRange(wanted, width);
        const ends = (ranges: readonly TimeRange[]): number[] =>
          ranges.flatMap(({ from, until }) => (from < until ? [from, until] : [])).filter(Number.isFinite);
        expect(ends([days]).every((end) => end % DAY_MS === 0)).toBe(true);
        expect(ends(hours).every((end) => end % HOUR_MS === 0)).toBe(true);
        expect(ends([minutes]).every((end) => end % MINUTE_MS === 0)).toBe(true);
        for (const part of spans) expect(lengthOf(part)).toBeLessThan(width === 'minute' ? MINUTE_MS : HOUR_MS);
        if (width === 'minute') expect([days, ...hours].every((part) => lengthOf(part) === 0)).toBe(true);
        else expect(lengthOf(minutes)).toBe(0);
        if (width === 'hour') expect(lengthOf(days)).toBe(0);
        // Hours of a day that is whole come as a day.
        else for (const part of hours) expect(lengthOf(part)).toBeLessThan(lengthOf(days) > 0 ? DAY_MS : 2 * DAY_MS);
      }),
      { numRuns: 500 },
    );
  });
});

const startOf = (text: string, width: (typeof BUCKET_WIDTHS)[number]): string =>
  formatTimestamp(bucketStart(parseTimestamp(text)!, width));

describe('a bucket', () => {
  it.each([
    ['2026-11-21T18:05:59.999Z', '2026-11-21T18:00:00.000Z', '2026-11-21T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['2026-11-15T23:59:59.999Z', '2026-11-15T23:00:00.000Z', '2026-11-15T00:00:00.000Z', '2026-11-09T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:00:00.000Z', '1969-12-31T00:00:00.000Z', '1969-12-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:00:00.000Z', '9999-12-31T00:00:00.000Z', '9999-12-27T00:00:00.000Z'],
  ])('of %s starts on a UTC boundary', (moment, hour, day, week) => {
    const minute = moment.replace(/\d\d\.\d{3}Z$/, '00.000Z');
    expect(BUCKET_WIDTHS.map((width) => startOf(moment, width))).toEqual([minute, hour, day, week]);
  });

  it('holds every moment from its start to the next one, weeks from Monday', () => {
    const moment = fc.integer({ min: -62_135_596_800_000, max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(moment, fc.constantFrom(...BUCKET_WIDTHS), (epochMs, width) => {
        const start = bucketStart(epochMs, width);
        expect(start <= epochMs && epochMs < start + BUCKET[width].widthMs).toBe(true);
        expect(nextBucketStart(epochMs, width)).toBe(epochMs === start ? start : start + BUCKET[width].widthMs);
        const date = new Date(start);
        expect([date.getUTCSeconds(), date.getUTCMilliseconds()]).toEqual([0, 0]);
        if (width !== 'minute') expect(date.getUTCMinutes()).toBe(0);
        if (width === 'day' || width === 'week') expect(date.getUTCHours()).toBe(0);
        if (width === 'week') expect(date.getUTCDay()).toBe(1);
      }),
    );
  });
});
