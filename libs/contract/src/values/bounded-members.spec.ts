import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { boundedMembers } from './bounded-members.js';

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
