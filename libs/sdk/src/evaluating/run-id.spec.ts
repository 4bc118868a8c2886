import { expect, it } from '@jest/globals';
import { decodeTime, isValid } from 'ulid';
import { newRunId } from './run-id.js';

it('ids of runs are ULIDs, in the order of their times', () => {
  const times = [0, 1, 31, 32, 1_763_000_000_000, 1_763_000_000_001, 2 ** 48 - 1];
  const ids = times.map((time) => newRunId(time));
  expect(ids.every((id) => isValid(id))).toBe(true);
  expect(ids.map((id) => decodeTime(id))).toEqual(times);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(Array.from({ length: 100 }, () => newRunId(5))).size).toBe(100);
});
