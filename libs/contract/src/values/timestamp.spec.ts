import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatTimestamp, parseTimestamp } from './timestamp.js';

describe('parseTimestamp', () => {
  it('reads what formatTimestamp writes', () => {
    const min = new Date('0001-01-01T00:00:00Z');
    const max = new Date('9999-12-31T23:59:59.999Z');
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        expect(parseTimestamp(formatTimestamp(date.getTime()))).toBe(date.getTime());
      }),
    );
  });

  it.each([
    ['2026-11-20T09:00:00.000Z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T11:00:00+02:00', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T11:00:00 02:00', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T03:30:00-0530', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T09:00:00.123456789Z', '2026-11-20T09:00:00.123Z'],
    ['2026-11-20 09:00', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(formatTimestamp(parseTimestamp(text)!)).toBe(expected);
  });

  it.each([
    '',
    'now',
    '1700000000000',
    '2026-13-01',
    '2026-02-29',
    '2026-11-20T25:00:00Z',
    '2026-11-20T09:60:00Z',
    '2026-11-20T09:00:61Z',
    '2026-11-20T09:00:00+24:00',
    '+012026-01-01T00:00:00Z',
    '0000-06-01T00:00:00Z',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
