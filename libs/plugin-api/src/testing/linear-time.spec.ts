import { describe, expect, it } from '@jest/globals';
import type { Finder } from '../masker.js';
import { assertLinear, repetitionsOf } from './linear-time.js';

const finderOf = (pattern: RegExp): Finder => ({
  lengthMin: 1,
  find: (text) =>
    [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ start: index, end: index + length })),
});

describe('assertLinear', () => {
  it('refuses a finder that looks at the rest of the text from each beginning', () => {
    const finder = finderOf(/(?<!\w)sk-(?=[\w-]*[0-9A-Za-z]{16})[\w-]{20,}/g);
    const pieces = repetitionsOf([{ text: 'key=sk-abcdefghijklmnop0', values: ['sk-abcdefghijklmnop0'] }]);
    expect(pieces).toEqual(expect.arrayContaining(['sk-', 'sk--', 'sk-_']));
    expect(() => pieces.forEach((piece) => assertLinear(finder, piece))).toThrow(
      /takes .* times as long as in four parts/,
    );
  });

  it('takes one that is slow, but linear', () => {
    let work = 0;
    const find = (text: string) => {
      for (let step = 0; step < text.length * 200; step++) work += step % 7;
      return [];
    };
    expect(() => assertLinear({ lengthMin: 1, find }, 'a-')).not.toThrow();
    expect(work).toBeGreaterThan(0);
  });
});
