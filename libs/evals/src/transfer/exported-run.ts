import type { ExportedResult, ExportedRun } from '@spandrel/contract';
import type { EvalResultRow, EvalRunRow } from '../eval-run.entity.js';
import { fromJsonText } from '@spandrel/storage';
import { processedOutcome } from '../item-resource.js';
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
  ...processedOutcome(result),
  scores: fromJsonText(result.scores) as ExportedResult['scores'],
});
