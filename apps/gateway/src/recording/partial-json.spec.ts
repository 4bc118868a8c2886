import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parsePartialJson } from './partial-json.js';

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
});
