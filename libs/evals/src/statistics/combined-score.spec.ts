import { describe, expect, it } from '@jest/globals';
import { combinedScore } from './combined-score.js';

describe('the score of a sample', () => {
  it('is the weighted mean of its scorers', () => {
    expect(combinedScore([1, 1], [1, 0.5])).toBe(0.75);
    expect(combinedScore([1, 3], [1, 0])).toBe(0.25);
  });

  it('leaves out scorers without a score or a weight', () => {
    expect(combinedScore([1, 3, 2], [0.4, null, 0.7])).toBeCloseTo(0.6, 15);
    expect(combinedScore([1, 0], [0.4, 1])).toBe(0.4);
    expect(combinedScore([0, 0], [0.4, 1])).toBeNull();
    expect(combinedScore([1], [null])).toBeNull();
  });

  it('is right when all are right, whatever their weights', () => {
    expect(combinedScore([0.1, 0.2, 0.7, 0.3], [1, 1, 1, 1])).toBe(1);
    expect(combinedScore([0.1, 0.2, 0.7], [0.3, 0.3, 0.3])).toBe(0.3);
    expect(combinedScore([1e300, 1e-300], [0, 1])).toBeLessThan(1e-300);
  });
});
