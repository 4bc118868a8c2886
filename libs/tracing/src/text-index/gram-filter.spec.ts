import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { foldAscii } from '@spandrel/storage';
import { GramFilter, hashesAsked } from './gram-filter.sql.js';

const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'b', '\\', 'é', 'É', '€', '\ud83d', '1'), maxLength: 12 });
const SIZES = [512, 4_096, 1 << 20];

function filterOf(texts: readonly string[], bitsMax: number): GramFilter {
  const filter = GramFilter.empty();
  for (const text of texts) filter.add(text);
  filter.fold(bitsMax);
  return filter;
}

describe('a filter of grams', () => {
  it('may contain every needle that one of its texts contains, whatever its size, its case, and how it was added', () => {
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 5 }),
        letters,
        letters,
        fc.constantFrom(...SIZES),
        (some, a, b, bits) => {
          const filter = filterOf([...some, a], bits);
          const late = GramFilter.empty();
          late.add(`${b}${a}`);
          filter.addAll(late);
          const read = GramFilter.ofHex(filter.hex());
          for (const text of [...some, a, `${b}${a}`]) {
            for (let at = 0; at <= text.length; at++) {
              const needle = foldAscii(text.slice(at, at + 6));
              expect(read.mayContain(needle)).toBe(true);
            }
          }
        },
      ),
    );
  });

  it('holds a text that is added in parts which overlap', () => {
    const filter = GramFilter.empty();
    filter.add('the quick brown fox', 0, 9);
    filter.add('the quick brown fox', 6);
    expect(filter.mayContain('quick brown fox')).toBe(true);
  });

  it('shuts out most needles that it does not hold, at about ten bits a gram', () => {
    const words = Array.from({ length: 4_000 }, (_, n) => `word${n.toString(36)}x${(n * 7919).toString(36)}`);
    const filter = filterOf(words, 1 << 20);
    expect(filter.fill()).toBeLessThanOrEqual(0.4);
    expect(filter.bits).toBeLessThan(words.join('').length * 16);
    const held = Array.from({ length: 2_000 }, (_, n) => `${n}#q`.padStart(6, '!')).filter((one) =>
      filter.mayContain(one),
    );
    expect(held.length).toBeLessThan(100);
  });

  it('is as small as it is asked to be', () => {
    const filter = filterOf(
      Array.from({ length: 5_000 }, (_, n) => `${n * 7_919_777}`),
      4_096,
    );
    expect(filter.bits).toBe(4_096);
    expect(filter.hex()).toHaveLength(1_024);
  });

  it('asks for nothing of a needle shorter than a gram, and for a bounded number of a long one', () => {
    expect(hashesAsked('abc')).toEqual([]);
    expect(hashesAsked('abcd')).toHaveLength(2);
    expect(hashesAsked(Array.from({ length: 500 }, (_, n) => n.toString(36)).join('')).length).toBeLessThanOrEqual(32);
  });
});
