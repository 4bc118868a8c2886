import type {
  Comparable,
  EvalStatistics,
  FailureComparison,
  RunDifference,
  ScoreComparison,
  Verdict,
} from '@spandrel/contract';
import { describeIncomparable, describeOutcome } from '@spandrel/contract/browser';
import {
  tInterval,
  mcnemarP,
  pairedTP,
  type Distributions,
  inStretches,
  zeroWhenTiny,
  isZeroOrOne,
} from './distributions.js';
import type { Comparing } from './compare-scoring.js';
import { ALIKE_SCORE } from './preference.js';
import { DatapointScores, type Clusters, type RunSamples } from './run-samples.js';
import { meanWithError } from './run-statistics.js';

/** Which datapoints of a run and of its baseline belong together, and which are left out of the comparison. */
interface Pairs {
  /** For each datapoint of the run the position of its partner in the baseline; -1 when it has none. */
  partners: Int32Array;
  /** Partners with a score in both runs, and what is left out. */
  counts: Pick<RunComparison, 'pairs' | 'changed' | 'unpaired_run' | 'unpaired_baseline'>;
}

/** Where each datapoint of a run is, by its id. */
export async function indexDatapoints({ ids }: RunSamples): Promise<ReadonlyMap<string, number>> {
  const positions = new Map<string, number>();
  await inStretches(ids.length, (from, to) => {
    for (let i = from; i < to; i++) positions.set(ids[i]!, i);
  });
  return positions;
}

/** @param changed ids of datapoints whose content is not the same in both snapshots. */
async function pairDatapoints(
  run: RunSamples,
  ofRun: DatapointScores,
  ofBaseline: DatapointScores,
  { changed, positions }: { changed: ReadonlySet<string>; positions: ReadonlyMap<string, number> },
): Promise<Pairs> {
  const partners = new Int32Array(run.ids.length).fill(-1);
  const [runCounts, baselineCounts] = [ofRun.counts, ofBaseline.counts];
  const counts: Pairs['counts'] = { pairs: 0, changed: 0, unpaired_run: 0, unpaired_baseline: 0 };
  await inStretches(run.ids.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const id = run.ids[i]!;
      const position = positions.get(id);
      const differs = changed.has(id);
      if (position !== undefined && !differs) partners[i] = position;
      if (runCounts[i] === 0) continue;
      if (position === undefined || baselineCounts[position] === 0) counts.unpaired_run++;
      else if (differs) counts.changed++;
      else counts.pairs++;
    }
  });
  let scored = 0;
  for (const count of baselineCounts) if (count > 0) scored++;
  counts.unpaired_baseline = scored - counts.pairs - counts.changed;
  return { partners, counts };
}

/** dᵢ = mᵢ(run) − mᵢ(baseline) of each datapoint of the run, NaN where one of them is missing. */
async function pairedDifferences(
  run: ArrayLike<number>,
  baseline: ArrayLike<number>,
  partners: Int32Array,
): Promise<Float64Array> {
  const differences = new Float64Array(run.length);
  await inStretches(run.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const partner = partners[i]!;
      differences[i] = partner < 0 ? Number.NaN : zeroWhenTiny(run[i]! - baseline[partner]!);
    }
  });
  return differences;
}

/** How a run differs from its baseline; `diff` is the run less the baseline. */
export type RunComparison = NonNullable<EvalStatistics['comparison']>;
type QuantityComparison = Omit<RunComparison['cost'], 'baseline_mean'>;

interface ComparisonOptions {
  baselineRunId: string;
  /** How rare a difference must be, if there is none, to count as one: above 0 and below 1. */
  alpha: number;
  /** Ids of datapoints whose content, all but `actual_output` and `score`, is not the same in both snapshots. */
  changed: ReadonlySet<string>;
  distributions: Distributions;
  /** What {@link indexDatapoints} says of the baseline, where it is known already. */
  positions?: ReadonlyMap<string, number>;
  /** Whether the two were scored alike; scores that were not have the verdict `unknown`, unless it is to be looked over. */
  comparable?: Comparable;
  isAnyScoring?: boolean;
  /** Scorers whose scores need none of the baseline's. */
  comparing?: Comparing;
  /** In what the two differ beside. */
  differences?: RunDifference[];
}

const ALIKE: Comparable = { score: true, scorers: {}, differences: [] };

/** Compares a run with its baseline, pair by pair (ADR 0046, rule 8); clusters are those of the run. */
export async function compareWithBaseline(
  run: RunSamples,
  baseline: RunSamples,
  {
    baselineRunId,
    alpha,
    changed,
    distributions,
    positions,
    comparable = ALIKE,
    comparing = { names: new Set(), isAlone: false },
    isAnyScoring = false,
    differences = [],
  }: ComparisonOptions,
): Promise<RunComparison> {
  const at = positions ?? (await indexDatapoints(baseline));
  const alike = comparing.names.size > 0 ? alikeScores(baseline) : undefined;
  const ofBaseline = alike && comparing.isAlone ? alike : baseline.score;
  // The only scorer of a run speaks for it where it does not count.
  const [only, ...others] = run.score.samples === 0 ? run.scorers.keys() : [];
  const speaking = only !== undefined && others.length === 0 && baseline.scorers.has(only) ? only : null;
  const paired =
    speaking === null
      ? ([run.score, ofBaseline] as const)
      : ([run.scorers.get(speaking)!, baseline.scorers.get(speaking)!] as const);
  const { partners, counts } = await pairDatapoints(run, ...paired, { changed, positions: at });
  const { clusters } = run;
  const options = { clusters, alpha, distributions };
  const isAlike = isAnyScoring || comparable.score;
  const isSignTest = comparing.isAlone;
  const score = await compareScores(run.score, ofBaseline, partners, { ...options, isAlike, isSignTest });
  const scorers: [string, ScoreComparison][] = [];
  for (const [name, scores] of run.scorers) {
    const isSignTest = comparing.names.has(name);
    const others = isSignTest ? alike : baseline.scorers.get(name);
    if (!others) continue;
    const isAlike = isAnyScoring || comparable.scorers[name] !== false;
    scorers.push([name, await compareScores(scores, others, partners, { ...options, isAlike, isSignTest })]);
  }
  const quantity = async (ofRun: ArrayLike<number>, ofBaseline: ArrayLike<number>, partners: Int32Array) => {
    const differences = await pairedDifferences(ofRun, ofBaseline, partners);
    const compared = await compareByT(differences, clusters, UNBOUNDED, distributions);
    let sum = 0;
    await inStretches(differences.length, (from, to) => {
      for (let i = from; i < to; i++) if (!Number.isNaN(differences[i]!)) sum += ofBaseline[partners[i]!]!;
    });
    return { ...compared, baseline_mean: compared.pairs === 0 ? null : sum / compared.pairs };
  };
  const isTaken = (partner: number, i: number): boolean => run.reused.has(i) || baseline.reused.has(partner);
  const called =
    run.reused.size + baseline.reused.size === 0 ? partners : partners.map((one, i) => (isTaken(one, i) ? -1 : one));
  const amounts = {
    latency_ms: await quantity(run.latencyMs.means, baseline.latencyMs.means, partners),
    cost: await quantity(run.cost.means, baseline.cost.means, called),
  };
  const named = Object.fromEntries(scorers);
  const shown = speaking === null ? score : named[speaking]!;
  const why = isAnyScoring ? null : describeIncomparable({ comparable }, speaking);
  return {
    baseline_run_id: baselineRunId,
    alpha,
    comparable,
    differences,
    ...counts,
    score,
    scorers: named,
    failures: await compareFailures(run, baseline, partners, options),
    ...amounts,
    summary: describeOutcome({ score: shown, alpha, ...amounts }, why),
  };
}

/** What a scorer that compares would say of the baseline's own answers, where it has any: as good as themselves. */
function alikeScores({ ids, outcomes, repeats }: RunSamples): DatapointScores {
  const scores = new DatapointScores();
  for (const at of ids.keys()) {
    const hasAnswer = outcomes.slice(at * repeats, (at + 1) * repeats).includes(1);
    scores.add(hasAnswer ? [ALIKE_SCORE] : [], 0);
  }
  return scores;
}

const UNBOUNDED = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

interface ScoreOptions {
  clusters: Clusters | null;
  alpha: number;
  distributions: Distributions;
  /** Whether the scores were made alike; else the verdict is `unknown`. */
  isAlike: boolean;
  /** Whether the scores of the baseline are {@link ALIKE_SCORE}. */
  isSignTest: boolean;
}

async function compareScores(
  run: DatapointScores,
  baseline: DatapointScores,
  partners: Int32Array,
  { clusters, alpha, distributions, isAlike, isSignTest }: ScoreOptions,
): Promise<ScoreComparison> {
  const differences = await pairedDifferences(run.means, baseline.means, partners);
  const signs = await countSigns(differences);
  const compared: Omit<QuantityComparison, 'test'> & Pick<ScoreComparison, 'test'> = await compareByT(
    differences,
    clusters,
    [-1, 1],
    distributions,
  );
  if (isSignTest && clusters === null && compared.pairs > 0) {
    compared.test = 'sign_exact';
    compared.p_value = mcnemarP(signs.better, signs.worse, distributions);
  } else if (clusters === null && compared.pairs > 0 && (await arePairsOfZeroAndOne(run, baseline, partners))) {
    compared.test = 'mcnemar_exact';
    compared.p_value = mcnemarP(signs.better, signs.worse, distributions);
  }
  return {
    ...compared,
    ...signs,
    verdict: isAlike ? decideVerdict(compared, alpha) : 'unknown',
    detectable_diff: detectableDifference(compared, alpha, distributions),
  };
}

/** McNemar's exact test on whether samples failed, paired by datapoint and repeat; pairs count as independent of each other. */
async function compareFailures(
  run: RunSamples,
  baseline: RunSamples,
  partners: Int32Array,
  { alpha, distributions }: Pick<ScoreOptions, 'alpha' | 'distributions'>,
): Promise<FailureComparison> {
  const repeats = Math.min(run.repeats, baseline.repeats);
  // By what became of the sample in the run and in the baseline.
  let [completed, failedNow, failedBefore, failedTwice] = [0, 0, 0, 0];
  await inStretches(partners.length, (from, to) => {
    for (let i = from; i < to; i++) {
      for (let repeat = 0; partners[i]! >= 0 && repeat < repeats; repeat++) {
        const now = run.outcomes[i * run.repeats + repeat];
        const before = baseline.outcomes[partners[i]! * baseline.repeats + repeat];
        if (now === 0 || before === 0) continue;
        if (now === 1 && before === 1) completed++;
        else if (before === 1) failedNow++;
        else if (now === 1) failedBefore++;
        else failedTwice++;
      }
    }
  });
  const pairs = completed + failedNow + failedBefore + failedTwice;
  const p = pairs === 0 ? null : mcnemarP(failedNow, failedBefore, distributions);
  const diff = pairs === 0 ? null : (failedNow - failedBefore) / pairs;
  return {
    pairs,
    run: failedTwice + failedNow,
    baseline: failedTwice + failedBefore,
    new: failedNow,
    recovered: failedBefore,
    diff,
    test: pairs === 0 ? null : 'mcnemar_exact',
    p_value: p,
    verdict: decideVerdict({ diff: diff === null ? null : -diff, p_value: p }, alpha),
  };
}

/**
 * The difference that a paired t test shows in four of five cases: (t₁₋α/₂ + t₀.₈) · se, with C − 1 degrees of freedom. Quantiles of the
 * normal distribution would promise with six clusters what is shown in three of five.
 */
function detectableDifference(
  { se, clusters }: Pick<ScoreComparison, 'se' | 'clusters'>,
  alpha: number,
  { tQuantile }: Distributions,
): number | null {
  if (se === null) return null;
  return (tQuantile(1 - alpha / 2, clusters - 1) + tQuantile(0.8, clusters - 1)) * se;
}

async function compareByT(
  differences: ArrayLike<number>,
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

async function countSigns(differences: ArrayLike<number>): Promise<Pick<ScoreComparison, 'better' | 'worse' | 'same'>> {
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
  // Each look at a getter of the scores makes an array.
  const [ofRun, ofBaseline] = [run, baseline].map(({ counts, means }) => ({ counts, means })) as [Singles, Singles];
  let all = true;
  await inStretches(partners.length, (from, to) => {
    for (let i = from; all && i < to; i++) {
      const partner = partners[i]!;
      if (partner < 0 || ofRun.counts[i] === 0 || ofBaseline.counts[partner] === 0) continue;
      all = isSingle(ofRun, i) && isSingle(ofBaseline, partner);
    }
  });
  return all;
}

type Singles = Pick<DatapointScores, 'counts' | 'means'>;

const isSingle = ({ counts, means }: Singles, i: number): boolean => counts[i] === 1 && isZeroOrOne(means[i]!);

export function decideVerdict({ diff, p_value: p }: Pick<ScoreComparison, 'diff' | 'p_value'>, alpha: number): Verdict {
  if (diff === null || p === null) return 'unknown';
  if (p >= alpha) return 'no_difference';
  return diff > 0 ? 'better' : 'worse';
}
