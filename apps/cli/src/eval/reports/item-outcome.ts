import type { EvalItem } from '@spandrel/contract';
import { formatScore } from '@spandrel/contract/browser';

/** What a datapoint came to, and why it did not pass. */
export interface ItemOutcome {
  outcome: 'passed' | 'failed' | 'error' | 'skipped';
  /** Why; empty for one that passed. */
  why: string;
}

/** Scores that differ by less are equal (docs/spec/eval-statistics.md#rounding). */
const EQUAL = 1e-12;

/**
 * A datapoint passes when all of its samples that have a score do.
 * @param item with its samples, where there are several.
 * @param passScore of the run.
 */
export function outcomeOf(item: EvalItem, passScore: number): ItemOutcome {
  if (item.status === 'failed') return { outcome: 'error', why: item.error ?? 'all samples failed' };
  if (item.status !== 'completed') return { outcome: 'skipped', why: 'not finished before the run ended' };
  const samples = item.samples ?? [item];
  const scores = samples.map(({ score }) => score).filter((score) => score !== null);
  if (scores.length === 0) return { outcome: 'skipped', why: 'has no score' };
  const passing = scores.filter((score) => score >= passScore - EQUAL).length;
  if (passing === scores.length) return { outcome: 'passed', why: '' };
  const [only] = scores;
  return {
    outcome: 'failed',
    why:
      samples.length === 1
        ? `score ${formatScore(only!)} is below ${formatScore(passScore)}`
        : `${passing} of ${scores.length} samples passed, mean score ${formatScore(item.score)}`,
  };
}
