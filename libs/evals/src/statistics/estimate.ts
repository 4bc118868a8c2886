import type { Clusters } from './clusters.js';
import type { Distributions } from './distributions.js';
import { tInterval, wilsonInterval, type Interval } from './intervals.js';
import { inStretches } from './stretches.js';
import { Sum } from './sum.js';
import { isZeroOrOne, zeroWhenTiny } from './tolerance.js';

/** A mean over datapoints, and how far it may be off. */
export interface Mean {
  /** N: datapoints that have a value. */
  datapoints: number;
  /** C: their clusters. */
  clusters: number;
  /** `null` without datapoints. */
  mean: number | null;
  /** The standard error of the mean; `null` with fewer than two clusters. */
  se: number | null;
}

/** A mean on the scale from 0 to 1, with its 95% confidence interval. */
export interface Estimate {
  mean: number | null;
  se: number | null;
  ci: Interval | null;
}

/**
 * Mean and standard error by rules 1 and 2: x̄ = Σmᵢ/N and se = √(C/(C−1) · Σ_c (Σ_{i∈c} (mᵢ − x̄))²) / N. Two passes over the
 * values, since Σm² − N·x̄² would lose the digits of a small se.
 * @param values one a datapoint, in the order of the datapoints; NaN where it has none.
 */
export async function meanWithError(values: Float64Array, clusters: Clusters | null): Promise<Mean> {
  const sum = new Sum();
  let datapoints = 0;
  await inStretches(values.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = values[i]!;
      if (Number.isNaN(value)) continue;
      sum.add(value);
      datapoints++;
    }
  });
  if (datapoints === 0) return { datapoints: 0, clusters: 0, mean: null, se: null };
  const mean = sum.value / datapoints;
  const { squares, count } = await (clusters === null
    ? eachSquared(values, mean, datapoints)
    : byCluster(values, mean, clusters));
  const se = count < 2 ? null : zeroWhenTiny(Math.sqrt((count / (count - 1)) * squares) / datapoints);
  return { datapoints, clusters: count, mean, se };
}

interface Residuals {
  /** Σ of the squares of the clusters' residuals. */
  squares: number;
  /** Clusters with a datapoint that has a value. */
  count: number;
}

async function eachSquared(values: Float64Array, mean: number, count: number): Promise<Residuals> {
  const squares = new Sum();
  await inStretches(values.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = values[i]!;
      if (!Number.isNaN(value)) squares.add((value - mean) ** 2);
    }
  });
  return { squares: squares.value, count };
}

async function byCluster(values: Float64Array, mean: number, { numbers, total }: Clusters): Promise<Residuals> {
  const residuals = new Float64Array(total);
  const occurs = new Uint8Array(total);
  await inStretches(values.length, (from, to) => {
    for (let i = from; i < to; i++) {
      if (Number.isNaN(values[i]!)) continue;
      residuals[numbers[i]!]! += values[i]! - mean;
      occurs[numbers[i]!] = 1;
    }
  });
  const squares = new Sum();
  let count = 0;
  await inStretches(total, (from, to) => {
    for (let c = from; c < to; c++) {
      if (occurs[c] === 0) continue;
      squares.add(residuals[c]! ** 2);
      count++;
    }
  });
  return { squares: squares.value, count };
}

/**
 * A mean with the interval of rule 3.
 * @param single whether every datapoint has one sample and each is 0 or 1: with no clusters asked for, the exact case (a).
 */
export async function estimate(
  values: Float64Array,
  clusters: Clusters | null,
  single: boolean,
  distributions: Distributions,
): Promise<Estimate & Mean> {
  const mean = await meanWithError(values, clusters);
  return { ...mean, ci: intervalOf(mean, single && clusters === null, distributions) };
}

function intervalOf(estimated: Mean, exact: boolean, distributions: Distributions): Interval | null {
  const { datapoints, clusters, mean, se } = estimated;
  if (mean === null) return null;
  if (exact) return wilsonInterval(Math.round(mean * datapoints) / datapoints, datapoints);
  if (se === null) return null;
  // All clusters alike at an end of the scale: t would claim certainty.
  if (se === 0 && isZeroOrOne(mean)) return wilsonInterval(Math.round(mean), clusters);
  return tInterval(mean, se, clusters - 1, [0, 1], distributions);
}
