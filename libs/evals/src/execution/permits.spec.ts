import { describe, expect, it } from '@jest/globals';
import { Permits } from './permits.js';

describe('permits', () => {
  it('let so many through at once, in the order they came, whatever becomes of them', async () => {
    const permits = new Permits(3);
    const order: number[] = [];
    let now = 0;
    let most = 0;
    const work = (i: number) =>
      permits.with(async () => {
        order.push(i);
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        if (i % 5 === 0) throw new Error(`${i}`);
        return i;
      });
    const all = await Promise.allSettled(Array.from({ length: 3_000 }, (_, i) => work(i)));
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 3_000 }, (_, i) => i));
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(600);
  });
});
