import type { EvalStatistics, ScoreComparison } from '@spandrel/contract';
import { formatCounted, formatDifference, formatInterval, formatLatency, formatP, formatScore } from './numbers.js';

type Comparison = NonNullable<EvalStatistics['comparison']>;

/** Scores differ by this at most. */
const DIFF_MAX = 1;

/** A verdict as a part of a sentence: `worse by 0.3`; where no difference was shown, which one would have been. */
export function describeVerdict({ verdict, diff, detectable_diff: detectable }: ScoreComparison): string {
  switch (verdict) {
    case 'better':
    case 'worse':
      return `${verdict} by ${formatScore(Math.abs(diff ?? 0))}`;
    case 'unknown':
      return 'not known; that takes two datapoints with a score in both runs';
    case 'no_difference':
      return `no difference shown${describeDetectable(detectable)}`;
  }
}

function describeDetectable(detectable: number | null): string {
  // Without any spread there is nothing to tell by how much it hides.
  if (detectable === null || detectable === 0) return '';
  if (detectable > DIFF_MAX) return '; so few datapoints could hardly have shown one';
  return `; a change of ${Number(detectable.toPrecision(2))} or more would have been`;
}

/** What a difference rests on: `+0.233 (95% interval -0.026 to 0.493, p 0.065); 9 better, 2 worse, 19 the same`. */
export function describeDifference(score: ScoreComparison): string {
  const { diff, ci, p_value: p, better, worse, same } = score;
  const interval = ci === null ? '' : `${Math.round(ci.level * 100)}% interval ${formatInterval(ci)}, `;
  return `${formatDifference(diff)} (${interval}p ${formatP(p)}); ${better} better, ${worse} worse, ${same} the same`;
}

/** How the latency differs: `Latency +120 ms (95% interval -261 ms to 502 ms, p 0.16).`; nothing where it is not known. */
export function describeLatency({ latency_ms: { diff, ci, p_value: p } }: Comparison): string[] {
  if (diff === null) return [];
  const interval = ci === null ? '' : `95% interval ${formatInterval(ci, formatLatency)}, `;
  return [`Latency ${formatDifference(diff, formatLatency)} (${interval}p ${formatP(p)}).`];
}

/** How many datapoints a comparison is of, and why others are left out of it. */
export function describePairs({
  pairs,
  changed,
  unpaired_run: inRun,
  unpaired_baseline: inBaseline,
}: Comparison): string {
  const leftOut = [
    ...(changed > 0 ? [`${formatCounted(changed, 'datapoint')} edited between the runs`] : []),
    ...(inRun > 0 ? [`${formatCounted(inRun, 'datapoint')} with a score in the run alone`] : []),
    ...(inBaseline > 0 ? [`${formatCounted(inBaseline, 'datapoint')} with a score in the baseline alone`] : []),
  ];
  const compared = `${formatCounted(pairs, 'datapoint')} compared.`;
  return leftOut.length === 0 ? compared : `${compared} Left out: ${leftOut.join('; ')}.`;
}
