/**
 * How long to wait before something that has failed is tried again: twice as long each time, and up to half of it
 * less at random, so that those that failed together do not come back together.
 * @param failures how many failed in a row, from 1.
 */
export const backoff = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30)) * (0.5 + Math.random() / 2);
