import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyBuffer, isTruncated, BodyBudget } from './body-buffer.js';

const join = (pieces: readonly { data: Buffer }[]): string =>
  Buffer.concat(pieces.map(({ data }) => data)).toString('latin1');

describe('BodyBuffer', () => {
  it('keeps the beginning up to its limit and at least the last 64 KiB, and gives its memory back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 12 }),
        fc.integer({ min: 0, max: 200_000 }),
        (lengths, limit) => {
          const budget = new BodyBudget(10_000_000);
          const body = new BodyBuffer(limit, budget);
          let all = '';
          lengths.forEach((length, index) => {
            const text = String.fromCharCode(97 + index).repeat(length);
            all += text;
            body.add(Buffer.from(text), index);
          });
          expect(body.bytes).toBe(all.length);
          expect(join(body.pieces)).toBe(all.slice(0, limit));
          expect(isTruncated(body)).toBe(all.length > limit);
          if (all.length > limit) {
            const tail = join(body.tail);
            expect(all.endsWith(tail)).toBe(true);
            expect(tail.length).toBeGreaterThanOrEqual(Math.min(65_536, all.length - limit));
            expect(tail.length).toBeLessThan(65_536 + 90_000);
          }
          body.release();
          expect(budget.used).toBe(0);
        },
      ),
    );
  });

  it('stops at what all bodies may hold together', () => {
    const budget = new BodyBudget(100);
    const [first, second] = [new BodyBuffer(1_000, budget), new BodyBuffer(1_000, budget)];
    first.add(Buffer.alloc(80), 0);
    second.add(Buffer.alloc(80), 0);
    expect(join(second.pieces)).toHaveLength(20);
    expect(isTruncated(second)).toBe(true);
  });

  it('gathers small pieces that come together, each with its time, and copies no large one', () => {
    const body = new BodyBuffer(10_000_000, new BodyBudget(10_000_000));
    const texts = Array.from({ length: 20_000 }, (_, n) => `data: ${n}\n\n`);
    texts.forEach((text, n) => body.add(Buffer.from(text), Math.floor(n / 2_000) * 5 + (n % 2_000) / 2_500));
    expect(body.pieces.map(({ at }) => at)).toEqual([0, 5, 10, 15, 20, 25, 30, 35, 40, 45]);
    expect(join(body.pieces)).toBe(texts.join(''));
    const large = Buffer.alloc(5_000);
    body.add(large, 45);
    expect(body.pieces.at(-1)!.data).toBe(large);
  });
});
