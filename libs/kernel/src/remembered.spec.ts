import { describe, expect, it } from '@jest/globals';
import { remembered } from './remembered.js';

describe('a value for metrics that is work to read', () => {
  it('is read once for all who ask', async () => {
    let reads = 0;
    const ask = remembered(async () => ++reads);
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    expect(await ask()).toBe(1);
  });

  it('is not waited for when its database hangs, and is shown when it comes', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const ask = remembered(() => promise);
    expect(await Promise.all([ask(), ask()])).toEqual([undefined, undefined]);
    resolve(7);
    await promise;
    expect(await ask()).toBe(7);
  });

  it('is missing while it cannot be read', async () => {
    const ask = remembered(() => Promise.reject(new Error('away')));
    expect(await ask()).toBeUndefined();
  });
});
