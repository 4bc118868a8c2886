import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { DAY_MS } from '@spandrel/storage';
import { startWindows } from './find-spans.js';

const moment = fc.integer({ min: -50 * DAY_MS, max: 400 * DAY_MS });

describe('windows of starts', () => {
  it('hold every start that a list may have, in list order, each in one of them', () => {
    const given = fc.record({
      since: fc.option(moment, { nil: undefined }),
      until: fc.option(moment, { nil: undefined }),
      sort_order: fc.constantFrom('asc' as const, 'desc' as const),
    });
    fc.assert(
      fc.property(
        given,
        fc.option(moment, { nil: undefined }),
        fc.array(moment),
        fc.nat(300),
        (query, at, starts, day) => {
          const from = at === undefined ? undefined : { value: at, id: 'x' };
          const windows = startWindows(query, from, { oldest: day - 20, newest: day });
          const places = starts
            .filter((start) => start >= (query.since ?? -Infinity) && start < (query.until ?? Infinity))
            .filter((start) => at === undefined || (query.sort_order === 'asc' ? start >= at : start <= at))
            .toSorted((a, b) => (query.sort_order === 'asc' ? a - b : b - a))
            .map((start) =>
              windows.flatMap(({ from: low = -Infinity, until: high = Infinity }, index) =>
                start >= low && start < high ? [index] : [],
              ),
            );
          expect(places.every(({ length }) => length === 1)).toBe(true);
          const order = places.flat();
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        },
      ),
    );
  });

  it('begin with few days, wherever that is', () => {
    const ends = { oldest: 10, newest: 100 };
    expect(startWindows({ sort_order: 'desc' }, undefined, ends)[0]).toEqual({ from: 99 * DAY_MS, until: undefined });
    expect(startWindows({ sort_order: 'asc' }, undefined, ends)[0]).toEqual({ from: undefined, until: 12 * DAY_MS });
    const from = { value: 50 * DAY_MS + 5, id: 'x' };
    expect(startWindows({ sort_order: 'desc' }, from, ends)[0]).toEqual({ from: 49 * DAY_MS, until: 51 * DAY_MS });
  });
});
