import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { jsonContains, mayContainJson } from './json-search.js';
import { renderSql, sql } from './sql.js';

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
