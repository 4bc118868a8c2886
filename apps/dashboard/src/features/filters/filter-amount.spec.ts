import { describe, expect, it } from '@jest/globals';
import { readAmount, writeAmount } from './filter-amount.js';

describe('a number of a filter', () => {
  it.each([
    ['1500', 'duration', '1500'],
    [' 1.5 s ', 'duration', '1500'],
    ['1.1s', 'duration', '1100'],
    ['2 MIN', 'duration', '120000'],
    ['1,500 ms', 'duration', '1500'],
    ['$0.05', 'cost', '0.05'],
    ['.5', 'cost', '0.5'],
    ['0', 'cost', '0'],
    ['2,000', 'count', '2000'],
  ] as const)('%p of %s is %s', (text, unit, read) => {
    expect(readAmount(text, unit)).toBe(read);
  });

  it.each([
    ['', 'duration'],
    ['-1', 'duration'],
    ['5 days', 'duration'],
    ['$5', 'duration'],
    ['1e3', 'cost'],
    ['5 s', 'cost'],
    ['1.5', 'count'],
    ['Infinity', 'count'],
  ] as const)('%p is no number of %s', (text, unit) => {
    expect(readAmount(text, unit)).toBeNull();
  });

  it('is written for people', () => {
    expect([writeAmount('1500', 'duration'), writeAmount('0.05', 'cost'), writeAmount('2000', 'count')]).toEqual([
      ...['1.50 s', '$0.05', '2,000'],
    ]);
  });
});
