import { expect, it } from '@jest/globals';
import { newId } from '@spandrel/kernel';
import { firstIdOf } from './audit-log.js';

it('no id that is made at a time or later is before the first of that time', () => {
  const before = Date.now();
  const ids = Array.from({ length: 100 }, newId);
  for (const id of ids) {
    expect(id >= firstIdOf(before)).toBe(true);
    expect(id < firstIdOf(Date.now() + 1_000)).toBe(true);
  }
});

it('times outside of what an id can hold have the first and the last', () => {
  expect(firstIdOf(-5)).toBe('0000000000');
  expect(firstIdOf(Number.MAX_SAFE_INTEGER)).toBe('7ZZZZZZZZZ');
});
