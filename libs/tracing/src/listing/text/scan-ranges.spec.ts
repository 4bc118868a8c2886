import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@spandrel/storage';
import { firstScan, rangeBehind } from './scan-ranges.js';
import type { StartRange } from '../span-query.js';

const SIZES = [1, 2, 3, 7, 8].map((day) => ({ day, bytes: 10 }));
const day = (n: number): number => n * DAY_MS;

describe('what one statement of a text search looks through', () => {
  it('is whole days from the end where the list begins, as many as fit', () => {
    expect(firstScan('desc', {}, SIZES, 20)).toEqual({ from: day(4), until: undefined, bytes: 20 });
    expect(firstScan('desc', { until: day(4) }, SIZES, 20)).toEqual({ from: day(2), until: day(4), bytes: 20 });
    expect(firstScan('asc', {}, SIZES, 20)).toEqual({ from: undefined, until: day(3), bytes: 20 });
    expect(firstScan('asc', { from: day(3) }, SIZES, 20)).toEqual({ from: day(3), until: day(8), bytes: 20 });
  });

  it('is at least one day, however large, and all that is left at the end', () => {
    expect(firstScan('desc', {}, SIZES, 1)).toEqual({ from: day(8), until: undefined, bytes: 10 });
    expect(firstScan('desc', { from: 5, until: day(2) + 5 }, SIZES, 1_000)).toEqual({
      from: 5,
      until: day(2) + 5,
      bytes: 20,
    });
    expect(firstScan('asc', { from: day(20) }, SIZES, 10)).toEqual({ from: day(20), until: undefined, bytes: 0 });
  });

  it.each(['asc', 'desc'] as const)('goes on behind its edge, each day once, however large (%s)', (order) => {
    const edges: number[] = [];
    let left: StartRange = rangeBehind({}, order, undefined);
    for (let turn = 0; turn < SIZES.length; turn++) {
      const { from, until } = firstScan(order, left, SIZES, 1);
      const edge = order === 'desc' ? from : until;
      if (edge === undefined) break;
      edges.push(edge);
      left = rangeBehind({}, order, { value: edge, id: '' });
    }
    expect(edges).toEqual(order === 'desc' ? [8, 4, 3, 2].map(day) : [2, 3, 7, 8].map(day));
  });

  it('goes on at the start of the last span that was found, whose neighbours may start with it', () => {
    expect(rangeBehind({ from: 3 }, 'desc', { value: 7, id: 'a' })).toEqual({ from: 3, until: 8 });
    expect(rangeBehind({ from: 3, until: 9 }, 'asc', { value: 7, id: 'a' })).toEqual({ from: 7, until: 9 });
  });
});
