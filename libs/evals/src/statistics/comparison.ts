import type { Clusters } from './clusters.js';
import type { DatapointScores } from './datapoint-scores.js';
import type { Distributions } from './distributions.js';
import { meanWithError } from './estimate.js';
import { tInterval, type Interval } from './intervals.js';
import { pairDatapoints, pairedDifferences } from './pairs.js';
import { mcnemarP, pairedTP } from './paired-tests.js';
import type { RunSamples } from './run-samples.js';
import { inStretches } from './stretches.js';
import { isZeroOrOne, zeroWhenTiny } from './tolerance.js';

/** How a quantity differs from the baseline's, as the wire has it. */
interface QuantityComparison {
  pairs: number;
  clusters: number;
  /** The mean of the differences, run less baseline; `null` without pairs. */
  diff: number | null;
  se: number | null;
  ci: Interval | null;
  test: 'paired_t';
  p_value: number | null;
}

type Verdict = 'better' | 'worse' | 'no_difference' | 'unknown';

/** How a score differs from the baseline's. */
export interface ScoreComparison extends Omit<QuantityComparison, 'test'> {
  test: 'mcnemar_exact' | 'paired_t';
  /** Datapoints whose score rose, fell, stayed. */
  better: number;
  worse: number;
  same: number;
  verdict: Verdict;
  /** The difference that so many datapoints would have shown with a chance of 80%. */
  detectable_diff: number | null;
}

export interface RunComparison {
  baseline_run_id: string;
  alpha: number;
  pairs: number;
  changed: number;
  unpaired_run: number;
  unpaired_baseline: number;
  score: ScoreComparison;
  /** Scorers that both runs have. */
  scorers: Record<string, ScoreComparison>;
  latency_ms: QuantityComparison;
  cost: QuantityComparison;
}

export interface ComparisonOptions {
  baselineRunId: string;
  /** How rare a difference must be, if there is none, to count as one: above 0 and below 1. */
  alpha: number;
  /** Ids of datapoints whose content, all but `actual_output` and `score`, is not the same in both snapshots. */
  changed: ReadonlySet<string>;
  distributions: Distributions;
}

/** Compares a run with its baseline, pair by pair (ADR 0046, rule 8); clusters are those of the run. */
export async function compareWithBaseline(
  run: RunSamples,
  baseline: RunSamples,
  { baselineRunId, alpha, changed, distributions }: ComparisonOptions,
): Promise<RunComparison> {
  const pairs = await pairDatapoints(run, baseline, changed);
  const { partners } = pairs;
  const { clusters } = run;
  const score = await compareScores(run.score, baseline.score, partners, { clusters, alpha, distributions });
  const scorers: [string, ScoreComparison][] = [];
  for (const [name, scores] of run.scorers) {
    const others = baseline.scorers.get(name);
    if (!others) continue;
    scorers.push([name, await compareScores(scores, others, partners, { clusters, alpha, distributions })]);
  }
  const quantity = async (ofRun: Float64Array, ofBaseline: Float64Array) => {
    const differences = await pairedDifferences(ofRun, ofBaseline, partners);
    return compareByT(differences, clusters, UNBOUNDED, distributions);
  };
  return {
    baseline_run_id: baselineRunId,
    alpha,
    pairs: pairs.count,
    changed: pairs.changed,
    unpaired_run: pairs.unpairedRun,
    unpaired_baseline: pairs.unpairedBaseline,
    score,
    scorers: Object.fromEntries(scorers),
    latency_ms: await quantity(run.latencyMs.means, baseline.latencyMs.means),
    cost: await quantity(run.cost.means, baseline.cost.means),
  };
}

const SCORE_BOUNDS = [-1, 1] as const;
const UNBOUNDED = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

/**
 * Compares one score, in stretches between which requests have their turn.
 * @param partners {@link Pairs.partners}.
 */
async function compareScores(
  run: DatapointScores,
  baseline: DatapointScores,
  partners: Int32Array,
  { clusters, alpha, distributions }: { clusters: Clusters | null; alpha: number; distributions: Distributions },
): Promise<ScoreComparison> {
  const differences = await pairedDifferences(run.means, baseline.means, partners);
  const signs = await countSigns(differences);
  const compared: Omit<QuantityComparison, 'test'> & Pick<ScoreComparison, 'test'> = await compareByT(
    differences,
    clusters,
    SCORE_BOUNDS,
    distributions,
  );
  if (clusters === null && compared.pairs > 0 && (await arePairsOfZeroAndOne(run, baseline, partners))) {
    compared.test = 'mcnemar_exact';
    compared.p_value = mcnemarP(signs.better, signs.worse, distributions);
  }
  const { normalQuantile } = distributions;
  const detectable = normalQuantile(1 - alpha / 2) + normalQuantile(0.8);
  return {
    ...compared,
    ...signs,
    verdict: verdictOf(compared, alpha),
    detectable_diff: compared.se === null ? null : detectable * compared.se,
  };
}

async function compareByT(
  differences: Float64Array,
  clusters: Clusters | null,
  bounds: readonly [number, number],
  distributions: Distributions,
): Promise<QuantityComparison> {
  const { datapoints, clusters: count, mean, se } = await meanWithError(differences, clusters);
  const diff = mean === null ? null : zeroWhenTiny(mean);
  const known = diff !== null && se !== null;
  return {
    pairs: datapoints,
    clusters: count,
    diff,
    se,
    ci: known ? tInterval(diff, se, count - 1, bounds, distributions) : null,
    test: 'paired_t',
    p_value: known ? pairedTP(diff, se, count, distributions) : null,
  };
}

async function countSigns(differences: Float64Array): Promise<Pick<ScoreComparison, 'better' | 'worse' | 'same'>> {
  let [better, worse, same] = [0, 0, 0];
  await inStretches(differences.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const difference = differences[i]!;
      if (difference > 0) better++;
      else if (difference < 0) worse++;
      else if (difference === 0) same++;
    }
  });
  return { better, worse, same };
}

/** Whether every pair is one sample in each run, and each score 0 or 1. */
async function arePairsOfZeroAndOne(
  run: DatapointScores,
  baseline: DatapointScores,
  partners: Int32Array,
): Promise<boolean> {
  const [ofRun, ofBaseline] = [singlesOf(run), singlesOf(baseline)];
  let all = true;
  await inStretches(partners.length, (from, to) => {
    for (let i = from; all && i < to; i++) {
      const partner = partners[i]!;
      if (partner < 0 || ofRun.isUnscored(i) || ofBaseline.isUnscored(partner)) continue;
      all = ofRun.isZeroOrOne(i) && ofBaseline.isZeroOrOne(partner);
    }
  });
  return all;
}

/** Looks at datapoints by their position. The arrays are taken once: each look at a getter of the scores makes one. */
function singlesOf({ counts, means }: DatapointScores) {
  return {
    isUnscored: (i: number): boolean => counts[i] === 0,
    isZeroOrOne: (i: number): boolean => counts[i] === 1 && isZeroOrOne(means[i]!),
  };
}

function verdictOf({ diff, p_value: p }: Pick<ScoreComparison, 'diff' | 'p_value'>, alpha: number): Verdict {
  if (diff === null || p === null) return 'unknown';
  if (p >= alpha) return 'no_difference';
  return diff > 0 ? 'better' : 'worse';
}
