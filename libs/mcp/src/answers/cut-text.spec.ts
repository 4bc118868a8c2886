import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText, endOfPiece, pieceOf, wholeText } from './cut-text.js';

/** Texts of any UTF-16 units: halves of characters, quotes and control characters among them. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom('"', '\\', '\n', '\0', '\u001f', 'a', '€', '\ud83d\ude00', '\ud800', '\udc00'),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 200 },
  )
  .map((units) => units.join(''));

const jsonLength = (text: string): number => JSON.stringify(text).length - 2;

describe('a piece of a text', () => {
  it('takes no more room within JSON than there is, and as much as it can', () => {
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, room) => {
        const end = endOfPiece(text, 0, room, Infinity);
        expect(jsonLength(text.slice(0, end))).toBeLessThanOrEqual(room);
        const more = [end + 1, end + 2].filter((at) => at <= text.length && text.slice(0, at).isWellFormed());
        for (const at of more) expect(jsonLength(text.slice(0, at))).toBeGreaterThan(room);
      }),
    );
  });

  it('put together again with the others is the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 6, max: 40 }), fc.integer({ min: 1, max: 30 }), (text, room, chars) => {
        let together = '';
        for (let offset: number | null = 0; offset !== null;) {
          const piece = pieceOf(wholeText(text), offset, room, chars);
          expect(piece.total_chars).toBe(text.length);
          expect(piece.offset).toBe(together.length);
          together += piece.text;
          offset = piece.next_offset;
        }
        expect(together).toBe(text);
      }),
    );
  });

  it('never begins or ends within a character', () => {
    const text = 'a😀b😀';
    expect(pieceOf(wholeText(text), 2, 100)).toMatchObject({ offset: 1, text: '😀b😀', next_offset: null });
    expect(pieceOf(wholeText(text), 0, 2)).toMatchObject({ text: 'a', next_offset: 1 });
    expect(pieceOf(wholeText(text), 1, 100, 1)).toMatchObject({ text: '😀', next_offset: 3 });
    expect(pieceOf(wholeText(text), 99, 100)).toMatchObject({ offset: 6, text: '', next_offset: null });
  });

  it('of what is no text is one of its JSON, numbers with all their digits', () => {
    const value = { n: JSON.rawJSON('12345678901234567890'), t: null };
    expect(wholeText(value)).toEqual({ format: 'json', text: '{"n":12345678901234567890,"t":null}' });
    expect(wholeText(undefined)).toEqual({ format: 'json', text: 'null' });
  });
});

describe('a text that is cut', () => {
  it('ends with an ellipsis, between two characters', () => {
    expect([cutText('abc', 3), cutText('abcd', 3), cutText('ab😀', 3), cutText('abc', 0)]).toEqual([
      ...['abc', 'abc…', 'ab…', '…'],
    ]);
  });
});
