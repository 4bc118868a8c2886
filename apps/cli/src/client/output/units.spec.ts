import { expect, it } from '@jest/globals';
import { bytesText, costText, countText, durationText, percentText, timeText } from './units.js';

it('durations', () => {
  const shown = [0, 12.4, 999.4, 999.6, 1_240, 9_994, 12_345, 59_940, 59_960, 185_000, 3_599_400, 3_600_000, 7_620_000];
  expect(shown.map(durationText)).toEqual([
    ...['0 ms', '12 ms', '999 ms', '1.00 s', '1.24 s', '9.99 s', '12.3 s', '59.9 s'],
    ...['1 min 00 s', '3 min 05 s', '59 min 59 s', '1 h 00 min', '2 h 07 min'],
  ]);
});

it('durations below zero have a sign, unless they round to none', () => {
  expect([-80, -1_490, -0.5, -0.4, -0].map(durationText)).toEqual(['-80 ms', '-1.49 s', '-1 ms', '0 ms', '0 ms']);
});

it('costs have the digits that count', () => {
  expect([0, 12.345, 1, 0.5, 0.123456, 0.00123456, 0.000000123, 1234.5].map(costText)).toEqual([
    ...['$0.00', '$12.35', '$1.00', '$0.50', '$0.123', '$0.00123', '$0.000000123', '$1234.50'],
  ]);
});

it('counts, parts and bytes', () => {
  expect([countText(1_234_567), percentText(0.1234), bytesText(512), bytesText(1_234), bytesText(10_485_760)]).toEqual([
    ...['1,234,567', '12.3%', '512 bytes', '1.2 KB', '10.5 MB'],
  ]);
});

it('what is not known is empty', () => {
  expect([countText(null), durationText(undefined), costText(null), percentText(null), timeText(null, true)]).toEqual(
    Array(5).fill(''),
  );
});

it('times are those of the machine on a terminal alone', () => {
  const at = '2026-11-20T09:00:00.000Z';
  expect(timeText(at, false)).toBe(at);
  expect(new Date(timeText(at, true)).toISOString()).toBe(at);
});
