import { describe, expect, it } from '@jest/globals';
import { formatDelta, formatScore } from './format-score.js';

describe('scores', () => {
  it('have three digits at most', () => {
    expect([null, undefined, 0, 1, 0.5, 2 / 3].map(formatScore)).toEqual(['–', '–', '0', '1', '0.5', '0.667']);
  });

  it('have a sign where they changed', () => {
    expect([null, 0, -0.0001, 0.25, -1].map(formatDelta)).toEqual(['–', '0', '0', '+0.25', '-1']);
  });
});
