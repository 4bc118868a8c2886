import { describe, expect, it } from '@jest/globals';
import { EXPORT_WRITER } from './export-dataset.js';

const csvOf = (input: unknown): string =>
  [
    ...EXPORT_WRITER.csv.rows([
      { kind: JSON.stringify({ Generic: { input } }), resultOutput: null, resultScore: null },
    ]),
  ].join('');

describe('a cell of a CSV export', () => {
  it.each(['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20', '\t', '\r', '\n', '\0'])(
    'that begins with %j is no formula',
    (start) => {
      expect(csvOf(`${start}1+1`).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  it.each([
    ['a=1', 'a=1'],
    [' =1', ' =1'],
    ["'=1", "'=1"],
    [-1, '-1'],
    [{ '=': '=' }, '"{""="":""=""}"'],
  ])('that is none is left alone: %j', (value, cell) => {
    expect(csvOf(value)).toBe(`${cell},,,,,\n`);
  });
});
