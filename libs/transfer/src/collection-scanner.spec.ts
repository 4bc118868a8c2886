import { describe, expect, it } from '@jest/globals';
import { EXPORT_COLLECTIONS, type ExportCollection } from '@spandrel/contract';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.js';
import { CollectionScanner, type FilePart } from './collection-scanner.js';

const scan = (
  text: string,
  { cuts = [], wanted = EXPORT_COLLECTIONS, bytesMax = 1_000 }: Partial<Options> = {},
): { parts: FilePart[]; scanner: CollectionScanner } => {
  const scanner = new CollectionScanner(new Set(wanted), EXPORT_COLLECTIONS, bytesMax);
  const ends = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  const parts = [...ends, text.length].flatMap((end, index) => scanner.push(text.slice(ends[index - 1] ?? 0, end)));
  scanner.end();
  return { parts, scanner };
};
interface Options {
  cuts: readonly number[];
  wanted: readonly ExportCollection[];
  bytesMax: number;
}

const value = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 3 });
const list = fc.array(value, { maxLength: 5 });
const members = fc.uniqueArray(
  fc.oneof(
    fc.tuple(fc.constantFrom<string>(...EXPORT_COLLECTIONS), list),
    fc.tuple(
      fc
        .string({ unit: anyCharacter })
        .filter((name) => name !== '__proto__' && !EXPORT_COLLECTIONS.includes(name as never)),
      value,
    ),
  ),
  { selector: ([name]) => name },
);

describe('the scanner of an export', () => {
  it('finds what a parser finds, wherever the text is cut', () => {
    fc.assert(
      fc.property(
        members,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.constantFrom(undefined, 1, '\r\n\t'),
        (drawn, cuts, space) => {
          const text = JSON.stringify(Object.fromEntries(drawn), null, space);
          const { parts, scanner } = scan(text, { cuts, bytesMax: 100_000 });
          const parsed = JSON.parse(text) as Record<string, unknown>;
          const expected = Object.entries(parsed).flatMap(([name, content]): unknown[] =>
            EXPORT_COLLECTIONS.includes(name as never)
              ? (content as unknown[]).map((item, index) => [name, index, item])
              : [[name, content]],
          );
          const found = parts.map((part) => {
            const json: unknown = 'json' in part ? JSON.parse(part.json) : part;
            return 'member' in part ? [part.member, json] : [part.collection, part.index, json];
          });
          expect(found).toEqual(expected);
          expect(scanner.order).toEqual(
            Object.keys(parsed).filter((name) => EXPORT_COLLECTIONS.includes(name as never)),
          );
        },
      ),
    );
  });

  it('passes by what is not wanted, and reads names with escapes', () => {
    const text = '{"tr\\u0061ces":[1,"a]"],"spans":[{"a":"}"},[2]]}';
    expect(scan(text, { wanted: ['spans'] }).parts).toEqual([
      { collection: 'spans', index: 0, json: '{"a":"}"}' },
      { collection: 'spans', index: 1, json: '[2]' },
    ]);
  });

  it('drops an item beyond the limit and goes on behind it', () => {
    expect(scan(`{"spans":["${'x'.repeat(2_000)}",1]}`, { cuts: [700, 1_400] }).parts).toEqual([
      { collection: 'spans', index: 0, fault: 'the row is larger than 1000 bytes' },
      { collection: 'spans', index: 1, json: '1' },
    ]);
  });

  it.each([
    ['', /not the JSON object/],
    ['[]', /not the JSON object/],
    ['{', /ends before/],
    ['{"a', /ends before/],
    ['{"a"}', /colon is missing/],
    ['{"a":}', /value of a member is missing/],
    ['{"a":1,}', /name of a member is missing/],
    ['{a:1}', /name of a member is missing/],
    ['{"a":1', /ends before/],
    ['{"\n":1}', /name of a member is not valid/],
    ['{"spans":[', /ends before/],
    ['{"spans":[,', /item of the list is missing/],
    ['{"spans":[1,]}', /item of the list is missing/],
    ['{"spans":[1]', /ends before/],
    ['{"spans":[1];}', /comma is missing/],
    ['{"spans":[1] "a":1}', /comma is missing/],
    ['{"spans":[],"spans":[]}', /twice/],
    ['{} {}', /more behind the end/],
  ])('refuses %j', (text, message) => {
    expect(() => scan(text)).toThrow(message);
  });

  it('says where it is', () => {
    const scanner = new CollectionScanner(new Set(), EXPORT_COLLECTIONS, 1_000);
    expect(scanner.whereabouts).toBe('');
    scanner.push('{"version":1');
    expect(scanner.whereabouts).toBe('version');
    scanner.push(',"spans":[1,2,\n3');
    expect(scanner.whereabouts).toBe('spans[2]');
  });
});
