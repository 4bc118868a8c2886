import { describe, expect, it } from '@jest/globals';
import { spentOf, stopSentence, stopWord } from './run-words.js';

describe('a run in words', () => {
  it('says why it ended early, unless somebody cancelled it', () => {
    const reasons = [null, 'cancelled', 'cost_cap', 'idle'] as const;
    expect(reasons.map((reason) => stopWord({ stop_reason: reason }))).toEqual([null, null, 'cost cap', 'idle']);
    expect(stopSentence({ stop_reason: 'cost_cap' })).toMatch(/cap/);
    expect(stopSentence({ stop_reason: null })).toBeNull();
  });

  it('has spent what its calls and judges cost', () => {
    expect(spentOf({ total_cost: 0.5, judge_cost: 0.25 })).toBe(0.75);
    expect(spentOf({ total_cost: null, judge_cost: null })).toBe(0);
  });
});
