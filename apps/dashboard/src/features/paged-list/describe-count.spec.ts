import { describe, expect, it } from '@jest/globals';
import { describeCount } from './describe-count.js';

const list = (length: number, isComplete: boolean, isWaiting = false) => ({ length, isComplete, isWaiting });

describe('the words for how many rows a list has', () => {
  it('are exact where all of them were read', () => {
    expect(describeCount(list(1, true), undefined, 'span')).toBe('1 span');
    expect(describeCount(list(150, true), { count: 7, exact: true }, 'span')).toBe('150 spans');
  });

  it('are those of the server else', () => {
    expect(describeCount(list(200, false), { count: 2_013, exact: true }, 'trace')).toBe('2,013 traces');
    expect(describeCount(list(200, false), { count: 10_000, exact: false }, 'trace')).toBe('10,000+ traces');
  });

  it('say what is not known yet', () => {
    expect(describeCount(list(200, false), undefined, 'trace')).toBe('Counting traces');
    expect(describeCount(list(5, true, true), null, 'trace')).toBe('Counting traces');
    expect(describeCount(list(200, false), null, 'span')).toBe('200+ spans');
    expect(describeCount(list(200, false), { count: 0, exact: true }, 'trace')).toBe('200+ traces');
  });
});
