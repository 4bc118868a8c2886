import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { parseExactJson } from '@spandrel/contract';
import { largeRequestHash, requestHash } from './request-hash.js';

const of = (text: string): string => requestHash(parseExactJson(text) as Record<string, unknown>);

describe('requestHash', () => {
  it.each([
    ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['{"a":1,"b":null}', '{"a":1}'],
    ['{"a":1.0}', '{"a":1}'],
  ])('is the same for %s and %s', (a, b) => {
    expect(of(a)).toBe(of(b));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":{"x":null}}', '{"a":{}}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['{"a":{"__proto__":1}}', '{"a":{}}'],
    ['{"a":"\\ud800"}', '{"a":"\\ud801"}'],
  ])('differs for %s and %s', (a, b) => {
    expect(of(a)).not.toBe(of(b));
  });
});

describe('the fingerprint of a large request', () => {
  const large = fc.constantFrom<unknown>(
    'x\ud800'.repeat(60_000),
    Array.from({ length: 30_000 }, (_, index) => ({ [`k${index % 7}`]: [index] })),
    Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`k${(index * 7919) % 20_000}`, { b: 1, a: '潮' }]),
    ),
    'small',
  );

  it('is the same, made in pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), large, large, async (value, one, other) => {
        const members = { value, one, deep: [{ other, none: null }, one], nothing: null, left: undefined };
        expect(await largeRequestHash(members)).toBe(requestHash(members));
      }),
      { numRuns: 30 },
    );
  });

  it('sorts names in pieces', async () => {
    const toSorted = jest.spyOn(Array.prototype, 'toSorted');
    const names = Array.from({ length: 50_000 }, (_, index) => `k${(index * 7919) % 50_000}`);
    await largeRequestHash({ metadata: Object.fromEntries(names.map((name) => [name, 0])) });
    const most = Math.max(...toSorted.mock.contexts.map((sorted) => (sorted as unknown[]).length));
    toSorted.mockRestore();
    expect(most).toBeLessThan(10_000);
  });
});
