import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyBudget } from './long-body.js';
import { BodyBuffer, isTruncated } from './body-buffer.js';

const join = (pieces: readonly { data: Buffer }[]): string =>
  Buffer.concat(pieces.map(({ data }) => data)).toString('latin1');

const MIB = 1024 * 1024;

describe('BodyBuffer', () => {
  it('gives its memory back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 12 }),
        fc.integer({ min: 0, max: 200_000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (lengths, limit, max) => {
          const budget = new BodyBudget(max);
          const body = new BodyBuffer(limit, budget);
          lengths.forEach((length, index) => body.add(Buffer.alloc(length, 'a'), index));
          expect(body.bytes).toBe(lengths.reduce((sum, length) => sum + length, 0));
          expect(isTruncated(body.finish())).toBe(body.gap !== 'none');
          body.release();
          expect(budget.used).toBe(0);
        },
      ),
    );
  });

  it('keeps no more than its limit, the rest and the end of it', () => {
    const budget = new BodyBudget(100 * MIB);
    const body = new BodyBuffer(1_000_000, budget);
    for (let n = 0; n < 100; n++) {
      body.add(Buffer.alloc(100_000, 97 + (n % 26)), n);
      expect(budget.used).toBeLessThan(1_000_000 + 2.3 * MIB);
    }
    body.finish();
    expect([body.gap, join(body.pieces).length, join(body.tail).length]).toEqual([
      'unknown',
      1_000_000 + 2 * MIB,
      MIB / 4,
    ]);
  });

  it('stops at what all bodies may hold together', () => {
    const budget = new BodyBudget(100);
    const [first, second] = [new BodyBuffer(1_000, budget), new BodyBuffer(1_000, budget)];
    first.add(Buffer.alloc(80), 0);
    second.add(Buffer.alloc(80_000), 0);
    second.add(Buffer.alloc(80_000), 0);
    expect(join(second.finish().pieces)).toHaveLength(20);
    expect(join(second.tail)).toHaveLength(64 * 1024);
    expect([isTruncated(second), second.gap]).toEqual([true, 'unknown']);
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
