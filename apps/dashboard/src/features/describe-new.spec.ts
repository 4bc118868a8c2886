import { describe, expect, it } from '@jest/globals';
import { describeNew } from './describe-new.js';

describe('how many are new', () => {
  it('says what was there already', () => {
    expect([describeNew(4, 0, 'datapoint'), describeNew(1, 0, 'datapoint')]).toEqual(['4 datapoints', '1 datapoint']);
    expect(describeNew(3, 1, 'datapoint')).toBe('3, 1 was there already');
    expect(describeNew(0, 1_200, 'datapoint')).toBe('0, 1,200 were there already');
  });
});
