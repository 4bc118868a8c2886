import { describe, expect, it } from '@jest/globals';
import { isRowKey, rowAfterKey, stepSideways, type TreeRows } from './row-keys.js';

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

/** A row a word: its depth, then `+` folded, `-` open, nothing for a leaf. */
function rowsOf(text: string): TreeRows {
  const rows = text.split(' ');
  return {
    length: rows.length,
    depthAt: (index) => Number.parseInt(rows[index]!),
    isOpenAt: (index) => ({ '+': false, '-': true })[rows[index]!.slice(-1)],
  };
}

describe('stepSideways', () => {
  const rows = rowsOf('0- 1- 2 1+ 0-');

  it('opens and goes to the first child', () => {
    expect(stepSideways('ArrowRight', rows, 0)).toEqual({ to: 1 });
    expect(stepSideways('ArrowRight', rows, 3)).toEqual({ toggle: 3 });
    expect(stepSideways('ArrowRight', rows, 2)).toBeNull();
    expect(stepSideways('ArrowRight', rows, 4)).toBeNull();
  });

  it('folds and goes to the parent', () => {
    expect(stepSideways('ArrowLeft', rows, 1)).toEqual({ toggle: 1 });
    expect(stepSideways('ArrowLeft', rows, 2)).toEqual({ to: 1 });
    expect(stepSideways('ArrowLeft', rows, 3)).toEqual({ to: 0 });
    expect(stepSideways('ArrowLeft', rowsOf('0 0'), 1)).toBeNull();
    expect(stepSideways('ArrowLeft', rows, -1)).toBeNull();
  });
});
