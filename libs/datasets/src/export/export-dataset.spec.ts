import { describe, expect, it } from '@jest/globals';
import { EXPORT_WRITER } from './export-dataset.js';

const piecesOf = (input: unknown): string[] => [
  ...EXPORT_WRITER.csv.rows([{ kind: JSON.stringify({ Generic: { input } }), resultOutput: null, resultScore: null }]),
];

const csvOf = (input: unknown): string => piecesOf(input).join('');

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

  it.each(['\n', '\\', '\u0001', '"', '\ud83d', '潮', '😀', 'a'])(
    'that is long is written in pieces: %j',
    (character) => {
      for (const start of ['', 'b', 'bb', 'bbb', 'bbbb', 'bbbbb', '=']) {
        const text = start + character.repeat(300_000);
        const safe = start === '=' || (start === '' && character === '\n') ? `'${text}` : text;
        const pieces = piecesOf(text);
        expect(pieces.join('') === `"${safe.replaceAll('"', '""')}",,,,,\n`).toBe(true);
        expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(150_000);
      }
    },
  );

  it('that is long JSON is written in pieces', () => {
    const list = Array.from({ length: 50_000 }, (_, n) => `s${n}`);
    const pieces = piecesOf(list);
    expect(pieces.join('')).toBe(`"${JSON.stringify(list).replaceAll('"', '""')}",,,,,\n`);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(150_000);
  });
});
