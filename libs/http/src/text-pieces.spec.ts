import { describe, expect, it } from '@jest/globals';
import { itemTexts, textPieces } from './text-pieces.js';

describe('the pieces of a text', () => {
  it('are short, whatever it is made of, and end within no character', () => {
    const texts = ['x'.repeat(100), '😀'.repeat(1_000_000), 'y', '', 'z'.repeat(3_000_000)];
    const pieces = [...textPieces(texts, '(')];
    expect(pieces.join('') === `(${texts.join('')}`).toBe(true);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  it('are one for a short text, and none for no text', () => {
    expect([...textPieces(['a', 'b', 'c'])]).toEqual(['abc']);
    expect([...textPieces([''])]).toEqual([]);
  });

  it('ask for a text when the ones before are taken', () => {
    let made = 0;
    const texts = Array.from({ length: 10 }, () => 'x'.repeat(300_000)).values();
    const pieces = textPieces(
      texts.map((text) => {
        made++;
        return text;
      }),
    );
    pieces.next();
    expect(made).toBe(1);
  });
});

describe('the texts of a list', () => {
  it('stand behind what stands before each', () => {
    const texts = itemTexts(['a', ['b', 'c'], 'd'], (index) => (index === 0 ? '[' : ','));
    expect([...texts].join('')).toBe('[a,bc,d');
  });
});
