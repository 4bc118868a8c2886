import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { decodeTime } from 'ulid';
import { newId } from './ids.js';

describe('newId', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('makes ULIDs of the time they were made at', () => {
    const before = Date.now();
    const id = newId();
    expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(decodeTime(id)).toBeGreaterThanOrEqual(before);
    expect(decodeTime(id)).toBeLessThanOrEqual(Date.now());
  });

  it('makes each greater than the one before, also when the clock goes back', () => {
    const clock = jest.spyOn(Date, 'now');
    const start = Date.now() + 1_000;
    const ids = Array.from({ length: 20_000 }, (_, n) => {
      clock.mockReturnValue(start + Math.floor(n / 5_000) - (n % 7));
      return newId();
    });
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('draws again with each millisecond', () => {
    const clock = jest.spyOn(Date, 'now');
    const start = Date.now() + 10_000;
    const drawn = Array.from({ length: 1_000 }, (_, n) => {
      clock.mockReturnValue(start + n);
      return newId().slice(10);
    });
    expect(new Set(drawn).size).toBe(drawn.length);
  });
});
