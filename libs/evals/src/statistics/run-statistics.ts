import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  getOrMake,
  type EvalStatistics,
  type Interval,
  type PreferenceStatistics,
  type RunMeasures,
  type ScoreStatistics,
} from '@spandrel/contract';
import {
  mcnemarP,
  tInterval,
  wilsonInterval,
  type Distributions,
  inStretches,
  Sum,
  isZeroOrOne,
  zeroWhenTiny,
} from './distributions.js';
import { ALIKE_SCORE, type Preferences } from './preference.js';
import type { Quantity, Clusters, DatapointScores, RunSamples } from './run-samples.js';

/** A mean over datapoints, and how far it may be off. */
interface Mean {
  /** N: datapoints that have a value. */
  datapoints: number;
  /** C: their clusters. */
  clusters: number;
  /** `null` without datapoints. */
  mean: number | null;
  /** The standard error of the mean; `null` with fewer than two clusters. */
  se: number | null;
}

/**
 * Mean and standard error by rules 1 and 2: x̄ = Σmᵢ/N and se = √(C/(C−1) · Σ_c (Σ_{i∈c} (mᵢ − x̄))²) / N. Two passes over the
 * values, since Σm² − N·x̄² would lose the digits of a small se.
 * @param values one a datapoint, in the order of the datapoints; NaN where it has none.
 */
export async function meanWithError(values: ArrayLike<number>, clusters: Clusters | null): Promise<Mean> {
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

async function eachSquared(values: ArrayLike<number>, mean: number, count: number): Promise<Residuals> {
  const squares = new Sum();
  await inStretches(values.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const value = values[i]!;
      if (!Number.isNaN(value)) squares.add((value - mean) ** 2);
    }
  });
  return { squares: squares.value, count };
}

async function byCluster(values: ArrayLike<number>, mean: number, { numbers, total }: Clusters): Promise<Residuals> {
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
async function estimate(
  values: ArrayLike<number>,
  clusters: Clusters | null,
  single: boolean,
  distributions: Distributions,
): Promise<ScoreStatistics['pass_rate'] & Mean> {
  const mean = await meanWithError(values, clusters);
  return { ...mean, ci: computeInterval(mean, single && clusters === null, distributions) };
}

function computeInterval(estimated: Mean, exact: boolean, distributions: Distributions): Interval | null {
  const { datapoints, clusters, mean, se } = estimated;
  if (mean === null) return null;
  if (exact) return wilsonInterval(Math.round(mean * datapoints) / datapoints, datapoints);
  if (se === null) return null;
  // All clusters alike at an end of the scale: t would claim certainty.
  if (se === 0 && isZeroOrOne(mean)) return wilsonInterval(Math.round(mean), clusters);
  return tInterval(mean, se, clusters - 1, [0, 1], distributions);
}

export type PassK = ScoreStatistics['pass_k'][number];

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
  const at = await meanWithError(await computeChances(scores, k, passAtK), clusters);
  const hat = await meanWithError(await computeChances(scores, k, passHatK), clusters);
  return {
    k,
    datapoints: at.datapoints,
    pass_at_k: at.mean,
    pass_at_k_se: at.se,
    pass_hat_k: hat.mean,
    pass_hat_k_se: hat.se,
  };
}

async function computeChances(
  { counts, passes, length }: DatapointScores,
  k: number,
  chance: (n: number, c: number, k: number) => number,
): Promise<Float64Array> {
  // Few pairs of n and c occur: each is computed once.
  const known = new Map<number, number>();
  const values = new Float64Array(length).fill(Number.NaN);
  await inStretches(length, (from, to) => {
    for (let i = from; i < to; i++) {
      const [n, c] = [counts[i]!, passes[i]!];
      if (n >= k) values[i] = getOrMake(known, n * 0x1_00_00 + c, () => chance(n, c, k));
    }
  });
  return values;
}

/**
 * Computes one mean after the other, in stretches between which requests have their turn.
 * @param ks the numbers of tries of `pass_k`, each up to the number of repeats.
 */
export async function scoreStatistics(
  scores: DatapointScores,
  clusters: Clusters | null,
  ks: readonly number[],
  distributions: Distributions,
): Promise<ScoreStatistics> {
  const isExact = scores.allSingle && scores.allBinary;
  const { datapoints, clusters: count, ...score } = await estimate(scores.means, clusters, isExact, distributions);
  const passRates = computePassRates(scores);
  const rate = await estimate(passRates, clusters, scores.allSingle, distributions);
  const tries: PassK[] = [];
  for (const k of ks) tries.push(await passK(scores, clusters, k));
  return {
    datapoints,
    samples: scores.samples,
    clusters: count,
    ...score,
    within_sd: scores.withinSd === null ? null : zeroWhenTiny(scores.withinSd),
    min: scores.min,
    max: scores.max,
    pass_rate: { mean: rate.mean, se: rate.se, ci: rate.ci },
    pass_k: tries,
    ...passCounts(passRates),
  };
}

/** cᵢ/nᵢ of each datapoint, NaN where it has no score. */
function computePassRates({ passes, counts, length }: DatapointScores): Float64Array {
  const rates = new Float64Array(length);
  for (let i = 0; i < length; i++) rates[i] = passes[i]! / counts[i]!;
  return rates;
}

function passCounts(passRates: Float64Array) {
  let [flaky, always, never] = [0, 0, 0];
  let least: number | null = null;
  for (const rate of passRates) {
    if (Number.isNaN(rate)) continue;
    if (rate === 0) never++;
    else if (rate === 1) always++;
    else flaky++;
    if (least === null || rate < least) least = rate;
  }
  return {
    flaky_datapoints: flaky,
    always_passed: always,
    never_passed: never,
    min_datapoint_pass_rate: least,
  };
}

/** What samples took or cost, the interval of the mean by rule 3 over the means of the datapoints. */
async function amountStatistics(
  quantity: Quantity,
  clusters: Clusters | null,
  distributions: Distributions,
): Promise<EvalStatistics['latency_ms']> {
  const statistics = quantity.statistics();
  const { mean } = statistics;
  const { se, clusters: count } = await meanWithError(quantity.means, clusters);
  const ci = mean === null || se === null ? null : tInterval(mean, se, count - 1, [0, Infinity], distributions);
  return { ...statistics, ci };
}

/**
 * What a scorer that compares with a baseline comes to (docs/spec/eval-statistics.md#preference).
 * @param means mean scores of the datapoints, NaN where one has none.
 */
async function preferenceStatistics(
  { means }: Pick<DatapointScores, 'means'>,
  { firsts, disagreements }: Preferences,
  clusters: Clusters | null,
  distributions: Distributions,
): Promise<PreferenceStatistics> {
  const counts = { wins: 0, ties: 0, losses: 0 };
  for (const mean of means) {
    const more = zeroWhenTiny(mean - ALIKE_SCORE);
    if (!Number.isNaN(more)) counts[more > 0 ? 'wins' : more < 0 ? 'losses' : 'ties']++;
  }
  const isAny = means.some((mean) => !Number.isNaN(mean));
  return {
    ...counts,
    p_value: isAny ? mcnemarP(counts.wins, counts.losses, distributions) : null,
    judged: disagreements.filter((share) => !Number.isNaN(share)).length,
    first_preferred: await rateOf(firsts, clusters, distributions),
    self_disagreement: await rateOf(disagreements, clusters, distributions),
  };
}

/** A mean of shares. The two calls of a pair depend on each other, so that datapoints are counted and not calls. */
async function rateOf(
  shares: readonly number[],
  clusters: Clusters | null,
  distributions: Distributions,
): Promise<{ rate: number; ci: Interval } | null> {
  const { mean, se, clusters: count } = await meanWithError(shares, clusters);
  if (mean === null) return null;
  // Datapoints that are all alike would have Student's t claim certainty.
  const ci = se ? tInterval(mean, se, count - 1, [0, 1], distributions) : wilsonInterval(mean, count);
  return { rate: mean, ci };
}

/** What the samples of a run come to; `samples` and `failed_samples` are those that are processed. */
export type RunStatistics = Pick<
  EvalStatistics,
  'samples' | 'failed_samples' | 'score' | 'scorers' | 'latency_ms' | 'cost'
>;

/**
 * Computes one score after the other and lets requests have their turn between them.
 * @param ks numbers of tries of `pass_k`, each up to the number of repeats.
 */
export async function runStatistics(
  run: RunSamples,
  ks: readonly number[],
  distributions: Distributions,
): Promise<RunStatistics> {
  const score = await scoreStatistics(run.score, run.clusters, ks, distributions);
  const scorers: [string, ScoreStatistics][] = [];
  for (const [name, scores] of run.scorers) {
    await nextTurn();
    const statistics = await scoreStatistics(scores, run.clusters, ks, distributions);
    const preferences = run.preferences.get(name);
    const preference = preferences && (await preferenceStatistics(scores, preferences, run.clusters, distributions));
    scorers.push([name, { ...statistics, ...(preference && { preference }) }]);
  }
  await nextTurn();
  const latency = await amountStatistics(run.latencyMs, run.clusters, distributions);
  await nextTurn();
  return {
    samples: run.samples,
    failed_samples: run.failedSamples,
    score,
    scorers: Object.fromEntries(scorers),
    latency_ms: latency,
    cost: { ...(await amountStatistics(run.cost, run.clusters, distributions)), total: run.cost.total },
  };
}

/** What lists and charts show of a run that is completed. */
export function measuresOf({ score, scorers, latency_ms, cost }: RunStatistics): RunMeasures {
  const { total: _total, ...sampleCost } = cost;
  const ofScorers = Object.entries(scorers).map(([name, of]) => {
    const { mean, se, ci, pass_rate } = of;
    return [name, { mean, se, ci, pass_rate }] as const;
  });
  return {
    ...{ pass_rate: score.pass_rate, latency_ms, sample_cost: sampleCost },
    scorer_scores: Object.fromEntries(ofScorers),
  };
}
