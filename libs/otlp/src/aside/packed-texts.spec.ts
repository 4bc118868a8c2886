import { describe, expect, it } from '@jest/globals';
import { packedPage, unpackedTexts, type PackedPage } from './packed-texts.js';

describe('pages of an export', () => {
  const MEGABYTE = 'é'.repeat(524_288);
  const items = Array.from({ length: 40 }, (_, n) => n);
  const textsOf = (n: number): string[] => (n % 10 === 9 ? [] : [`${n} ${MEGABYTE}`]);

  it('hold all of it together, each text once and in order', () => {
    const found: string[] = [];
    const sizes: number[] = [];
    let from: number | null = 0;
    while (from !== null) {
      const page: PackedPage = packedPage(items, from, textsOf);
      found.push(...unpackedTexts(page));
      sizes.push(page.bytes.byteLength);
      from = page.next;
    }
    expect(found).toEqual(items.flatMap(textsOf));
    expect(sizes).toHaveLength(3);
    expect(Math.max(...sizes)).toBeLessThan(18_000_000);
  });

  it('begin with one for which the whole export has been decoded', () => {
    const { count } = packedPage(items, 0, textsOf);
    expect(count).toBe(40);
    function* damaged(): Generator<number> {
      yield* items;
      throw new Error('damaged');
    }
    expect(() => packedPage(damaged(), 0, textsOf)).toThrow('damaged');
    expect(() => packedPage(damaged(), 1, textsOf)).not.toThrow();
  });
});
