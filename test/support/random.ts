import { TEST_SEED } from './test-seed.ts';

/** Numbers from 0 to below `n`, always the same ones for a seed in a run of one {@link TEST_SEED} (mulberry32). */
export function random(seed: number): (n: number) => number {
  let state = seed + TEST_SEED;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * n);
  };
}
