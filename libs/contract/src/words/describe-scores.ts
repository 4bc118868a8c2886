import { formatCounted, NONE } from './format-count.js';

const DIGITS = 3;

type Maybe = number | null | undefined;

export interface Bounds {
  low: number;
  high: number;
  /** How often such an interval holds the value, from 0 to 1. */
  level: number;
}

/** A score from 0 to 1 with three digits at most: `0.667`; an en dash where there is none. */
export function formatScore(score: Maybe): string {
  return score === null || score === undefined ? NONE : String(Number(score.toFixed(DIGITS)));
}

/** A rate from 0 to 1 in percent with one digit at most behind the point: `66.7%`; an en dash where there is none. */
export function formatShare(share: Maybe): string {
  return share === null || share === undefined ? NONE : `${Number((share * 100).toFixed(1))}%`;
}

/** A difference with its sign: `+0.25`, `-80 ms`; none where no digit of it is shown. @param format as a score if absent. */
export function formatDifference(difference: Maybe, format: (amount: number) => string = formatScore): string {
  if (difference === null || difference === undefined) return NONE;
  const words = format(Math.abs(difference));
  if (words === format(0)) return words;
  return `${difference > 0 ? '+' : '-'}${words}`;
}

/** The bounds of an interval: `0.397 to 0.892`. @param format writes a bound, as a score unless given. */
export function formatInterval(
  ci: Pick<Bounds, 'low' | 'high'> | null,
  format: (bound: number) => string = formatScore,
): string {
  return ci === null ? NONE : `${format(ci.low)} to ${format(ci.high)}`;
}

/** An interval with its level: `95% interval 0.397 to 0.892`, or `no interval`. @param format writes a bound. */
export function describeInterval(ci: Bounds | null, format?: (bound: number) => string): string {
  return ci === null ? 'no interval' : `${Number((ci.level * 100).toFixed(2))}% interval ${formatInterval(ci, format)}`;
}

/** A p value: `0.065`, and `< 0.001` for what three digits would show as none. */
export function formatP(p: Maybe): string {
  if (p === null || p === undefined) return NONE;
  return p < 0.001 ? '< 0.001' : formatScore(p);
}

/** A value of metadata as it is; an en dash where datapoints have none. */
export const formatMetadataValue = (value: unknown): string =>
  value === null ? NONE : typeof value === 'string' ? value : JSON.stringify(value);

/** How the p values of several groups are corrected, in words. @param groups as {@link shownGroup} has them. */
export function describeCorrection(groups: readonly { compared: { p_value: number | null } | null }[]): string {
  const tested = groups.filter(({ compared }) => (compared?.p_value ?? null) !== null);
  return `p is that of each group by itself. Holm's p is corrected for ${formatCounted(tested.length, 'group')} tested: the verdicts go by it.`;
}

/** Members of a `ScoreComparison`, whose schema a page does not load. */
export interface ScoreVerdict {
  verdict: 'better' | 'worse' | 'no_difference' | 'unknown';
  diff: number | null;
  detectable_diff: number | null;
}

/** Members of the `comparison` of an `EvalStatistics`. */
interface Pairs {
  pairs: number;
  changed: number;
  unpaired_run: number;
  unpaired_baseline: number;
}

interface SharedRate {
  rate: number;
  ci: Bounds;
}

/** Members of a `PreferenceStatistics`. */
interface Preferences {
  wins: number;
  ties: number;
  losses: number;
  p_value: number | null;
  judged: number;
  first_preferred: SharedRate | null;
  self_disagreement: SharedRate | null;
}

/** How a run did beside its baseline by a judge that saw both answers, and how much their order counted, in sentences. */
export function describePreference(found: Preferences): string {
  const { wins, ties, losses, p_value: p, judged, first_preferred: first, self_disagreement: differing } = found;
  const counts = [formatCounted(wins, 'win'), formatCounted(ties, 'tie'), formatCounted(losses, 'loss', 'losses')];
  const sentences = [`${counts.join(', ')} against the baseline (sign test, p ${formatP(p)}).`];
  if (first) {
    const leaning = first.ci.low > 0.5 ? 'first' : first.ci.high < 0.5 ? 'second' : null;
    const bias = leaning === null ? 'no position bias shown' : `a position bias: it leans to the ${leaning} place`;
    const interval = describeInterval(first.ci, formatShare);
    sentences.push(
      `The judge preferred the first answer ${formatShare(first.rate)} of the time (${interval}): ${bias}.`,
    );
  }
  if (differing) {
    const pairs = formatCounted(judged, 'judged datapoint');
    sentences.push(`It disagreed with itself ${formatShare(differing.rate)} of the time, over ${pairs}.`);
  }
  return sentences.join(' ');
}

const DIFF_MAX = 1;

/** A verdict as a part of a sentence: `worse by 0.3`. @param why the scores cannot be compared; `null` where they can. */
export function describeVerdict(
  { verdict, diff, detectable_diff: detectable }: ScoreVerdict,
  why: string | null = null,
): string {
  switch (verdict) {
    case 'better':
    case 'worse':
      return `${verdict} by ${formatScore(Math.abs(diff ?? 0))}`;
    case 'unknown':
      return why === null ? 'not known; that takes two datapoints with a score in both runs' : `not known; ${why}`;
    case 'no_difference':
      return `no difference shown${describeDetectable(detectable)}`;
  }
}

/** An amount of a run beside that of its baseline, over the datapoints that both have. */
interface ComparedAmount {
  diff: number | null;
  p_value: number | null;
  baseline_mean: number | null;
}

const AMOUNTS = {
  cost: { less: 'cheaper', more: 'dearer' },
  latency_ms: { less: 'faster', more: 'slower' },
} as const;

/** From here on a change is said as a multiple. */
const TIMES_MIN = 1.5;

/** Quality and money in a sentence: `No difference shown (a change of 0.06 or more would have been); 94% cheaper.` */
export function describeOutcome(
  {
    score,
    alpha,
    ...amounts
  }: { score: ScoreVerdict; alpha: number; cost: ComparedAmount; latency_ms: ComparedAmount },
  why: string | null = null,
): string {
  const [said, ...behind] = why === null ? describeVerdict(score).split('; ') : [describeVerdict(score, why)];
  const aside = behind.join('; ');
  const quality =
    score.verdict === 'no_difference' && aside !== '' ? `${said} (${aside})` : [said, ...behind].join('; ');
  const changes = (['cost', 'latency_ms'] as const).flatMap((name) => {
    const { diff, p_value: p, baseline_mean: before } = amounts[name];
    if (diff === null || p === null || p >= alpha || diff === 0 || before === null || before <= 0) return [];
    const ratio = (before + diff) / before;
    const { less, more } = AMOUNTS[name];
    if (ratio < 1 && name === 'latency_ms' && 1 / ratio >= TIMES_MIN) return [`${describeTimes(1 / ratio)} ${less}`];
    if (ratio >= TIMES_MIN)
      return [name === 'cost' ? `${describeTimes(ratio)} as dear` : `${describeTimes(ratio)} ${more}`];
    return [`${Math.max(1, Math.round(Math.abs(1 - ratio) * 100))}% ${ratio < 1 ? less : more}`];
  });
  const sentence = [quality, changes.join(', ')].filter((part) => part !== '').join('; ');
  return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`;
}

const describeTimes = (ratio: number): string => `${Number(ratio.toPrecision(2))} times`;

function describeDetectable(detectable: number | null): string {
  // Without any spread nothing shows how much it hides.
  if (detectable === null || detectable === 0) return '';
  if (detectable > DIFF_MAX) return '; so few datapoints could hardly have shown one';
  return `; a change of ${Number(detectable.toPrecision(2))} or more would have been`;
}

/** How many datapoints a comparison is of, and why others are left out. @param run its name. @param baseline likewise. */
export function describePairs(comparison: Pairs, run: string, baseline: string): string {
  const { pairs, changed, unpaired_run: inRun, unpaired_baseline: inBaseline } = comparison;
  const leftOut = [
    ...(changed > 0 ? [`${formatCounted(changed, 'datapoint')} edited between the runs`] : []),
    ...(inRun > 0 ? [`${formatCounted(inRun, 'datapoint')} with a score in ${run} alone`] : []),
    ...(inBaseline > 0 ? [`${formatCounted(inBaseline, 'datapoint')} with a score in ${baseline} alone`] : []),
  ];
  const compared = `${formatCounted(pairs, 'datapoint')} compared.`;
  return leftOut.length === 0 ? compared : `${compared} Left out: ${leftOut.join('; ')}.`;
}

/** The score that stands for a run, a group or a comparison: that of all scorers together, else that of the only scorer. */
export function oneScore<Of extends { mean?: number | null; diff?: number | null }>(
  score: Of,
  scorers: Readonly<Record<string, Of>> | null,
): Of {
  const [only, ...others] = Object.values(scorers ?? {});
  return only && others.length === 0 && (score.mean ?? score.diff ?? null) === null ? only : score;
}

/** Members of an `EvalRunSummary`. @typeParam Ci an interval. @typeParam Rate a pass rate. */
interface RatedRun<Ci, Rate> {
  avg_score: number | null;
  score_se: number | null;
  score_ci: Ci | null;
  pass_rate: Rate | null;
  scorer_scores: Readonly<
    Record<string, { mean: number | null; se: number | null; ci: Ci | null; pass_rate: Rate }>
  > | null;
}

/** The score of a run that lists show, as {@link oneScore} says. */
export const shownScore = <Ci, Rate>(run: RatedRun<Ci, Rate>) =>
  oneScore<{ mean: number | null; se: number | null; ci: Ci | null; pass_rate: Rate | null }>(
    { mean: run.avg_score, se: run.score_se, ci: run.score_ci, pass_rate: run.pass_rate },
    run.scorer_scores,
  );

/** What tables show of a group of datapoints and of its comparison, as {@link oneScore} says. */
export function shownGroup<Score extends { mean: number | null }, Compared>(
  group: NoInfer<Score> & {
    group: Readonly<Record<string, unknown>>;
    scorers: Readonly<Record<string, Score>>;
    comparison: (NoInfer<Compared> & { scorers: Readonly<Record<string, Compared>> }) | null;
  },
) {
  const { scorers, comparison } = group;
  const of = oneScore<Score>(group, scorers);
  const compared: Compared | null = of === group ? comparison : (comparison?.scorers[Object.keys(scorers)[0]!] ?? null);
  return { group: group.group, of, compared };
}

/** Members of an `EvalRunSummary`. */
interface ScoredRun {
  id: string;
  baseline_run_id: string | null;
  pass_score: number;
  scorers: readonly { name: string; scoring: string; weight: number; pass_score: number }[];
}

/** A number of a run under the name that it is shown by; `null`: that of all its scorers together. */
export interface Named<Of> {
  name: string | null;
  of: Of;
}

/**
 * What is known of all scorers together, and of each by its name. Together they are left out where they are the same: where one scorer,
 * with a weight, and one pass score are all that the run has, and all that its baseline has. What the run compares itself with by its
 * scorers may have been scored by any.
 * @param runs the run; beside it the one that it is compared with.
 */
export function namedScores<Of>(
  { score, scorers }: { score: Of; scorers: Readonly<Record<string, Of>> },
  ...runs: readonly ScoredRun[]
): Named<Of>[] {
  const [first] = runs[0]?.scorers ?? [];
  const areSame = runs.every((run) => {
    if (run.id === runs[0]?.baseline_run_id) return true;
    const [only, ...others] = run.scorers;
    if (!only || !first || others.length > 0 || only.weight === 0) return false;
    const passScores = new Set([first.pass_score, only.pass_score, run.pass_score]);
    return only.name === first.name && only.scoring === first.scoring && passScores.size === 1;
  });
  const each = Object.entries(scorers).map(([name, of]) => ({ name, of }));
  return areSame ? each : [{ name: null, of: score }, ...each];
}
