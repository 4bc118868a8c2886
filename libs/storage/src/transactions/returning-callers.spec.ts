import { describe, expect, it } from '@jest/globals';
import { ReturningCallers } from './returning-callers.js';

/** Commits that answer `count` callers each, of whom `back` have come by the next one. */
function after(...commits: readonly { count: number; back: number }[]): ReturningCallers {
  const callers = new ReturningCallers();
  for (const { count, back } of commits) {
    callers.answers(count);
    for (let n = 0; n < back; n++) callers.comes();
  }
  return callers;
}

describe('ReturningCallers', () => {
  it('expects most of those who were answered, less those who have come', () => {
    expect(after({ count: 40, back: 0 }).expected).toBe(38);
    expect(after({ count: 40, back: 30 }).expected).toBe(8);
    expect(after({ count: 40, back: 60 }).expected).toBe(0);
  });

  it('expects nobody before the first answers, and none of a few', () => {
    expect(new ReturningCallers().expected).toBe(0);
    expect(after({ count: 7, back: 0 }).expected).toBe(0);
  });

  it('stops to wait for those who do not come back, and tries others again later', () => {
    const gone = Array.from({ length: 3 }, () => ({ count: 20, back: 0 }));
    expect(after(...gone, { count: 20, back: 0 }).expected).toBe(0);
    const few = Array.from({ length: 8 }, () => ({ count: 1, back: 1 }));
    expect(after(...gone, ...few, { count: 20, back: 0 }).expected).toBe(19);
  });
});
