import { describe, expect, it } from '@jest/globals';
import { countNew, describeHeld } from './held-rows.js';

const shown = new Set(['d', 'c', 'b']);

describe('rows that are held', () => {
  it.each([
    ['nothing new', ['d', 'c', 'b'], 0],
    ['new ones above', ['f', 'e', 'd', 'c', 'b'], 2],
    ['one that belongs between', ['d', 'x', 'c', 'b'], 1],
    ['rows of the next page, moved up by a deletion', ['d', 'c', 'a'], 0],
    ['both', ['e', 'd', 'b', 'a'], 1],
    ['all deleted', [], 0],
  ])('%s', (_what, fresh, count) => {
    expect(countNew(shown, fresh, true)).toEqual({ count, isMore: false });
  });

  it('are more than a page where none of it is on screen', () => {
    expect(countNew(shown, ['z', 'y'], true)).toEqual({ count: 2, isMore: true });
    expect(countNew(new Set(), ['z'], false)).toEqual({ count: 1, isMore: false });
  });

  it('have words', () => {
    expect(describeHeld({ count: 1, isMore: false }, 'trace')).toBe('1 new trace');
    expect(describeHeld({ count: 50, isMore: false }, 'trace')).toBe('50 new traces');
    expect(describeHeld({ count: 200, isMore: true }, 'trace')).toBe('200+ new traces');
  });
});
