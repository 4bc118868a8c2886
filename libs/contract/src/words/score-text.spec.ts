import { describe, expect, it } from '@jest/globals';
import { scoreText, sumText } from './score-text.js';

describe('a score', () => {
  it('is a word on a chip', () => {
    expect(scoreText({ value: 1 / 3, label: null, comment: 'why' })).toBe('0.333');
    expect(scoreText({ value: 0, label: 'bad', comment: null })).toBe('bad (0)');
    expect([scoreText({ label: 'bad' }), scoreText({ comment: 'why' }), scoreText({})]).toEqual(['bad', 'why', '']);
  });

  it('is summed up for a row', () => {
    expect(sumText({ count: 3, mean: 0.5, labels: {} })).toBe('0.5');
    expect(sumText({ count: 3, mean: null, labels: { bad: 1, good: 2 } })).toBe('good ×2, bad');
    expect(sumText({ count: 2, mean: null, labels: {} })).toBe('×2');
  });
});
