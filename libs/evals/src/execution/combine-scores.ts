import type { RunScorer, ScorerResult } from '@spandrel/contract';
import { addAmounts, addCosts } from './sums-of-known.js';
import type { SampleResult } from './sample-result.js';

/** What several scorers say of a sample, together. */
export type Combined = Pick<SampleResult, 'score' | 'reason' | 'error' | 'judge' | 'promptHash' | 'scores'>;

/** A result that says nothing. */
export const NO_SCORE: ScorerResult = {
  score: null,
  reason: null,
  error: null,
  judge_model: null,
  judge_prompt_hash: null,
  judge_tokens: null,
  judge_cost: null,
};

/**
 * What the scorers of a run say of a sample, as one (docs/spec/evaluations.md#several-scorers). When one of them failed the sample
 * has no score, and the scores of the others are kept by name.
 * @param results one for each scorer, in the same order.
 */
export function combineScores(
  scorers: readonly Pick<RunScorer, 'name' | 'weight'>[],
  results: readonly ScorerResult[],
): Combined {
  if (results.length === 1 && scorers[0]!.weight > 0) return only(results[0]!);
  const failed = results.flatMap(({ error }) => error ?? []);
  const hasFailed = failed.length > 0;
  return {
    score: hasFailed ? null : weightedMean(scorers, results),
    reason: hasFailed ? null : firstOf(results, 'reason'),
    error: hasFailed ? failed.join('; ') : null,
    judge: {
      model: firstOf(results, 'judge_model'),
      tokens: addAmounts(results.map(({ judge_tokens: tokens }) => tokens)),
      cost: addCosts(results.map(({ judge_cost: cost }) => cost)),
    },
    promptHash: firstOf(results, 'judge_prompt_hash'),
    scores: Object.fromEntries(scorers.map(({ name }, index) => [name, results[index]!])),
  };
}

const only = (result: ScorerResult): Combined => ({
  score: result.score,
  reason: result.reason,
  error: result.error,
  judge: { model: result.judge_model, tokens: result.judge_tokens, cost: result.judge_cost },
  promptHash: result.judge_prompt_hash,
  scores: null,
});

const firstOf = (
  results: readonly ScorerResult[],
  member: 'reason' | 'judge_model' | 'judge_prompt_hash',
): string | null => results.find((result) => result[member] !== null)?.[member] ?? null;

/** Over the scorers that have a weight and a score; `null` when there is none. */
function weightedMean(scorers: readonly Pick<RunScorer, 'weight'>[], results: readonly ScorerResult[]): number | null {
  const counted = results.flatMap(({ score }, index) => {
    const { weight } = scorers[index]!;
    return score === null || weight === 0 ? [] : [{ score, weight }];
  });
  if (counted.length <= 1) return counted[0]?.score ?? null;
  // Weights may be so large that their sum is no number.
  const largest = Math.max(...counted.map(({ weight }) => weight));
  const unit = largest * counted.length === Infinity ? largest : 1;
  let sum = 0;
  let weights = 0;
  for (const { score, weight } of counted) {
    sum += (weight / unit) * score;
    weights += weight / unit;
  }
  return sum / weights;
}
