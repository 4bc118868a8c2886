/**
 * The numbers of eval runs, counted again from their items by other formulas than the server's: spreads by pairs, quantiles and tails of
 * t by numeric integration, Wilson's interval by looking for its bounds, tries by writing out all ways to choose them.
 */
import { getOrMake, type EvalItem, type EvalRunSummary, type RunScorer, type SampleResource } from '@spandrel/contract';

/** What decides of a run which samples pass; a run from before there were modes has none. */
export type CountedRun = Pick<EvalRunSummary, 'repeats' | 'pass_score'> & {
  scorers: readonly Pick<RunScorer, 'name' | 'weight' | 'pass_score'>[];
  pass_mode?: EvalRunSummary['pass_mode'];
};

type Sample = Pick<SampleResource, 'status' | 'score' | 'scores' | 'latency_ms' | 'tokens' | 'cost' | 'judge_cost'>;
/** An item as an answer has it, now or in a version before. */
export type CountedItem = Sample & Pick<EvalItem, 'datapoint_id'> & { samples?: readonly Sample[] | null };

/** Beyond that, numbers are different (docs/spec/eval-statistics.md#rounding). */
const EQUAL = 1e-12;
const ALPHA = 0.05;

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
const meanOf = (numbers: readonly number[]): number => sumOf(numbers) / numbers.length;
const samplesOf = (item: CountedItem): readonly Sample[] => item.samples ?? [item];
/** Dollars of a sample: of its call and of its judges. */
const costOfSample = ({ cost, judge_cost: judges }: Sample): number | null =>
  cost === null && judges === null ? null : (cost ?? 0) + (judges ?? 0);

/** The score of a sample; `null`: that of all scorers together. */
const scoreBy = (sample: Sample, scorer: string | null): number | null =>
  scorer === null ? sample.score : (sample.scores[scorer]?.score ?? null);

function passes(run: CountedRun, sample: Sample, scorer: string | null): boolean {
  const reaches = (score: number | null, least: number): boolean => score === null || score >= least - EQUAL;
  if (scorer !== null)
    return reaches(scoreBy(sample, scorer), run.scorers.find(({ name }) => name === scorer)!.pass_score);
  if (run.pass_mode !== 'all') return reaches(sample.score, run.pass_score);
  return run.scorers
    .filter(({ weight }) => weight > 0)
    .every(({ name, pass_score: least }) => reaches(scoreBy(sample, name), least));
}

/** Numbers of a mean over datapoints, one value each. @param isExact whether each is one sample of 0 or 1. */
function estimate(
  values: readonly number[],
  isExact: boolean,
): { mean: number; se: number | null; ci: object | null } | null {
  if (values.length === 0) return null;
  const mean = meanOf(values);
  const se = errorOf(values);
  if (isExact) return { mean, se, ci: wilson(mean, values.length) };
  if (se === null) return { mean, se, ci: null };
  if (se === 0 && (mean === 0 || mean === 1)) return { mean, se, ci: wilson(mean, values.length) };
  return { mean, se, ci: intervalOf(mean, se, values.length - 1, [0, 1]) };
}

/** √(s²/N), with s² from all pairs of values: Σ (a − b)² / (N (N − 1)). */
function errorOf(values: readonly number[]): number | null {
  const n = values.length;
  if (n < 2) return null;
  let squares = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) squares += (values[i]! - values[j]!) ** 2;
  return Math.sqrt(squares / (n * (n - 1)) / n);
}

function intervalOf(mean: number, se: number, df: number, [least, most]: readonly [number, number]) {
  const reach = tQuantile(0.975, df) * se;
  return { low: Math.max(least, mean - reach), high: Math.min(most, mean + reach), level: 0.95, method: 't' };
}

/** The 0.975 quantile of the normal distribution, from a table. */
const Z = 1.959963984540054;

/** The p for which the found share lies z standard errors away. */
function wilson(found: number, n: number): object {
  const isBeyond = (p: number): boolean => (found - p) ** 2 > (Z * Z * p * (1 - p)) / n;
  return {
    low: bisect(0, found, (p) => isBeyond(p)),
    high: bisect(found, 1, (p) => !isBeyond(p)),
    ...{ level: 0.95, method: 'wilson' },
  };
}

/** Where `isBelow` becomes false. */
function bisect(from: number, to: number, isBelow: (value: number) => boolean): number {
  let [low, high] = [from, to];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The chance that Student's t lies between 0 and `t`, by Simpson's rule. */
function tBetween(t: number, df: number): number {
  const steps = 2_000;
  // Γ((df+1)/2) / Γ(df/2), from one degree of freedom to the next.
  let ratio = 1 / Math.sqrt(Math.PI);
  for (let at = 1; at < df; at++) ratio = at / 2 / ratio;
  const density = (x: number): number => (1 + (x * x) / df) ** (-(df + 1) / 2);
  let sum = density(0) + density(t);
  for (let step = 1; step < steps; step++) sum += (step % 2 === 0 ? 2 : 4) * density((t * step) / steps);
  return ((sum * t) / steps / 3) * (ratio / Math.sqrt(Math.PI * df));
}

const quantiles = new Map<string, number>();

function tQuantile(p: number, df: number): number {
  return getOrMake(quantiles, `${p} ${df}`, () => bisect(0, 1_000, (t) => tBetween(t, df) < p - 0.5));
}

/** All ways to choose k of these. */
function waysToChoose<T>(k: number, of: readonly T[]): T[][] {
  if (k === 0) return [[]];
  return of.flatMap((first, at) => waysToChoose(k - 1, of.slice(at + 1)).map((others) => [first, ...others]));
}

/** What statistics must say of a score. @param scorer its name; `null`: all together. */
function countScore(run: CountedRun, items: readonly CountedItem[], scorer: string | null): Record<string, unknown> {
  const tried = items
    .map((item) => samplesOf(item).filter((sample) => scoreBy(sample, scorer) !== null))
    .filter((samples) => samples.length > 0);
  const scores = tried.map((samples) => samples.map((sample) => scoreBy(sample, scorer)!));
  const passed = tried.map((samples) => samples.map((sample) => (passes(run, sample, scorer) ? 1 : 0)));
  const rates = passed.map((each) => meanOf(each));
  const isSingle = scores.every(({ length }) => length === 1);
  const isBinary = scores.flat().every((score) => score === 0 || score === 1);
  const spreads = scores.filter(({ length }) => length > 1).map((each) => errorOf(each)! ** 2 * each.length);
  const ks = [...new Set([1, 2, 4, 8].filter((k) => k < run.repeats).concat(run.repeats))];
  const none = { mean: null, se: null, ci: null };
  return {
    ...{ datapoints: tried.length, clusters: tried.length, samples: scores.flat().length },
    ...(estimate(scores.map(meanOf), isSingle && isBinary) ?? none),
    within_sd: spreads.length === 0 ? null : Math.sqrt(meanOf(spreads)),
    min: tried.length === 0 ? null : Math.min(...scores.flat()),
    max: tried.length === 0 ? null : Math.max(...scores.flat()),
    pass_rate: estimate(rates, isSingle) ?? none,
    pass_k: ks.map((k) => {
      const ways = passed.filter(({ length }) => length >= k).map((each) => waysToChoose(k, each));
      const any = ways.map((each) => meanOf(each.map((way) => Math.max(...way))));
      const all = ways.map((each) => meanOf(each.map((way) => Math.min(...way))));
      const known = ways.length > 0;
      return {
        ...{ k, datapoints: ways.length },
        ...{ pass_at_k: known ? meanOf(any) : null, pass_at_k_se: errorOf(any) },
        ...{ pass_hat_k: known ? meanOf(all) : null, pass_hat_k_se: errorOf(all) },
      };
    }),
    flaky_datapoints: rates.filter((rate) => rate > 0 && rate < 1).length,
    always_passed: rates.filter((rate) => rate === 1).length,
    never_passed: rates.filter((rate) => rate === 0).length,
    min_datapoint_pass_rate: rates.length === 0 ? null : Math.min(...rates),
  };
}

const byName = <T>(run: CountedRun, of: (name: string) => T): Record<string, T> =>
  Object.fromEntries(run.scorers.map(({ name }) => [name, of(name)]));

/** The value that so large a part of the values is below; between two values in proportion. */
function quantileOf(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = part * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below + (above - below) * (place % 1);
}

const countAmounts = (values: readonly number[]): object =>
  values.length === 0
    ? { count: 0, mean: null, p50: null, p95: null, max: null }
    : {
        ...{ count: values.length, mean: meanOf(values), max: Math.max(...values) },
        ...{ p50: quantileOf(values, 0.5), p95: quantileOf(values, 0.95) },
      };

const totalOf = (values: readonly number[]): number | null => (values.length === 0 ? null : sumOf(values));

/** What `GET /api/eval/:run_id/statistics` must say of a run with these items, without its comparison and its groups. */
export function recountRun(run: CountedRun, items: readonly CountedItem[]) {
  const samples = items.flatMap(samplesOf);
  const costs = samples.flatMap((sample) => costOfSample(sample) ?? []);
  return {
    ...{ repeats: run.repeats, datapoints: items.length, samples: items.length * run.repeats },
    failed_samples: samples.filter(({ status }) => status === 'failed').length,
    pending_samples: samples.filter(({ status }) => status === 'pending').length,
    score: countScore(run, items, null),
    scorers: byName(run, (name) => countScore(run, items, name)),
    latency_ms: countAmounts(samples.flatMap(({ latency_ms: ms }) => ms ?? [])),
    cost: { ...countAmounts(costs), total: totalOf(costs) },
    judge_cost: totalOf(samples.flatMap(({ judge_cost: cost }) => cost ?? [])),
    tokens: sumOf(samples.map(({ tokens }) => tokens ?? 0)),
  };
}

type ValueOf = (sample: Sample) => number | null;

/** For each datapoint that has values in both, the mean in the run less that in the baseline. */
function differencesBy(value: ValueOf, items: readonly CountedItem[], baseline: readonly CountedItem[]): number[] {
  const meanIn = (item: CountedItem | undefined): number | null => {
    const values = item ? samplesOf(item).flatMap((sample) => value(sample) ?? []) : [];
    return values.length === 0 ? null : meanOf(values);
  };
  const before = new Map(baseline.map((item) => [item.datapoint_id, meanIn(item)]));
  return items.flatMap((item) => {
    const [now, then] = [meanIn(item), before.get(item.datapoint_id) ?? null];
    return now === null || then === null ? [] : [Math.abs(now - then) < EQUAL ? 0 : now - then];
  });
}

function testMean(differences: readonly number[], bounds: readonly [number, number]) {
  const [diff, se, df] = [meanOf(differences), errorOf(differences)!, differences.length - 1];
  return {
    ...{ pairs: differences.length, clusters: differences.length, diff, se, test: 'paired_t' },
    ci: intervalOf(diff, se, df, bounds),
    p_value: 1 - 2 * tBetween(Math.abs(diff) / se, df),
  };
}

function compareScore(scorer: string | null, items: readonly CountedItem[], baseline: readonly CountedItem[]) {
  const differences = differencesBy((sample) => scoreBy(sample, scorer), items, baseline);
  const tested = testMean(differences, [-1, 1]);
  const df = differences.length - 1;
  return {
    ...tested,
    better: differences.filter((each) => each > 0).length,
    worse: differences.filter((each) => each < 0).length,
    same: differences.filter((each) => each === 0).length,
    verdict: verdictOf(tested.diff, tested.p_value),
    detectable_diff: (tQuantile(1 - ALPHA / 2, df) + tQuantile(0.8, df)) * tested.se,
  };
}

const verdictOf = (diff: number, p: number): string =>
  p >= ALPHA || diff === 0 ? 'no_difference' : diff > 0 ? 'better' : 'worse';

/** Twice the smaller tail of so many throws of a coin. */
function coinTails(one: number, other: number): number {
  const n = one + other;
  let [chance, tail] = [0.5 ** n, 0];
  for (let heads = 0; heads <= Math.min(one, other); heads++) {
    tail += chance;
    chance *= (n - heads) / (heads + 1);
  }
  return Math.min(1, 2 * tail);
}

function compareFailures(items: readonly CountedItem[], baseline: readonly CountedItem[]): object {
  const before = new Map(baseline.map((item) => [item.datapoint_id, samplesOf(item)]));
  const pairs = items.flatMap((item) =>
    samplesOf(item).map(({ status }, repeat) => [
      status === 'failed',
      before.get(item.datapoint_id)![repeat]!.status === 'failed',
    ]),
  );
  const count = (now: boolean, then: boolean): number =>
    pairs.filter(([inRun, inBaseline]) => inRun === now && inBaseline === then).length;
  const [both, fresh, recovered] = [count(true, true), count(true, false), count(false, true)];
  const [diff, p] = [(fresh - recovered) / pairs.length, coinTails(fresh, recovered)];
  return {
    ...{ pairs: pairs.length, run: both + fresh, baseline: both + recovered, new: fresh, recovered, diff },
    ...{ test: 'mcnemar_exact', p_value: p, verdict: verdictOf(-diff, p) },
  };
}

/** What a comparison must say of two runs with the same datapoints and scorers. */
export function recountComparison(run: CountedRun, items: readonly CountedItem[], baseline: readonly CountedItem[]) {
  const amounts = (value: ValueOf) => testMean(differencesBy(value, items, baseline), [-Infinity, Infinity]);
  const score = compareScore(null, items, baseline);
  return {
    ...{ pairs: score.pairs, score, scorers: byName(run, (name) => compareScore(name, items, baseline)) },
    failures: compareFailures(items, baseline),
    latency_ms: amounts(({ latency_ms: ms }) => ms),
    cost: amounts(costOfSample),
  };
}

/**
 * What the groups must say, in the order of their values, and beside the baseline.
 * @param groupOf the group of an item.
 */
export function recountGroups(
  run: CountedRun,
  items: readonly CountedItem[],
  baseline: readonly CountedItem[],
  { key, groupOf }: { key: string; groupOf: (item: CountedItem) => string },
) {
  const groups = Map.groupBy(items, groupOf);
  const names = [...groups.keys()].toSorted();
  const compared = names.map((name) =>
    recountComparison(
      run,
      groups.get(name)!,
      baseline.filter((item) => groupOf(item) === name),
    ),
  );
  const corrected = (at: number, scorer: string | null) => {
    const of = compared.map(({ score, scorers }) => (scorer === null ? score : scorers[scorer]!));
    const holm = correctByHolm(of.map(({ p_value: p }) => p))[at]!;
    return { ...of[at]!, p_holm: holm, verdict: verdictOf(of[at]!.diff, holm) };
  };
  return names.map((name, at) => {
    const { failed_samples, score, scorers } = recountRun(run, groups.get(name)!);
    const comparison = { ...corrected(at, null), scorers: byName(run, (scorer) => corrected(at, scorer)) };
    return { ...score, group: { [key]: name }, n: score['datapoints'], failed_samples, scorers, comparison };
  });
}

/** Each p value is what the smaller ones and itself come to at most, times those that are not smaller. */
function correctByHolm(values: readonly number[]): number[] {
  const raised = (p: number): number => Math.min(1, p * values.filter((other) => other >= p).length);
  return values.map((p) => Math.max(...values.filter((other) => other <= p).map(raised)));
}
