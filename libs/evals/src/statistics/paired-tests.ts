import type { Distributions } from './distributions.js';

/**
 * McNemar's exact test: pairs that stayed as they were tell nothing, and those that changed would fall on either side like a
 * coin, X ~ Binomial(b + c, ½).
 * @param gained b, @param lost c: pairs that went from 0 to 1, from 1 to 0. @returns p = min(1, 2·P(X ≤ min(b, c))).
 */
export function mcnemarP(gained: number, lost: number, { binomialCdf }: Distributions): number {
  if (gained + lost === 0) return 1;
  return Math.min(1, 2 * binomialCdf(Math.min(gained, lost), gained + lost, 0.5));
}

/**
 * The paired t test, p = 2·P(T ≥ |diff|/se).
 * @param clusters 2 at least; degrees of freedom are one less.
 */
export function pairedTP(diff: number, se: number, clusters: number, { tCdf }: Distributions): number {
  if (se === 0) return diff === 0 ? 1 : 0;
  return 2 * tCdf(-Math.abs(diff) / se, clusters - 1);
}
