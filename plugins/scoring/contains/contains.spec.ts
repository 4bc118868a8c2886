import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '@spandrel/contract';
import { describeScorerContract } from '@spandrel/plugin-api/testing';
import contains from './index.js';
import { foldCase } from './index.js';

const CASES: [output: string, expected: unknown, score: 0 | 1][] = [
  ['It is Paris.', 'Paris', 1],
  ['It is PARIS.', 'paris', 1],
  ['It is Par is.', 'paris', 0],
  ['Paris', 'It is Paris', 0],
  ['anything', '', 1],
  ['', '', 1],
  ['', 'a', 0],
  ['no trim', 'trim ', 0],
  ['.*', '.*', 1],
  ['abc', '.*', 0],
  ['it is 42, I think', 42, 1],
  ['it is TRUE', true, 1],
  ['so: {"a":[1,2]}', { a: [1, 2] }, 1],
  ['so: {"a": [1, 2]}', { a: [1, 2] }, 0],
  ['id 9007199254740993', parseExactJson('9007199254740993'), 1],
  ['id 9007199254740992', parseExactJson('9007199254740993'), 0],
  ['in der Hauptstraße', 'HAUPTSTRASSE', 1],
  ['IN DER HAUPTSTRAẞE', 'hauptstraße', 1],
  ['ΟΔΟΣΑ', 'οδος', 1],
  ['οδός', 'ΟΔΌΣ', 1],
  ['ΟΔΟΣ', 'οδοσ', 1],
  ['İZMİR', 'izmir', 0],
  ['İZMİR', 'i̇zmi̇r', 1],
  ['ISPARTA', 'ısparta', 1],
  ['𐐀', '𐐨', 1],
  ['cafe\u0301', 'caf\u00e9', 0],
];

describeScorerContract(
  {
    plugin: contains,
    configs: { accepted: [{}], refused: [{ case: 'sensitive' }, null] },
    needsExpected: true,
    samples: CASES.map(([output, expected, score]) => ({
      name: `${JSON.stringify(expected)} in ${JSON.stringify(output)}`,
      sample: { output, expected },
      expected: score,
    })),
  },
  { describe, it },
);

describe('foldCase', () => {
  it('makes the cases of every character equal', () => {
    const apart: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const folded = foldCase(character);
      const cases = [character.toLowerCase(), character.toUpperCase(), folded];
      if (cases.some((other) => foldCase(other) !== folded)) apart.push(code.toString(16));
    }
    expect(apart).toEqual([]);
  });

  it('folds a text as its parts', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aΣσςſßİıKé🌊 .\u0307\u0345') });
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(foldCase(one + other)).toBe(foldCase(one) + foldCase(other));
      }),
    );
  });

  it('keeps letters apart that differ in more than case', () => {
    expect(new Set([...'aàábcsz'].map(foldCase)).size).toBe(7);
  });
});
