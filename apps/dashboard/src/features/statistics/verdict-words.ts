import type { ScoreComparison } from '@spandrel/contract';

/** Verdicts as tables and gates have them. */
export const VERDICT_WORDS: Readonly<Record<ScoreComparison['verdict'], string>> = {
  better: 'Better',
  worse: 'Worse',
  no_difference: 'No difference shown',
  unknown: 'Not known',
};
