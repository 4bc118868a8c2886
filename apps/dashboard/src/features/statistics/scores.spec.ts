import { describe, expect, it } from '@jest/globals';
import { DIFFERENCES, placeOn, scaleAround, SCORES } from './scores.js';

describe('the scale of an error bar', () => {
  it('goes from 0 to 1 for scores, and around 0 for differences', () => {
    expect([0, 0.25, 1].map((value) => placeOn(SCORES, value))).toEqual([0, 25, 100]);
    expect([-1, 0, 0.5].map((value) => placeOn(DIFFERENCES, value))).toEqual([0, 50, 75]);
    expect([-2, 2].map((value) => placeOn(DIFFERENCES, value))).toEqual([0, 100]);
  });

  it('has room for an amount and its bounds', () => {
    expect(scaleAround([20, -80, 120])).toEqual({ low: -120, high: 120 });
    expect([scaleAround([0, null, undefined]), scaleAround([])]).toEqual([null, null]);
  });
});
