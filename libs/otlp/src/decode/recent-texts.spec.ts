import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { RecentIds } from './recent-ids.js';
import { RecentTexts } from './recent-texts.js';

describe('texts that were read lately', () => {
  it('are what Node reads, whichever bytes come in whichever order', () => {
    const texts = new RecentTexts();
    const bytes = fc.uint8Array({ maxLength: 30 });
    const written = fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => new TextEncoder().encode(text));
    fc.assert(
      fc.property(fc.array(fc.oneof(bytes, written), { maxLength: 20 }), (list) => {
        for (const each of [...list, ...list]) {
          const body = Buffer.concat([Buffer.from('before'), each, Buffer.from('after')]);
          const told = texts.read(body, 6, 6 + each.length);
          expect(told).toBe(Buffer.from(each).toString('utf8'));
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('do not take a byte that is no ASCII for the character of its number', () => {
    const texts = new RecentTexts();
    for (const text of ['caf\u00e9', 'caf\ufffd']) {
      const body = text === 'caf\ufffd' ? Buffer.from('caf\u00e9', 'latin1') : Buffer.from(text);
      expect([texts.read(body, 0, body.length), texts.read(body, 0, body.length)]).toEqual([text, text]);
    }
  });
});

describe('ids that were read lately', () => {
  it('are what Node reads, of any length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 7, 8, 9, 16, 17), { maxLength: 40 }),
        fc.array(fc.constantFrom(0, 1, 255), { minLength: 40, maxLength: 40 }),
        (lengths, pattern) => {
          const body = Buffer.alloc(
            lengths.reduce<number>((sum, length) => sum + length, 0),
            Uint8Array.from(pattern),
          );
          const ids = new RecentIds(body);
          let start = 0;
          for (const length of lengths) {
            const end = start + length;
            expect(ids.read(start, end)).toBe(body.toString('hex', start, end));
            start = end;
          }
        },
      ),
      { numRuns: 500, seed: 1 },
    );
  });
});
