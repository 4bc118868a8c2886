import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUCKET_WIDTHS, formatTimestamp, parseTimestamp } from '@spandrel/contract';
import { BUCKET, bucketStart, nextBucketStart } from './time-buckets.js';

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
