import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { exactJsonInPieces, parseExactJson, readExactJson } from './exact-json.js';
import { JsonSyntaxError } from './json-digits.js';
import { TooManyValues } from './json-in-pieces.js';
import { memberNames } from './large-values.js';

/** A text longer than what is parsed at once. */
const LONG = 200_000;
const long = (item: string): string => `${item},`.repeat(Math.ceil(LONG / (item.length + 1))).slice(0, -1);

/** What a value is, or that the text is none. */
function outcomeOf(read: () => unknown): string {
  try {
    return JSON.stringify(read());
  } catch (error) {
    return error instanceof JsonSyntaxError ? 'no JSON' : `${error}`;
  }
}

describe('a long text, parsed in pieces', () => {
  const padding = fc.constantFrom(
    `[${long('1')}]`,
    `[${long('{"a":[1,{}]}')}]`,
    `{${long('"k":"v"')}}`,
    `"${'x'.repeat(LONG)}"`,
  );

  it('is the value that it is when parsed at once', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 4 }), padding, fc.nat(4), (value, pad, space) => {
        const text = JSON.stringify({ __proto__: null, before: value, pad: 0, after: [value, 0, value] }, null, space);
        const padded = text.replaceAll(/(?<=[:[,]\s*)0(?=\s*[,\]}])/g, () => pad);
        expect(JSON.stringify(parseExactJson(padded))).toBe(JSON.stringify(JSON.parse(padded)));
      }),
      { numRuns: 60 },
    );
  });

  it('is refused wherever it is damaged', () => {
    const item = fc.constantFrom('1', '"a"', '[]', '{}', '[1,2]', '{"a":1}', '{"a":[{"b":2}]}');
    const damage = fc.constantFrom(
      '',
      ',',
      ':',
      '[',
      ']',
      '{',
      '}',
      '"',
      '1',
      ' ',
      '\u00a0',
      ',,',
      '[]',
      '"a":',
      'x',
      '"__proto__":1,',
    );
    fc.assert(
      fc.property(item, fc.boolean(), fc.nat(LONG), damage, fc.nat(2), (each, isObject, place, put, cut) => {
        const whole = isObject
          ? `{"__proto__":{"a":[${long(each)}]} , "b" :[${long(each)}]}`
          : `[[${long(each)}] , [[${long(each)}]]]`;
        const at = (place * 977) % whole.length;
        const text = whole.slice(0, at) + put + whole.slice(at + cut);
        expect(outcomeOf(() => parseExactJson(text))).toBe(outcomeOf(() => readExactJson(text)));
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ['a comma at the end', `[${long('1')},]`],
    ['two commas', `[${long('1')},,${long('1')}]`],
    ['nothing but commas', ','.repeat(LONG)],
    ['two values', `[${long('1')}] [${long('1')}]`],
    ['something before', `x [${long('1')}]`],
    ['something behind', `[${long('1')}] x`],
    ['something behind a long item', `[[${long('1')}] x, 1]`],
    ['something before a long item', `[x [${long('1')}], 1]`],
    ['a member without a name', `{"a":1,[${long('1')}]}`],
    ['a name that is no text', `{1:[${long('1')}]}`],
    ['two names', `{"a":"b":[${long('1')}]}`],
    ['the wrong bracket', `[[${long('1')}}]`],
    ['no bracket at the end', `[[${long('1')}]`],
    ['a bracket too many', `[${long('1')}]]`],
    ['a string without an end', `[${long('1')},"a]`],
    ['a blank of another alphabet', `[[${long('1')}]\u00a0]`],
  ])('is refused with %s', (_what, text) => {
    expect(() => parseExactJson(text)).toThrow(JsonSyntaxError);
  });

  it('keeps digits, names and the order of members', () => {
    const pad = long('12345678901234567');
    const text = `{"b":[${pad}],"__proto__":[${pad}],"1":0,"b":[${long('1')}],"a":9007199254740993}`;
    const value = parseExactJson(text) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['1', 'b', '__proto__', 'a']);
    expect(JSON.stringify(value)).toBe(`{"1":0,"b":[${long('1')}],"__proto__":[${pad}],"a":9007199254740993}`);
    expect(() => parseExactJson(`[${long('1e400')}]`)).toThrow(/out of range/);
  });

  it('lets others have their turn every few thousand values, however deep they stand', () => {
    const deep = `${'['.repeat(190)}${long('[]')}${`],${long('{"a":1}')
      .slice(0, 20_000 - 4)
      .replace(/,[^,]*$/, '')}`.repeat(3)}`;
    const text = `${deep}${']'.repeat(187)}`;
    let turns = 0;
    const parsing = exactJsonInPieces(text);
    let step = parsing.next();
    for (; !step.done; step = parsing.next()) turns++;
    expect(JSON.stringify(step.value)).toBe(text);
    expect(turns).toBeGreaterThan(text.length / 70_000);
  });
});

describe('the limit of values', () => {
  it.each([
    ['[1]', 2],
    ['[ [ ], { } ]', 3],
    ['[[],[],{}]', 4],
    ['{"a":1,"b":[2,3],"c":{"d":"[,]"}}', 7],
    [`[${long('[]')}]`, 66_668],
    [`[${long('{"a":1}')}]`, 50_001],
  ])('counts %s', (text, values) => {
    expect(JSON.stringify(parseExactJson(text, values))).toBe(text.replaceAll(' ', ''));
    expect(() => parseExactJson(text, values - 1)).toThrow(TooManyValues);
  });

  it('refuses before it has parsed more than that', () => {
    expect(() => parseExactJson(`[${'[],'.repeat(3_000_000)}`, 500_000)).toThrow(TooManyValues);
  });
});

describe('a string that is longer than what is parsed at once', () => {
  const LENGTH = 1_500_000;
  it.each([
    ['escapes', '\\n'],
    ['escaped quotes', '\\"'],
    ['escaped backslashes', '\\\\'],
    ['halves of characters', '\\ud83d'],
    ['escapes of all lengths', 'a\\\\\\u0041\\"'],
  ])('keeps its %s, wherever it is cut', (_what, unit) => {
    const string = unit.repeat(Math.ceil(LENGTH / unit.length));
    for (let shift = 0; shift < 7; shift++) {
      const text = `{"a":["${'x'.repeat(shift)}${string}", 1 ],"b":"${string}"}`;
      expect(parseExactJson(text)).toEqual(JSON.parse(text));
    }
  });

  it.each([
    ['two of them', (long: string) => `[${long}${long}]`],
    ['a number behind it', (long: string) => `{"a":${long}1}`],
    ['a number before it', (long: string) => `[1${long}]`],
    ['no name', (long: string) => `{:${long}}`],
    ['a wrong escape', (long: string) => `[${long.slice(0, -1)}\\x"]`],
    ['no end', (long: string) => `[${long.slice(0, -1)}`],
  ])('is refused with %s', (_what, textOf) => {
    expect(() => parseExactJson(textOf(`"${'y'.repeat(LENGTH)}"`))).toThrow(JsonSyntaxError);
  });

  it('is parsed in several turns', () => {
    const parsing = exactJsonInPieces(`{"a":"${'\\n'.repeat(LENGTH)}"}`);
    let turns = 0;
    while (!parsing.next().done) turns++;
    expect(turns).toBeGreaterThan(4);
  });
});

describe('an object of very many members', () => {
  it('has its names at hand', () => {
    const text = `{"a":{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":0`).join()}}}`;
    const { a } = parseExactJson(text) as { a: object };
    expect(memberNames(a)).toBe(memberNames(a));
    expect(memberNames(a)).toEqual(Object.keys(a));
  });
});
