import { describe, expect, it } from '@jest/globals';
import { stepSideways, type TreeRows } from './tree-keys.js';

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
