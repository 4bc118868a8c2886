import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUCKET_WIDTHS } from '@spandrel/contract';
import { planRange, type RangePlan, type TimeRange } from './plan-range.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-buckets.js';

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
