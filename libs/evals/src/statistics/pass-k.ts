import type { Clusters } from './clusters.js';
import type { DatapointScores } from './datapoint-scores.js';
import { meanWithError } from './estimate.js';
import { inStretches } from './stretches.js';

/** What k tries come to. */
export interface PassK {
  k: number;
  /** Datapoints with k samples at least. */
  datapoints: number;
  /** The chance that at least one of k tries passes. */
  pass_at_k: number | null;
  pass_at_k_se: number | null;
  /** pass^k: the chance that all of k tries pass. */
  pass_hat_k: number | null;
  pass_hat_k_se: number | null;
}

/**
 * 1 − C(n−c, k)/C(n, k), unbiased (rule 5): of all ways to choose k of the n samples, those with a sample that passed. In
 * products, as factorials of 100 lose digits.
 * @param n samples, k at least. @param c those that passed.
 */
export const passAtK = (n: number, c: number, k: number): number => 1 - choicesAmong(n - c, n, k);

/** C(c, k)/C(n, k), unbiased: of all ways to choose k of the n samples, those that all passed. Parameters as {@link passAtK}. */
export const passHatK = (n: number, c: number, k: number): number => choicesAmong(c, n, k);

/** C(m, k)/C(n, k) = Π (m−j)/(n−j), j from 0 to k−1. */
function choicesAmong(m: number, n: number, k: number): number {
  if (m < k) return 0;
  let share = 1;
  for (let j = 0; j < k; j++) share *= (m - j) / (n - j);
  return share;
}

/** Powers of two up to the number of repeats, and this itself: the numbers shown when a query names none. */
export function defaultKs(repeats: number): number[] {
  const ks: number[] = [];
  for (let k = 1; k < repeats; k *= 2) ks.push(k);
  return [...ks, repeats];
}

/** pass@k and pass^k with their standard errors (as rule 2), over the datapoints that have k samples at least. */
export async function passK(scores: DatapointScores, clusters: Clusters | null, k: number): Promise<PassK> {
  const at = await meanWithError(await valuesOf(scores, k, passAtK), clusters);
  const hat = await meanWithError(await valuesOf(scores, k, passHatK), clusters);
  return {
    k,
    datapoints: at.datapoints,
    pass_at_k: at.mean,
    pass_at_k_se: at.se,
    pass_hat_k: hat.mean,
    pass_hat_k_se: hat.se,
  };
}

async function valuesOf(
  { counts, passes, length }: DatapointScores,
  k: number,
  chance: (n: number, c: number, k: number) => number,
): Promise<Float64Array> {
  // Few pairs of n and c occur: each is computed once.
  const known = new Map<number, number>();
  const values = new Float64Array(length).fill(Number.NaN);
  await inStretches(length, (from, to) => {
    for (let i = from; i < to; i++) {
      const n = counts[i]!;
      if (n < k) continue;
      const c = passes[i]!;
      const pair = n * 0x1_00_00 + c;
      let value = known.get(pair);
      if (value === undefined) known.set(pair, (value = chance(n, c, k)));
      values[i] = value;
    }
  });
  return values;
}
