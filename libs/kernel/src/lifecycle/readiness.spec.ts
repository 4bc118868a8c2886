import { describe, expect, it, jest } from '@jest/globals';
import { Readiness } from './readiness.js';

function ready(check: () => Promise<void>): Readiness {
  const readiness = new Readiness();
  readiness.require(check);
  readiness.ready = true;
  return readiness;
}

describe('Readiness', () => {
  it('does not hold before the start and after the stop, whatever the checks say', async () => {
    const readiness = new Readiness();
    expect(await readiness.holds()).toBe(false);
    readiness.ready = true;
    expect(await readiness.holds()).toBe(true);
    readiness.ready = false;
    expect(await readiness.holds()).toBe(false);
  });

  it('does not hold when a check fails or takes too long', async () => {
    const fails = ready(() => Promise.reject(new Error('down')));
    fails.require(async () => undefined);
    expect(await fails.holds()).toBe(false);
    expect(await ready(() => new Promise(() => undefined)).holds()).toBe(false);
  });

  it('checks once for all who ask within a second', async () => {
    const check = jest.fn(async () => undefined);
    const readiness = ready(check);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    await Promise.all(Array.from({ length: 20 }, () => readiness.holds()));
    clock.mockReturnValue(1_000);
    await readiness.holds();
    expect(check).toHaveBeenCalledTimes(1);
    clock.mockReturnValue(1_001);
    await readiness.holds();
    expect(check).toHaveBeenCalledTimes(2);
    clock.mockRestore();
  });

  it('does not hold when the stop begins while it is checked', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const readiness = ready(() => promise);
    const held = readiness.holds();
    readiness.ready = false;
    resolve();
    expect(await held).toBe(false);
  });
});
