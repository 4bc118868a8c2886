import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { atOnce, inTurns } from '@spandrel/kernel';
import { linesOf, readPage, type ReadPage } from './read-pages.js';

describe('pages of an export', () => {
  const MEGABYTE = 'é'.repeat(524_288);
  const items = Array.from({ length: 40 }, (_, n) => n);
  const textsOf = (n: number): string[] => (n % 10 === 9 ? [] : [`${n} ${MEGABYTE}`]);

  it('hold all of it together, each text once and in order', () => {
    const found: string[] = [];
    const sizes: number[] = [];
    let from: number | null = 0;
    while (from !== null) {
      const page: ReadPage = atOnce(readPage(items, from, textsOf));
      found.push(...linesOf(page));
      sizes.push(page.lines.byteLength);
      from = page.next;
    }
    expect(found).toEqual(items.flatMap(textsOf));
    expect(sizes).toHaveLength(3);
    expect(Math.max(...sizes)).toBeLessThan(18_000_000);
  });

  it('begin with one for which the whole export has been decoded', () => {
    const { count } = atOnce(readPage(items, 0, textsOf));
    expect(count).toBe(40);
    function* damaged(): Generator<number> {
      yield* items;
      throw new Error('damaged');
    }
    expect(() => atOnce(readPage(damaged(), 0, textsOf))).toThrow('damaged');
    expect(() => atOnce(readPage(damaged(), 1, textsOf))).not.toThrow();
  });
});

/** Counts the turns of the event loop that others get while items are read, each of which takes a tenth of a millisecond. */
async function turnsDuring(items: number): Promise<number> {
  let now = 0;
  let turns = 0;
  let going = true;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const others = (async () => {
    for (; going; turns++) await nextTurn();
  })();
  const decoded = (function* () {
    for (let item = 0; item < items; item++) {
      now += 0.1;
      yield item;
    }
  })();
  const { count } = await inTurns(readPage(decoded, 0, () => []));
  const during = turns;
  going = false;
  await others;
  expect(count).toBe(items);
  return during;
}

describe('reading an export', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('lets others have their turn after every millisecond or two', async () => {
    expect(await turnsDuring(1_600)).toBeGreaterThan(90);
  });

  it('holds on to the turn for what is short', async () => {
    expect(await turnsDuring(9)).toBe(0);
  });
});
