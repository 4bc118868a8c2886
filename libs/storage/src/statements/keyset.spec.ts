import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { compareTexts } from './keyset.js';

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
