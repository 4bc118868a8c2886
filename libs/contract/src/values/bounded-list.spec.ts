import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { boundedList } from './bounded-list.js';

describe('a bounded list', () => {
  const list = z.object({ tags: boundedList(z.string(), 3).nullish() });

  it('is what a list is', () => {
    expect(list.parse({ tags: ['a', 'b', 'c'] })).toEqual({ tags: ['a', 'b', 'c'] });
    expect(list.parse({ tags: null })).toEqual({ tags: null });
    expect(list.safeParse({ tags: 'a' }).error!.issues).toHaveLength(1);
    expect(list.safeParse({ tags: ['a', 1, 2] }).error!.issues.map(({ path }) => path)).toEqual([
      ['tags', 1],
      ['tags', 2],
    ]);
  });

  it('has one fault when it is too long, whatever its items are', () => {
    const { issues } = list.safeParse({ tags: Array<number>(100_000).fill(1) }).error!;
    const same = z.array(z.unknown()).max(3).safeParse([1, 2, 3, 4]).error!.issues;
    expect(issues).toEqual([{ ...same[0], path: ['tags'] }]);
  });
});
