import type { ExportedResult, ExportedRun, ExportedSample, ScorerResult } from '@spandrel/contract';
import { fromJsonText } from '@spandrel/storage';
import type { EvalResultRow, EvalRunRow, EvalSampleRow } from '../eval-run.entity.js';
import { processedOutcome, type Outcome } from '../item-resource.js';
import { runSummary } from '../run-resource.js';

/** A run as an export has it: with the sums that its averages and totals are made of. */
export const exportedRun = (run: EvalRunRow): ExportedRun => ({
  ...runSummary(run),
  score_sum: run.scoreSum,
  score_count: run.scoreCount,
  cost_count: run.costCount,
  judge_cost_count: run.judgeCostCount,
});

/** A processed item as an export has it. */
export const exportedResult = (result: EvalResultRow): ExportedResult => ({
  run_id: result.runId,
  datapoint_id: result.datapointId,
  ...exportedOutcome(result),
});

/** A processed sample as an export has it. */
export const exportedSample = (sample: EvalSampleRow): ExportedSample => ({
  run_id: sample.runId,
  datapoint_id: sample.datapointId,
  repeat: sample.repeat,
  ...exportedOutcome(sample),
});

const exportedOutcome = (outcome: Outcome) => ({
  ...processedOutcome(outcome),
  scores: exportedScores(outcome.scores),
});

/** What scorers said, its members in one order, so that exports can be compared by line. */
function exportedScores(scores: string | null): ExportedResult['scores'] {
  const said = fromJsonText(scores) as ExportedResult['scores'];
  if (said === null) return null;
  return Object.fromEntries(Object.entries(said).map(([name, result]) => [name, inOrder(result)]));
}

const inOrder = (said: ScorerResult): ScorerResult => ({
  score: said.score,
  reason: said.reason,
  error: said.error,
  judge_model: said.judge_model,
  judge_prompt_hash: said.judge_prompt_hash,
  judge_tokens: said.judge_tokens,
  judge_cost: said.judge_cost,
});
