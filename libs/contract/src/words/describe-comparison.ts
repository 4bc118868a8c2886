import { formatCounted } from './format-count.js';
import { formatScore } from './format-score.js';

/** Members of a `ScoreComparison`, whose schema a page does not load. */
interface ScoreVerdict {
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

/** Scores differ by this at most. */
const DIFF_MAX = 1;

/** A verdict as a part of a sentence: `worse by 0.3`; where no difference was shown, which one would have been. */
export function describeVerdict({ verdict, diff, detectable_diff: detectable }: ScoreVerdict): string {
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
  // Without any spread nothing shows how much it hides.
  if (detectable === null || detectable === 0) return '';
  if (detectable > DIFF_MAX) return '; so few datapoints could hardly have shown one';
  return `; a change of ${Number(detectable.toPrecision(2))} or more would have been`;
}

/**
 * How many datapoints a comparison is of, and why others are left out of it.
 * @param run what the run is called in the sentence. @param baseline what the baseline is called.
 */
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
