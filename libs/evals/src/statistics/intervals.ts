import type { Distributions } from './distributions.js';
import { isSame } from './tolerance.js';

/** A confidence interval. */
export interface Interval {
  low: number;
  high: number;
  level: 0.95;
  method: 'wilson' | 't';
}

/** The normal distribution's 97.5% quantile. */
const Z_975 = 1.959963984540054;

/**
 * Wilson's interval of a share, (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n). It stays honest where the normal interval
 * fails: with few trials, and with none or all of them successes.
 * @param share of the trials that were successes. @param trials 1 at least.
 */
export function wilsonInterval(share: number, trials: number): Interval {
  const zz = Z_975 ** 2 / trials;
  const middle = share + zz / 2;
  const half = Z_975 * Math.sqrt((share * (1 - share)) / trials + zz / (4 * trials));
  const [low, high] = [(middle - half) / (1 + zz), (middle + half) / (1 + zz)];
  // At the ends of the scale the root is exact in mathematics, and one digit off in floating point.
  return { low: isSame(low, 0) ? 0 : low, high: isSame(high, 1) ? 1 : high, level: 0.95, method: 'wilson' };
}

/**
 * mean ± t·se, by Student's t since the se is itself estimated.
 * @param df degrees of freedom: clusters less one. @param bounds the scale; what reaches over it is cut.
 */
export function tInterval(
  mean: number,
  se: number,
  df: number,
  bounds: readonly [number, number],
  { tQuantile }: Distributions,
): Interval {
  const half = se === 0 ? 0 : tQuantile(0.975, df) * se;
  const [least, most] = bounds;
  return { low: Math.max(mean - half, least), high: Math.min(mean + half, most), level: 0.95, method: 't' };
}
