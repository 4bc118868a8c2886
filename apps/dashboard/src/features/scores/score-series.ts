import type { ScoreBucket, ScoreQuality } from '@spandrel/contract';
import { describeInterval, formatCount, formatScore, formatShare } from '@spandrel/contract/browser';
import type { ChartData, ColourToken } from '../../components/chart-series.js';

/** Colours of the labels of a score; others are one series. */
const COLOURS: readonly ColourToken[] = ['--kind-1', '--kind-2', '--kind-3', '--kind-4', '--kind-5', '--kind-6'];
const OTHERS = 'Others';

/** The scores of one name over time: how often each label was given, or the mean of the values. */
export interface ScoreFigure {
  name: string;
  count: number;
  /** Whether there are values, which a mean is made of. */
  hasValues: boolean;
  chart: ChartData;
}

/**
 * Figures of scores, those with the most scores first.
 * @param buckets those of the API, which leaves out empty ones. @param widthMs of a bucket, in milliseconds.
 */
export function scoreFigures(buckets: readonly ScoreBucket[], widthMs: number): ScoreFigure[] {
  const names = Map.groupBy(buckets, ({ name }) => name);
  return [...names]
    .map(([name, own]) => ({
      name,
      count: own.reduce((sum, { count }) => sum + count, 0),
      hasValues: own.some(({ mean }) => mean !== null),
      chart: chartOf(own, widthMs),
    }))
    .toSorted((a, b) => b.count - a.count);
}

function chartOf(buckets: readonly ScoreBucket[], widthMs: number): ChartData {
  const byStart = new Map(buckets.map((bucket) => [Date.parse(bucket.timestamp), bucket]));
  const [first, last] = [Math.min(...byStart.keys()), Math.max(...byStart.keys())];
  const starts = Array.from({ length: Math.round((last - first) / widthMs) + 1 }, (_, at) => first + at * widthMs);
  const labels = labelsOf(buckets);
  if (labels.length === 0) {
    const values = starts.map((start) => byStart.get(start)?.mean ?? null);
    return { starts, widthMs, form: 'lines', series: [{ label: 'Mean', colour: '--accent', values }] };
  }
  const shown = labels.length > COLOURS.length ? [...labels.slice(0, COLOURS.length - 1), OTHERS] : labels;
  const countOf = (bucket: ScoreBucket | undefined, label: string): number =>
    Object.entries(bucket?.labels ?? {}).reduce(
      (sum, [one, count]) => (one === label || (label === OTHERS && !shown.includes(one)) ? sum + count : sum),
      0,
    );
  const series = shown.map((label, at) => ({
    ...{ label, colour: COLOURS[at]! },
    values: starts.map((start) => countOf(byStart.get(start), label)),
  }));
  return { starts, widthMs, form: 'bars', series };
}

/** Labels of scores, the most frequent first. */
function labelsOf(buckets: readonly ScoreBucket[]): string[] {
  const counts = new Map<string, number>();
  for (const { labels } of buckets)
    for (const [label, count] of Object.entries(labels)) counts.set(label, (counts.get(label) ?? 0) + count);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([label]) => label);
}

/** Targets that both a person and the judge have to score before the judge's mean is corrected. */
const PAIRS_MIN = 20;

/** What people's scores say of the judge's, in words (docs/spec/scores.md#quality-of-a-judge). */
export function describeQuality({
  judge,
  human,
  corrected,
  true_pass_rate: passes,
  true_fail_rate: fails,
}: Omit<ScoreQuality, 'key'>): string {
  const mean = `The judge's mean is ${formatScore(judge.mean)}.`;
  if (corrected === null) {
    return `${mean} People have scored ${formatCount(human.k)} of what it scored; from ${PAIRS_MIN} on the mean is corrected by what they say.`;
  }
  const words = `${mean} Corrected by ${formatCount(human.k)} scores of people it is ${formatScore(corrected.mean)} (${describeInterval(corrected.ci)}).`;
  if (passes === null || fails === null) return words;
  return `${words} The judge passes ${formatShare(passes.rate)} of what people pass, and fails ${formatShare(fails.rate)} of what people fail.`;
}
