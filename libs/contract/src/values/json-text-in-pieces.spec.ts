import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { parseExactJson } from './exact-json.js';
import { isLargeJson, jsonTextInPieces } from './json-text-in-pieces.js';

function written(value: unknown): { text: string; turns: number } {
  const writing = jsonTextInPieces(value);
  for (let turns = 0; ; turns++) {
    const { done, value: text } = writing.next();
    if (done) return { text, turns };
  }
}

describe('a large value, written in pieces', () => {
  it('is written as it is at once', () => {
    const pad = fc.constantFrom<unknown>(
      0,
      Array.from({ length: 30_000 }, () => []),
      'x'.repeat(200_000),
      '\ud83d\ude00'.repeat(90_001),
      { a: Array.from({ length: 20_000 }, () => ({ b: 1 })) },
    );
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 4 }), pad, pad, (value, one, other) => {
        const whole = {
          value,
          one,
          list: [value, other, value, other, 0],
          left: undefined,
          other: { value, one },
          last: value,
        };
        expect(written(whole).text).toBe(JSON.stringify(whole));
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['characters of two halves', `a${'\ud83d\ude00'.repeat(100_000)}`],
    ['lone halves', '\ud83d'.repeat(200_000)],
    ['numbers with all their digits', parseExactJson(`[${'12345678901234567890,'.repeat(20_000)}1]`)],
    ['a member of every name', parseExactJson(`{"__proto__":[${'1,'.repeat(20_000)}1],"b":1}`)],
    ['many members', Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, {}]))],
    ['lists deep in lists', parseExactJson(`${'[1,['.repeat(90)}${'[],'.repeat(60_000)}1${']]'.repeat(90)}`)],
  ])('keeps %s', (_what, value) => {
    const { text, turns } = written(value);
    expect(text).toBe(JSON.stringify(value));
    expect(turns).toBeGreaterThan(1);
    expect(isLargeJson(value)).toBe(true);
  });

  it('joins what is small as it goes, not at the end', () => {
    const join = jest.spyOn(Array.prototype, 'join');
    written(Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, {}])));
    const longest = Math.max(...join.mock.contexts.map((joined) => (joined as unknown[]).length));
    join.mockRestore();
    expect(longest).toBeLessThan(10_000);
  });

  it('takes what is small at once', () => {
    expect(written({ a: [1, 'b'] })).toEqual({ text: '{"a":[1,"b"]}', turns: 0 });
    expect(isLargeJson({ a: [1, 'b'] })).toBe(false);
  });
});
