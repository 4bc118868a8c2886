import { describe, expect, it } from '@jest/globals';
import { fromJsonText, objectFromJsonText, toJsonText } from './json-text.js';

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
