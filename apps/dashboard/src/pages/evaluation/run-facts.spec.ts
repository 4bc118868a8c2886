import { describe, expect, it } from '@jest/globals';
import { describePasses, passesOf } from './run-facts.js';

const tried = (...scores: (number | null)[]) => ({
  samples: scores.map((score) => ({ score, status: score === null ? ('failed' as const) : ('completed' as const) })),
});

describe('the passes of a datapoint', () => {
  it('are its tries with the pass score or more, of those that have a score', () => {
    expect(passesOf(tried(1, 0, 1, null), 1)).toEqual({ passed: 2, counted: 3, isFlaky: true });
    expect(passesOf(tried(0.5, 0.5 - 1e-13), 0.5)).toEqual({ passed: 2, counted: 2, isFlaky: false });
    expect(passesOf(tried(0, 0), 1)).toEqual({ passed: 0, counted: 2, isFlaky: false });
  });

  it('are said in words', () => {
    expect(describePasses({ passed: 2, counted: 3, isFlaky: true })).toBe('2 of 3 tries, flaky');
    expect(describePasses({ passed: 0, counted: 1, isFlaky: false })).toBe('0 of 1 try');
  });

  it('are not known before the first score, and where it is tried once', () => {
    expect([passesOf(tried(null), 1), passesOf({ samples: null }, 1), passesOf({}, 1)]).toEqual([null, null, null]);
  });
});
