import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { boundedList, boundedMembers } from './bounded.js';

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

const members = (count: number, value: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]));

it.each([
  ['members that it does not know', boundedMembers(z.strictObject({ a: z.string().optional() }), 3), 1],
  ['wrong values', boundedMembers(z.record(z.string(), z.string()), 3), 3],
])('an object with too many members has one fault, with a few %s it has those', (_what, schema, faults) => {
  const whole = z.object({ filters: schema.nullish() });
  const issuesOf = (filters: unknown) => whole.safeParse({ filters }).error?.issues ?? [];
  expect(issuesOf({})).toEqual([]);
  expect(issuesOf(null)).toEqual([]);
  const few = issuesOf(members(3, 1));
  expect(few).toHaveLength(faults);
  expect(few.map(({ message }) => message)).not.toContain('must have at most 3 members');
  expect(issuesOf(members(50_000, 1))).toEqual([
    { code: 'custom', path: ['filters'], message: 'must have at most 3 members' },
  ]);
});
