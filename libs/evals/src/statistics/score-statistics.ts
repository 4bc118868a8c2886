import type { Clusters } from './clusters.js';
import type { DatapointScores } from './datapoint-scores.js';
import type { Distributions } from './distributions.js';
import { estimate, type Estimate } from './estimate.js';
import type { Interval } from './intervals.js';
import { passK, type PassK } from './pass-k.js';
import { zeroWhenTiny } from './tolerance.js';

/** All that is told of one score of a run, as the wire has it (ADR 0046). */
export interface ScoreStatistics {
  /** Datapoints with a score. */
  datapoints: number;
  samples: number;
  clusters: number;
  mean: number | null;
  se: number | null;
  ci: Interval | null;
  /** How much the samples of one datapoint differ; `null` when none has two. */
  within_sd: number | null;
  min: number | null;
  max: number | null;
  pass_rate: Estimate;
  pass_k: PassK[];
  /** Datapoints of which some samples passed and some did not. */
  flaky_datapoints: number;
  always_passed: number;
  never_passed: number;
  min_datapoint_pass_rate: number | null;
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
  const {
    datapoints,
    clusters: count,
    ...score
  } = await estimate(scores.means, clusters, scores.allSingle && scores.allBinary, distributions);
  const passRates = passRatesOf(scores);
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
function passRatesOf({ passes, counts, length }: DatapointScores): Float64Array {
  const rates = new Float64Array(length);
  for (let i = 0; i < length; i++) rates[i] = passes[i]! / counts[i]!;
  return rates;
}

type PassCounts = Pick<
  ScoreStatistics,
  'flaky_datapoints' | 'always_passed' | 'never_passed' | 'min_datapoint_pass_rate'
>;

function passCounts(passRates: Float64Array): PassCounts {
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
