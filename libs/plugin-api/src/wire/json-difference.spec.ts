import { describe, expect, it } from '@jest/globals';
import { parseExactJson, type JsonValue } from '@spandrel/contract';
import * as fc from 'fast-check';
import { jsonDifference, sameDecimal, sameJson } from './json-difference.js';

/** A JSON text of the value with its members the other way round and white space wherever it may be. */
function rewritten(value: JsonValue, space: string): string {
  const around = (text: string): string => `${space}${text}${space}`;
  if (Array.isArray(value)) return around(`[${value.map((item) => rewritten(item, space)).join(',') || space}]`);
  if (typeof value !== 'object' || value === null) return around(JSON.stringify(value));
  const members = Object.keys(value).toReversed();
  return around(
    `{${members.map((key) => `${around(JSON.stringify(key))}:${rewritten(value[key]!, space)}`).join(',') || space}}`,
  );
}

describe('sameJson', () => {
  const json = fc.jsonValue().map((value) => JSON.stringify(value));

  it('holds for any value and any text of it', () => {
    fc.assert(
      fc.property(json, fc.constantFrom('', ' ', '\n\t', '\r\n  '), (text, space) => {
        const value = parseExactJson(text);
        expect(sameJson(parseExactJson(rewritten(value, space)), value)).toBe(true);
      }),
    );
  });

  it('holds for no two values with different texts', () => {
    const sorted = (text: string): string =>
      JSON.stringify(JSON.parse(text), (_key, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
          : value,
      );
    const small = fc
      .jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', 'b') })
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(sameJson(parseExactJson(one), parseExactJson(other))).toBe(sorted(one) === sorted(other));
      }),
    );
  });

  it('holds for nothing that is not JSON', () => {
    expect(sameJson(undefined, undefined)).toBe(false);
  });
});

describe('sameDecimal', () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 40n });
  const exponent = fc.integer({ min: -60, max: 60 });

  it('is equality of numbers, however they are written', () => {
    const decimal = fc.record({ negative: fc.boolean(), digits, exponent });
    const worth = ({
      negative,
      digits: units,
      exponent: places,
    }: {
      negative: boolean;
      digits: bigint;
      exponent: number;
    }) => (negative ? -1n : 1n) * units * 10n ** BigInt(places + 60);
    const written = ({ negative, digits: units, exponent: places }: Parameters<typeof worth>[0]): string =>
      `${negative ? '-' : ''}${units}e${places}`;
    fc.assert(
      fc.property(decimal, decimal, (one, other) => {
        expect(sameDecimal(written(one), written(other))).toBe(worth(one) === worth(other));
      }),
    );
    fc.assert(
      fc.property(decimal, fc.nat(30), (one, zeros) => {
        const longer = { ...one, digits: one.digits * 10n ** BigInt(zeros), exponent: one.exponent - zeros };
        expect(sameDecimal(written(one), written(longer))).toBe(true);
        const [whole, fraction] = [`${longer.digits}`.slice(0, 1), `${longer.digits}`.slice(1)];
        const pointed = `${one.negative ? '-' : ''}${whole}${fraction && `.${fraction}`}E+${longer.exponent + fraction.length}`;
        expect(sameDecimal(written(one), pointed.replace('+-', '-'))).toBe(true);
      }),
    );
  });

  it('is quick with long runs of zeros', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(sameDecimal(`1${zeros}1`, `1${zeros}2`)).toBe(false);
  });
});

describe('jsonDifference', () => {
  const difference = (actual: string, expected: string, tolerance?: number) =>
    jsonDifference(parseExactJson(actual), parseExactJson(expected), tolerance);

  it.each([
    ['{"a":[1,{"b":"x"}]}', '{"a":[1,{"b":"y"}]}', '$.a[1].b: "x" instead of "y"'],
    ['{"a":1}', '{"a":1,"b":null}', '$.b is missing'],
    ['{"a":1,"b":2}', '{"a":1}', '$.b is not expected'],
    ['[1,2]', '[1,2,3]', '$: 2 entries instead of 3'],
    ['[]', '{}', '$: [] instead of {}'],
    ['9007199254740993', '9007199254740992', '$: 9007199254740993 instead of 9007199254740992'],
    ['{"id":"007"}', '{"id":7}', '$.id: "007" instead of 7'],
    [`"${'x'.repeat(99)}"`, '1', `$: "${'x'.repeat(79)}… instead of 1`],
    ['{"b":1,"a":[]}', '{"a":[],"b":1.0}', undefined],
  ])('of %s and %s is %j', (actual, expected, found) => {
    expect(difference(actual, expected)).toBe(found);
  });

  it('lets numbers be apart by the tolerance, and nothing else', () => {
    expect(difference('{"a":1.1}', '{"a":1}', 0.1)).toBeUndefined();
    expect(difference('0.3', '0.1', 0.2)).toBeUndefined();
    expect(difference('1.1000001', '1', 0.1)).toBe('$: 1.1000001 instead of 1');
    expect(difference('-2', '1', 3)).toBeUndefined();
    expect(difference('-2', '1', 2.9)).toBe('$: -2 instead of 1');
    expect(difference('"1"', '1', 5)).toBe('$: "1" instead of 1');
    expect(difference('true', '1', 5)).toBe('$: true instead of 1');
  });

  it('counts whole numbers to the last digit, also where a double could not hold them', () => {
    expect(difference('9007199254740993', '9007199254740992', 0.5)).toBeDefined();
    expect(difference('9007199254740993', '9007199254740992', 1)).toBeUndefined();
    expect(difference('9007199254740995', '9007199254740992', 2)).toBeDefined();
  });
});
