import { describe, expect, it } from '@jest/globals';
import { describePasses, passesOf } from './run-facts.js';

const tried = (...passed: (boolean | null)[]) => ({ samples: passed.map((each) => ({ passed: each })) });

describe('the passes of a datapoint', () => {
  it('are its tries that pass, of those that have a score', () => {
    expect(passesOf(tried(true, false, true, null))).toEqual({ passed: 2, counted: 3, isFlaky: true });
    expect(passesOf(tried(true, true))).toEqual({ passed: 2, counted: 2, isFlaky: false });
    expect(passesOf(tried(false, false))).toEqual({ passed: 0, counted: 2, isFlaky: false });
  });

  it('are said in words', () => {
    expect(describePasses({ passed: 2, counted: 3, isFlaky: true })).toBe('2 of 3 tries, flaky');
    expect(describePasses({ passed: 0, counted: 1, isFlaky: false })).toBe('0 of 1 try');
  });

  it('are not known before the first score, and where it is tried once', () => {
    expect([passesOf(tried(null)), passesOf({ samples: null }), passesOf({})]).toEqual([null, null, null]);
  });
});
