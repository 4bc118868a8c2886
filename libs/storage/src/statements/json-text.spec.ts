import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import {
  fromJsonText,
  objectFromJsonText,
  toJsonText,
  jsonText,
  writtenAhead,
  jsonContains,
  mayContainJson,
} from './json-text.js';
import { renderSql, sql } from './sql.js';

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

const database = new Database(':memory:');

const letters = fc.string({
  unit: fc.constantFrom(
    'a',
    'A',
    'b',
    '%',
    '_',
    '\\',
    '"',
    '\n',
    '\0',
    '\u001f',
    'é',
    'É',
    '😀',
    '\ud800',
    '1',
    '{',
    ':',
    ',',
  ),
  maxLength: 4,
});
const json = fc
  .jsonValue({ depthSize: 'small', maxDepth: 3 })
  .chain((value) =>
    fc.tuple(fc.constant(value), letters, letters).map(([any, a, b]) => ({ any, [a]: b, list: [a + b, 12.5, true] })),
  );

const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const texts = (value: unknown): string[] =>
  value === null ? [] : typeof value === 'object' ? Object.values(value).flatMap(texts) : [String(value)];

describe('searching JSON text', () => {
  it('finds what a naive search of the decoded values finds', async () => {
    await fc.assert(
      fc.asyncProperty(json, letters, async (value, needle) => {
        const expected = texts(value).some((text) => fold(text).includes(fold(needle)));
        expect(await jsonContains(JSON.stringify(value), needle)).toBe(expected);
      }),
    );
  });

  it('lets every match through the database', async () => {
    await fc.assert(
      fc.asyncProperty(json, letters, async (value, needle) => {
        const text = JSON.stringify(value);
        if (!(await jsonContains(text, needle))) return;
        const { text: query, params } = renderSql(
          sql`select ${mayContainJson('column1', needle)} as hit from (values (${text}))`,
          'sqlite',
        );
        expect(database.prepare(query).get(params)).toEqual({ hit: 1 });
      }),
      { numRuns: 500 },
    );
  });

  it('looks at numbers and booleans as they are written, at nothing else', async () => {
    const text = '{"key":[1.50,12345678901234567890,true,null]}';
    for (const needle of ['1.5', '12345678901234567890', 'TRUE']) expect(await jsonContains(text, needle)).toBe(true);
    for (const needle of ['key', 'null', '[', ',', '1.50']) expect(await jsonContains(text, needle)).toBe(false);
    expect(await jsonContains(null, '')).toBe(false);
  });

  it('finds what lies across the pieces in which a long text is looked at', async () => {
    const text = (before: number): string => JSON.stringify([`${'aB'.repeat(before / 2)}Needle${'cD'.repeat(50_000)}`]);
    for (const before of [65_530, 65_534, 65_536]) {
      expect(await jsonContains(text(before), 'nEEdle')).toBe(true);
      expect(await jsonContains(text(before), 'needles')).toBe(false);
    }
  });
});
