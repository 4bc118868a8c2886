import { describe, expect, it } from '@jest/globals';
import { jsonText, toJsonText, writtenAhead } from './json-text.js';

describe('JSON that is written ahead', () => {
  it.each([
    ['a list', Array.from({ length: 30_000 }, (_, index) => [index])],
    ['a text', 'a"\ud800'.repeat(40_000)],
    ['something small', { a: 1 }],
  ])('is that of %s', async (_what, value) => {
    const expected = JSON.stringify(value);
    const kept = await writtenAhead<unknown>(value);
    expect([toJsonText(kept), jsonText(kept), JSON.stringify({ kept })]).toEqual([
      expected,
      expected,
      `{"kept":${expected}}`,
    ]);
  });

  it('is not written again', async () => {
    const value = Array.from({ length: 30_000 }, () => 1);
    await writtenAhead(value);
    const text = JSON.stringify(value);
    value.push(2);
    expect(jsonText(value)).toBe(text);
  });
});
