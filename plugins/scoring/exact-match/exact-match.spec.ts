import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { parseExactJson, type JsonValue } from '@spandrel/contract';
import { describeScorerContract } from '@spandrel/plugin-api/testing';
import exactMatch from './index.js';
import { sameDecimal, sameJson } from './same-json.js';

/** `expected` as JSON text, which keeps every digit. */
const CASES: [output: string, expected: string, score: 0 | 1][] = [
  ['Paris', '"Paris"', 1],
  ['paris', '"Paris"', 0],
  ['Paris ', '"Paris"', 0],
  ['Paris.', '"Paris"', 0],
  ['', '""', 1],
  ['"Paris"', '"Paris"', 0],
  ['{"a":1}', String.raw`"{\"a\":1}"`, 1],
  ['{"a": 1}', String.raw`"{\"a\":1}"`, 0],
  ['caf\u00e9', String.raw`"cafe\u0301"`, 0],
  ['42', '42', 1],
  ['42.0', '42', 1],
  [' 4.2e1\n', '42', 1],
  ['"42"', '42', 0],
  ['42', '"42"', 1],
  ['-0', '0', 1],
  ['true', 'true', 1],
  ['True', 'true', 0],
  ['[1, 2]', '[1,2]', 1],
  ['[2, 1]', '[1,2]', 0],
  ['[1]', '[1,2]', 0],
  ['{"0":1}', '[1]', 0],
  ['{ "b": [null], "a": 1 }', '{"a":1,"b":[null]}', 1],
  ['{"a":1}', '{"a":1,"b":null}', 0],
  ['{"a":1,"b":null}', '{"a":1}', 0],
  ['{"a":1,"c":null}', '{"a":1,"b":null}', 0],
  ['{"toString":1}', '{"valueOf":1}', 0],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}', 1],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', 0],
  ['{}', '{"__proto__":{}}', 0],
  ['{"a":1', '{"a":1}', 0],
  ['```json\n{"a":1}\n```', '{"a":1}', 0],
  ['9007199254740993', '9007199254740993', 1],
  ['9007199254740992', '9007199254740993', 0],
  ['{"id": 9007199254740993.0}', '{"id":9007199254740993}', 1],
  ['{"id": 9.007199254740993e15}', '{"id":9007199254740993}', 1],
  ['{"id": {"rawJSON":"9007199254740993"}}', '{"id":9007199254740993}', 0],
  ['{"id": "9007199254740993"}', '{"id":9007199254740993}', 0],
  ['0.1', '0.10000000000000000001', 0],
];

describeScorerContract(
  {
    plugin: exactMatch,
    configs: { accepted: [{}], refused: [{ trim: true }, null] },
    needsExpected: true,
    samples: CASES.map(([output, expected, score]) => ({
      name: `${JSON.stringify(output)} for ${expected}`,
      sample: { output, expected: parseExactJson(expected) },
      expected: score,
    })),
  },
  { describe, it },
);

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
