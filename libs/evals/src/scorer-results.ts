import type { ScorerResult } from '@spandrel/contract';
import { fromJsonText } from '@spandrel/storage';
import type { EvalResultRow } from './eval-run.entity.js';
import { textOf } from './run-resource.js';

type Scored = Pick<
  EvalResultRow,
  'score' | 'scoreReason' | 'error' | 'judgeModel' | 'judgePromptHash' | 'judgeTokens' | 'judgeCost' | 'scores'
> & { hasOutput: boolean };

/**
 * What each scorer said of a processed item or sample, by name.
 * @param only the scorer whose word the columns have, where there is but one.
 */
export const scorerResults = (row: Scored, only: string): Record<string, ScorerResult> =>
  row.scores === null ? { [only]: ofColumns(row) } : (fromJsonText(row.scores) as Record<string, ScorerResult>);

const ofColumns = (row: Scored): ScorerResult => ({
  score: row.score,
  reason: textOf(row.scoreReason),
  // A model that did not answer leaves nothing to score.
  error: row.hasOutput ? textOf(row.error) : null,
  judge_model: row.judgeModel,
  judge_prompt_hash: row.judgePromptHash,
  judge_tokens: row.judgeTokens,
  judge_cost: row.judgeCost,
});
