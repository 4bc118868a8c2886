import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { compareTexts, decodeCursor, encodeCursor } from './keyset.js';

describe('the order of texts', () => {
  it('is that of their bytes', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 6 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareTexts(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
    expect(compareTexts('\u{1f600}', '\uffee')).toBeGreaterThan(0);
    expect(compareTexts('b', 'a')).toBeGreaterThan(0);
  });
});

const storable = fc.string({ unit: anyCharacter }).filter((text) => !text.includes('\0') && text.isWellFormed());

describe('cursors', () => {
  it('come back as the position they were made of', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.constant(null)), storable, (value, id) => {
        expect(decodeCursor('l', encodeCursor('l', { value, id }), 'integer')).toEqual({ value, id });
      }),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), storable, (value, id) => {
        expect(decodeCursor('l', encodeCursor('l', { value, id }), 'number').value === value).toBe(true);
      }),
    );
  });

  it('are refused when they are anything else', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(() => decodeCursor('l', text, 'integer')).toThrow('the cursor');
      }),
    );
    const cursor = encodeCursor('l', { value: 1, id: 'a' });
    expect(() => decodeCursor('other', cursor, 'integer')).toThrow('the cursor');
    expect(() => decodeCursor('l', cursor, 'text')).toThrow('the cursor');
    expect(() => decodeCursor('l', `${cursor}=`, 'integer')).toThrow('the cursor');
  });
});
