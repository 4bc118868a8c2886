import { describe, expect, it } from '@jest/globals';
import { decideByBudget } from './take-tasks.js';

describe('decideByBudget', () => {
  it.each<[string, number | null, number, number | null, number, string]>([
    ['without a budget', null, 100, 1, 50, 'begin'],
    ['while no cost is known, the first', 1, 0, null, 0, 'begin'],
    ['while no cost is known, a second', 1, 0, null, 1, 'wait'],
    ['with room for one more', 1, 0.5, 0.25, 1, 'begin'],
    ['with room when one under way ends', 1, 0.5, 0.25, 2, 'wait'],
    ['without room for the dearest', 1, 0.8, 0.25, 0, 'stop'],
    ['with nothing left', 1, 1, null, 0, 'stop'],
    ['with a budget of nothing', 0, 0, null, 0, 'stop'],
  ])('%s', (_what, cap, spent, dearest, underWay, expected) => {
    expect(decideByBudget({ cap, spent }, dearest, underWay)).toBe(expected);
  });
});
