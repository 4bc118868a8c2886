import { describe, expect, it } from '@jest/globals';
import { fromJsonText, objectFromJsonText, toJsonText, jsonText, writtenAhead } from './json-text.js';

describe('JSON text of a column', () => {
  it('brings every value back, to the last digit and the last half of a character', () => {
    for (const value of [0, false, '', 'a\0b', '\ud800', [null], { ['__proto__']: 1 }, {}]) {
      expect(fromJsonText(toJsonText(value))).toEqual(value);
    }
    expect(JSON.stringify(fromJsonText('{"id":12345678901234567890}'))).toBe('{"id":12345678901234567890}');
  });

  it('keeps nothing and JSON null as no text', () => {
    expect([toJsonText(undefined), toJsonText(null)]).toEqual([null, null]);
    expect(fromJsonText(null)).toBeNull();
  });

  it('reads an object that was not kept as one without members', () => {
    expect(objectFromJsonText(null)).toEqual({});
    expect(objectFromJsonText('{"a":1}')).toEqual({ a: 1 });
  });
});

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
