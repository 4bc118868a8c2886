import { describe, expect, it } from '@jest/globals';
import { faultOfField, fieldOf, jsonFieldOf, jsonOfField, readAs } from './form-field.js';

describe('a field of a datapoint', () => {
  it.each([['text'], [''], [null], [7], [{ a: [1] }], [[]], [false]])('gives %j back as it was', (value) => {
    expect(JSON.parse(jsonOfField(fieldOf(value))!)).toEqual(value);
  });

  it('is left out without a value, and where only JSON counts when it is empty', () => {
    expect(jsonOfField(fieldOf(undefined))).toBeNull();
    expect(jsonOfField({ ...jsonFieldOf({ a: 1 }), text: ' \n' })).toBeNull();
    expect(jsonOfField(jsonFieldOf(null))).toBeNull();
  });

  it('keeps blanks of a text, and every digit of a number', () => {
    expect(jsonOfField({ ...fieldOf(''), text: '  ' })).toBe('"  "');
    expect(jsonOfField({ as: 'json', text: ' 12345678901234567890 ', empty: '' })).toBe('12345678901234567890');
  });

  it('says what is no JSON yet, of JSON alone', () => {
    expect(faultOfField({ as: 'json', text: '{"a":', empty: '' })).toBe('This is not valid JSON yet.');
    expect(faultOfField({ as: 'json', text: '', empty: '' })).toBeUndefined();
    expect(faultOfField({ as: 'text', text: '{"a":', empty: '' })).toBeUndefined();
  });

  it.each([
    ['42', 'json', '42'],
    ['forty two', 'json', '"forty two"'],
    ['"a"', 'text', 'a'],
    ['{"a":1}', 'text', '{"a":1}'],
    ['', 'json', ''],
  ] as const)('of %j read as %s is %j', (text, as, expected) => {
    expect(readAs({ as: as === 'json' ? 'text' : 'json', text, empty: '' }, as)).toMatchObject({ as, text: expected });
  });
});
