import { describe, expect, it } from '@jest/globals';
import { isRowKey, rowAfterKey } from './grid-keys.js';

describe('rowAfterKey', () => {
  it.each([
    ['ArrowDown', -1, 0],
    ['ArrowDown', 98, 99],
    ['ArrowDown', 99, 99],
    ['ArrowUp', 0, 0],
    ['ArrowUp', -1, 0],
    ['Home', 50, 0],
    ['End', 50, 99],
    ['PageDown', 0, 9],
    ['PageDown', 95, 99],
    ['PageUp', 95, 86],
    ['PageUp', 3, 0],
  ] as const)('%s leads from %i to %i of a hundred rows, ten at once', (key, from, to) => {
    expect(rowAfterKey(key, from, 100, 10)).toBe(to);
  });

  it('has nowhere to go in an empty list', () => {
    expect(rowAfterKey('ArrowDown', -1, 0, 10)).toBe(-1);
  });

  it('moves by a row where none is visible', () => {
    expect(rowAfterKey('PageDown', 3, 100, 0)).toBe(4);
  });
});

describe('isRowKey', () => {
  it('knows the keys of rows alone', () => {
    expect(['Home', 'Enter', 'a', 'toString'].map(isRowKey)).toEqual([true, false, false, false]);
  });
});
