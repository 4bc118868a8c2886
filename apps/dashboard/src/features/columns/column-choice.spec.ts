import { describe, expect, it } from '@jest/globals';
import {
  boundWidth,
  listedColumns,
  moveColumn,
  readColumns,
  readWidths,
  toggleColumn,
  writeColumns,
} from './column-choice.js';

const OFFERED = { all: ['a', 'b', 'c', 'd'], usual: ['a', 'b'] };

describe('a choice of columns', () => {
  it('is read leniently', () => {
    expect(readColumns('c,a,x,a', OFFERED)).toEqual(['c', 'a']);
    for (const nothing of [undefined, '', 'x,y', ['a'], 3]) expect(readColumns(nothing, OFFERED)).toBeUndefined();
  });

  it('is written when it is not the usual one', () => {
    expect(writeColumns(['a', 'b'], {}, OFFERED)).toBeUndefined();
    expect(writeColumns(['b', 'a'], {}, OFFERED)).toBe('b,a');
  });

  it('has the widths that somebody chose', () => {
    const text = writeColumns(['a', 'b'], { b: 120, c: 300 }, OFFERED);
    expect(text).toBe('a,b:120');
    expect([readColumns(text, OFFERED), readWidths(text)]).toEqual([['a', 'b'], { b: 120 }]);
    expect(readWidths('a:-5,b:wide,c:,d:9999')).toEqual({});
    expect([3, 99.6, 5_000].map(boundWidth)).toEqual([48, 100, 800]);
  });

  it('gains and loses columns, but not the last', () => {
    expect(toggleColumn(['a', 'b'], 'd')).toEqual(['a', 'b', 'd']);
    expect(toggleColumn(['a', 'b'], 'a')).toEqual(['b']);
    expect(toggleColumn(['b'], 'b')).toEqual(['b']);
  });

  it('is moved within its ends', () => {
    expect(moveColumn(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c']);
    expect(moveColumn(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c']);
    expect(moveColumn(['a', 'b', 'c'], 'b', 9)).toEqual(['a', 'c', 'b']);
    expect(moveColumn(['a'], 'x', 1)).toEqual(['a']);
  });

  it('is listed before what was not chosen', () => {
    expect(listedColumns(['c', 'a'], OFFERED)).toEqual(['c', 'a', 'b', 'd']);
  });
});
