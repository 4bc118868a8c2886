import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { growth } from '../../../../test/support/growth.js';
import { parsePartialJson } from './partial-json.js';

const SLASH = '\\';

describe('parsePartialJson', () => {
  it('finds beginning and end of an object whose middle is missing', () => {
    const text = JSON.stringify({
      messages: [
        { role: 'user', content: 'x'.repeat(500) },
        { role: 'user', content: 'lost' },
      ],
      model: 'gpt',
      usage: { total: 5 },
    });
    expect(parsePartialJson(text.slice(0, 100), text.slice(-60))).toMatchObject({
      messages: [{ role: 'user', content: expect.stringMatching(/^x+$/) }],
      model: 'gpt',
      usage: { total: 5 },
    });
  });

  it('makes an object of any beginning of one, and never throws', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, cut) => {
        const text = JSON.stringify(object);
        const read = parsePartialJson(text.slice(0, 1 + (cut % text.length)), '');
        expect(typeof read).toBe('object');
      }),
    );
  });

  it('gives nothing for what is no JSON', () => {
    expect(parsePartialJson('<html>', 'x')).toBeUndefined();
  });

  it.each<[cut: string, read: unknown]>([
    [`{"a":"x${SLASH}`, { a: 'x' }],
    [`{"a":"x${SLASH}${SLASH}`, { a: `x${SLASH}` }],
    [`{"a":"x${SLASH}${SLASH}${SLASH}`, { a: `x${SLASH}` }],
    [`{"a":"x${SLASH}u12`, { a: 'x' }],
    [`{"a":"x${SLASH}${SLASH}u12`, { a: `x${SLASH}u12` }],
    ['{"a":1, "b', { a: 1 }],
    ['{"a":1,\n  "b', { a: 1 }],
    ['{"a":["b', { a: ['b'] }],
    ['{"a":[{"b":1},2', { a: [{ b: 1 }] }],
    ['{"a":"b","c":"d', { a: 'b', c: 'd' }],
  ])('reads %s', (cut, read) => {
    expect(parsePartialJson(cut, '')).toEqual(read);
  });

  it.each<[what: string, text: (size: number) => string]>([
    ['commas in depth', (size) => '['.repeat(190) + '1,'.repeat(size)],
    ['brackets', (size) => '['.repeat(size)],
    ['backslashes in a text', (size) => `{"a":"${'\\\\'.repeat(size)}`],
    ['texts behind blanks', (size) => `{"a":[${`"a",${' '.repeat(60)}`.repeat(size >> 5)}`],
  ])('takes as long as the text is, with %s', (_what, text) => {
    const prepare = (size: number) => {
      const cut = text(size);
      return () => parsePartialJson(cut, cut.slice(-65_536));
    };
    // What grows with the square of the text would take 64 times as long.
    expect(growth(prepare, 80_000, 8, 24)).toBeLessThan(24);
  });
});
