import { describe, expect, it } from '@jest/globals';
import { allSettledOrThrow } from './write-tx.js';

describe('allSettledOrThrow', () => {
  it('throws the failure that came first, whichever part is named first', async () => {
    const deadlock = new Error('deadlock detected');
    const behind = Promise.withResolvers<void>();
    const first = behind.promise.then(() => Promise.reject(new Error('current transaction is aborted')));
    const second = Promise.reject(deadlock).finally(behind.resolve);
    await expect(allSettledOrThrow(first, false, second, undefined)).rejects.toBe(deadlock);
  });

  it('waits for all parts, also when one has failed', async () => {
    const slow = Promise.withResolvers<void>();
    let isOver = false;
    const waiting = allSettledOrThrow(Promise.reject(new Error('no')), slow.promise).catch(() => (isOver = true));
    await new Promise((done) => setImmediate(done));
    expect(isOver).toBe(false);
    slow.resolve();
    expect(await waiting).toBe(true);
  });

  it('is done when all parts are', async () => {
    await expect(allSettledOrThrow(Promise.resolve(1), false, undefined)).resolves.toBeUndefined();
  });
});
