import { describe, expect, it } from '@jest/globals';
import { cutSlice } from './build-text-index.js';

const OPEN = { startedFrom: -1_000, startedUntil: 1_000 };
const SIZE = { spans: 4, bytes: 1_000 };

function cut(starts: readonly number[], bytes = 1) {
  const spans = starts.slice(0, 8).map((startedAt, n) => ({ id: `s${n}`, startedAt, bytes }));
  const { startedFrom, spans: taken, tooLarge } = cutSlice(OPEN, spans, SIZE);
  return { startedFrom, count: taken.length, tooLarge };
}

describe('cutting a slice off a range', () => {
  it('takes so many spans, or so much text, and never a part of those that start at once', () => {
    expect(cut([9, 8, 7, 6, 5, 4, 3])).toEqual({ startedFrom: 6, count: 4, tooLarge: false });
    expect(cut([9, 8, 7, 6, 6, 6, 5, 4])).toEqual({ startedFrom: 6, count: 6, tooLarge: false });
    expect(cut([9, 8, 7, 6, 5, 4, 3], 500)).toEqual({ startedFrom: 8, count: 2, tooLarge: false });
  });

  it('takes all of what is hardly more than that', () => {
    expect(cut([9, 8, 7, 6, 5, 4])).toEqual({ startedFrom: -1_000, count: 6, tooLarge: false });
    expect(cut([])).toEqual({ startedFrom: -1_000, count: 0, tooLarge: false });
  });

  it('makes no filter of very many that start at once', () => {
    const many = Array.from({ length: 40 }, () => 7);
    expect(cut(many)).toEqual({ startedFrom: 7, count: 8, tooLarge: true });
    expect(cut([9, 8, ...many])).toEqual({ startedFrom: 7, count: 8, tooLarge: true });
    expect(cut([9, 8, 7, 6, 5, ...many])).toEqual({ startedFrom: 6, count: 4, tooLarge: false });
  });
});
