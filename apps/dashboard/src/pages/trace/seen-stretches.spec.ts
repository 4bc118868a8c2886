import { describe, expect, it } from '@jest/globals';
import { seenStretches, shareOf } from './seen-stretches.js';

const RANGE = { from: 0, to: 1_000 };

describe('seenStretches', () => {
  it('leaves out what is elsewhere and draws close neighbours as one', () => {
    const stretches = [
      { from: -5, to: 0 },
      { from: 1, to: 10 },
      { from: 10.5, to: 20 },
      { from: 30, to: 40 },
      { from: 1_000, to: 1_001 },
    ];
    const seen = [
      { from: 1, to: 20 },
      { from: 30, to: 40 },
    ];
    expect(seenStretches(stretches, RANGE)).toEqual(seen);
    expect(seenStretches(stretches.toReversed(), RANGE)).toEqual(seen);
    expect(stretches[1]).toEqual({ from: 1, to: 10 });
  });

  it('draws no more than a row can hold', () => {
    const many = Array.from({ length: 900 }, (_, index) => ({ from: index * 20, to: index * 20 + 2 }));
    const seen = seenStretches(many, { from: 0, to: 18_000 });
    expect(seen).toHaveLength(200);
    expect(seen.at(-1)!.to).toBe(17_982);
  });
});

describe('shareOf', () => {
  it('gives shares of the range, cut to it', () => {
    expect(shareOf({ from: 250, to: 500 }, RANGE)).toEqual({ left: 0.25, width: 0.25 });
    expect(shareOf({ from: -100, to: 2_000 }, RANGE)).toEqual({ left: 0, width: 1 });
    expect(shareOf({ from: 500, to: 500 }, RANGE)).toEqual({ left: 0.5, width: 0 });
  });
});
