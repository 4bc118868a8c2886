import { describe, expect, it } from '@jest/globals';
import { Permits } from './permits.js';

describe('permits', () => {
  it('let so many through at once, in the order they came', async () => {
    const permits = new Permits(3);
    const order: number[] = [];
    let now = 0;
    let most = 0;
    const work = async (i: number): Promise<void> => {
      await permits.enter();
      order.push(i);
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      permits.leave();
    };
    const all = Array.from({ length: 3_000 }, (_, i) => work(i));
    expect([permits.taken, permits.waits]).toEqual([3, 2_997]);
    await Promise.all(all);
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 3_000 }, (_, i) => i));
    expect([permits.taken, permits.waits]).toEqual([0, 0]);
    expect(permits.enter()).toBeUndefined();
  });
});
