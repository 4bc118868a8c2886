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

  it('let organizations, projects and runs take turns: a hundred runs of one do not hold up the only run of another', async () => {
    const permits = new Permits(4);
    const order: string[] = [];
    const calls: Promise<void>[] = [];
    /** One call after the other, as a slot of a run makes them. */
    const slot = async (path: readonly string[], count: number): Promise<void> => {
      const own = permits.of(path);
      for (let call = 0; call < count; call++) {
        await own.enter();
        order.push(path.join('/'));
        await new Promise((resolve) => setImmediate(resolve));
        own.leave();
      }
    };
    for (let run = 0; run < 100; run++) for (let n = 0; n < 4; n++) calls.push(slot(['many', 'p', `r${run}`], 3));
    for (let n = 0; n < 4; n++) calls.push(slot(['modest', 'p', 'r'], 3));
    for (let n = 0; n < 4; n++) calls.push(slot(['many', 'small', 'r'], 3));
    await Promise.all(calls);
    expect(order).toHaveLength(1_224);
    const last = (path: string): number => order.lastIndexOf(path) + 1;
    // Half of the calls are the other organization's until it has made its twelve, a half of the rest the small project's.
    expect(last('modest/p/r')).toBeLessThanOrEqual(4 + 2 * 12);
    expect(last('many/small/r')).toBeLessThanOrEqual(4 + 3 * 12);
    expect([permits.taken, permits.waits]).toEqual([0, 0]);
  });
});
