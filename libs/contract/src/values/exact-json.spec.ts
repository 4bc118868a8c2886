import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { JSON_DEPTH_MAX, parseExactJson } from './exact-json.js';
import { JsonSyntaxError, parseWithSources } from './json-digits.js';

const there = (text: string): string => JSON.stringify(parseExactJson(text));

describe('parseExactJson', () => {
  it('reads and writes any JSON value unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
        const text = JSON.stringify(value);
        expect(there(text)).toBe(text);
      }),
    );
  });

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
    '0.1234567890123456789',
    '1234567890.1234567890',
    '{"n":[12345678901234567891]}',
  ])('keeps every digit of %s', (text) => {
    const trimmed = text.replace(/(\.\d*?)0+$/, '$1');
    expect([text, trimmed]).toContain(there(text));
  });

  it('does not take digits in a text for a number', () => {
    expect(there('{"id":"9007199254740993","n":1}')).toBe('{"id":"9007199254740993","n":1}');
    expect(parseExactJson('[0.30000000000000004]')).toEqual([0.30000000000000004]);
    expect(there('{"trace-1000":"4bf92f3577b34da6\\"","n":9007199254740993}')).toBe(
      '{"trace-1000":"4bf92f3577b34da6\\"","n":9007199254740993}',
    );
    expect(() => parseExactJson('{"id":"7e400","n":7e400}')).toThrow(JsonSyntaxError);
  });

  it.each([
    ['a long text', ['7e400 '.repeat(1_000)]],
    ['many short texts', Array<string>(2_000).fill('7e400')],
    ['short texts and long ones', [...Array<string>(70).fill('7e400'), '7e400 '.repeat(1_000), '7e400']],
  ])('keeps every digit before and behind %s', (_texts, texts) => {
    const [open, close] = ['[9007199254740993,', ',12345678901234567891]'];
    for (const text of [`${open}${JSON.stringify(texts)}]`, `[${JSON.stringify(texts)}${close}`]) {
      expect(there(text)).toBe(text);
    }
    expect(parseExactJson(JSON.stringify(texts))).toEqual(texts);
  });

  it.each(['1e400', '-1e400', '[1e999]', '1e-400', `1${'0'.repeat(400)}`])(
    'refuses %s, which no double holds',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(JsonSyntaxError);
    },
  );

  it.each(['0e-999', '0.0000000000000000000', '1e0000'])('takes %s, which is a plain number', (text) => {
    expect(parseExactJson(text)).toBe(Number(text));
  });

  it.each([
    '3.10',
    '1e5',
    '1E+5',
    '-0',
    '-0.0',
    '0e-999',
    '1.0',
    '100.00',
    '0.0000001',
    '1e-7',
    '1000000000000000000000',
  ])('keeps %s as it is written, where it is asked to', (text) => {
    const written = (json: string): string => JSON.stringify(parseExactJson(json, Infinity, parseWithSources));
    for (const json of [text, `[${text}]`, `["a",${text},"b"]`, `{"a":{"n":${text},"m":[1.5,-2]},"t":"${text}"}`]) {
      expect(written(json)).toBe(json);
      const long = `[${json},"${'x'.repeat(200_000)}"]`;
      expect(written(long)).toBe(long);
    }
  });

  it('has numbers as numbers that are written as they would be', () => {
    const text = '[0,-1,0.5,-0.25,1e-7,1e+21,100,12.5e0,"3.10"]';
    const read = parseExactJson(text, Infinity, parseWithSources) as unknown[];
    expect(read.map((value) => typeof value)).toEqual([...Array<string>(7).fill('number'), 'object', 'string']);
    expect(() => parseExactJson('[1.0,1e400]', Infinity, parseWithSources)).toThrow(JsonSyntaxError);
  });

  it('keeps NUL, lone surrogates and every key name', () => {
    const text = String.raw`{"__proto__":{"a":1},"constructor":"\u0000","\ud800":"\udfff"}`;
    expect(there(text)).toBe(text);
    expect(Object.hasOwn(parseExactJson(text) as object, '__proto__')).toBe(true);
  });

  it('takes the last of duplicate keys', () => {
    expect(there('{"a":1,"a":2}')).toBe('{"a":2}');
  });

  it('counts levels outside strings only', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(() => parseExactJson(nested(JSON_DEPTH_MAX))).not.toThrow();
    expect(() => parseExactJson(nested(JSON_DEPTH_MAX + 1))).toThrow(/200 levels/);
    expect(() => parseExactJson(nested(10_000))).toThrow(JsonSyntaxError);
    const brackets = JSON.stringify({ a: `\\"${'[{'.repeat(500)}\\` });
    expect(there(brackets)).toBe(brackets);
  });

  it.each(['', '{', '{"a":}', 'nul', "{'a':1}", '[1,]', '"\n"'])('refuses %j', (text) => {
    expect(() => parseExactJson(text)).toThrow(JsonSyntaxError);
  });
});
