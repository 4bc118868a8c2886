import type { EvalStatistics, ScoreComparison } from '@spandrel/contract';
import { formatCounted } from '../../components/format/format-count.js';
import { formatScore } from '../runs/format-score.js';

type Verdict = Pick<ScoreComparison, 'verdict' | 'diff' | 'detectable_diff'>;

/** Scores differ by this at most. */
const DIFF_MAX = 1;

/** A verdict as a part of a sentence: `worse by 0.3`; where no difference was shown, which one would have been. */
export function describeVerdict({ verdict, diff, detectable_diff: detectable }: Verdict): string {
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

/** Verdicts as tables and gates have them. */
export const VERDICT_WORDS: Readonly<Record<ScoreComparison['verdict'], string>> = {
  better: 'Better',
  worse: 'Worse',
  no_difference: 'No difference shown',
  unknown: 'Not known',
};

type Pairs = Pick<
  NonNullable<EvalStatistics['comparison']>,
  'pairs' | 'changed' | 'unpaired_run' | 'unpaired_baseline'
>;

/** How many datapoints a comparison is of, and why others are left out of it. */
export function describePairs(pairs: Pairs, run: string, baseline: string): string {
  const { changed, unpaired_run: inRun, unpaired_baseline: inBaseline } = pairs;
  const leftOut = [
    ...(changed > 0 ? [`${formatCounted(changed, 'datapoint')} edited between the runs`] : []),
    ...(inRun > 0 ? [`${formatCounted(inRun, 'datapoint')} with a score in ${run} alone`] : []),
    ...(inBaseline > 0 ? [`${formatCounted(inBaseline, 'datapoint')} with a score in ${baseline} alone`] : []),
  ];
  const compared = `${formatCounted(pairs.pairs, 'datapoint')} compared.`;
  return leftOut.length === 0 ? compared : `${compared} Left out: ${leftOut.join('; ')}.`;
}
