import { describe, expect, it } from '@jest/globals';
import { cutSlice } from './build-text-index.js';

const OPEN = { startedFrom: -1_000, startedUntil: 1_000 };
const SIZE = { spans: 4, bytes: 1_000 };

async function cut(starts: readonly number[], bytes = 1) {
  const spans = starts.map((startedAt, n) => ({ id: `s${n}`, startedAt, bytes }));
  async function* pages() {
    for (let at = 0; at < spans.length; at += 3) yield spans.slice(at, at + 3);
  }
  const { startedFrom, spans: taken, tooLarge } = await cutSlice(OPEN, pages(), SIZE);
  return { startedFrom, count: taken.length, tooLarge };
}

describe('cutting a slice off a range', () => {
  it('takes so many spans, or so much text, and never a part of those that start at once', async () => {
    expect(await cut([9, 8, 7, 6, 5, 4, 3])).toEqual({ startedFrom: 6, count: 4, tooLarge: false });
    expect(await cut([9, 8, 7, 6, 6, 6, 5, 4])).toEqual({ startedFrom: 6, count: 6, tooLarge: false });
    expect(await cut([9, 8, 7, 6, 5, 4, 3], 500)).toEqual({ startedFrom: 8, count: 2, tooLarge: false });
  });

  it('takes all of what is hardly more than that', async () => {
    expect(await cut([9, 8, 7, 6, 5, 4])).toEqual({ startedFrom: -1_000, count: 6, tooLarge: false });
    expect(await cut([])).toEqual({ startedFrom: -1_000, count: 0, tooLarge: false });
  });

  it('makes no filter of very many that start at once', async () => {
    const many = Array.from({ length: 40 }, () => 7);
    expect(await cut(many)).toEqual({ startedFrom: 7, count: 33, tooLarge: true });
    expect(await cut([9, 8, ...many])).toEqual({ startedFrom: 7, count: 33, tooLarge: true });
    expect(await cut([9, 8, 7, 6, 5, ...many])).toEqual({ startedFrom: 6, count: 4, tooLarge: false });
  });
});
