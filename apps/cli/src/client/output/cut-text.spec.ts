import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText, padText, widthOf } from './cut-text.js';

describe('cutText', () => {
  it('keeps what has room and marks what was cut', () => {
    expect(cutText('hello', 5)).toBe('hello');
    expect(cutText('hello!', 5)).toBe('hell…');
    expect(cutText('to be or', 4)).toBe('to…');
    expect(cutText('x', 0)).toBe('');
  });

  it('cuts no character apart', () => {
    expect(cutText('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4)).toBe('👩‍👩‍👧…');
    expect(cutText('東京タワー', 4)).toBe('東…');
    expect(cutText('é'.normalize('NFD').repeat(9), 3)).toBe(`${'é'.normalize('NFD').repeat(2)}…`);
  });

  it('cuts a letter with thousands of marks as any long text', () => {
    expect(cutText(`a${'\u0301'.repeat(5_000)}b`, 10).length).toBeLessThan(200);
  });

  it('never takes more columns than it may', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
        expect(widthOf(cutText(text, columns))).toBeLessThanOrEqual(Math.max(columns, 1));
      }),
    );
  });
});

it('padText fills up by columns', () => {
  expect([padText('東', 4), padText('5', 3, 'right'), padText('long', 2)]).toEqual(['東  ', '  5', 'long']);
});
