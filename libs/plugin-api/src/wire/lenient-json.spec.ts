import { describe, expect, it } from '@jest/globals';
import { amountOf, countOf } from './lenient-json.js';

describe('a number that somebody else wrote', () => {
  it.each<[value: unknown, count: number | null, amount: number | null]>([
    [0, 0, 0],
    [21, 21, 21],
    ['21', 21, 21],
    ['21.0', 21, 21],
    [JSON.rawJSON('21.0'), 21, 21],
    [0.5, null, 0.5],
    ['8.55e-06', null, 0.00000855],
    [-1, null, null],
    ['-1', null, null],
    ['', null, null],
    [' ', null, null],
    ['0x10', null, null],
    ['1,000', null, null],
    ['Infinity', null, null],
    ['1e999', null, null],
    ['9'.repeat(100), null, null],
    [2 ** 53, null, 2 ** 53],
    [NaN, null, null],
    [null, null, null],
    [true, null, null],
    [{}, null, null],
  ])('%j', (value, count, amount) => {
    expect([countOf(value), amountOf(value)]).toEqual([count, amount]);
  });
});
