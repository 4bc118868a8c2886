import { toJsonText } from '@spandrel/storage';
import { addCost, isUnpricedUse, toCostSum, type CostSum } from '@spandrel/tracing';
import type { EvalResultRow, EvalRunRow } from '../eval-run.entity.js';
import type { ItemResult } from './execute-item.js';
import { RESULT_STATUS } from '../status.js';

/** The row of a processed item. */
export const resultRow = ({ projectId, id }: EvalRunRow, datapointId: string, result: ItemResult): EvalResultRow => ({
  projectId,
  runId: id,
  datapointId,
  status: result.error === null ? RESULT_STATUS.completed : RESULT_STATUS.failed,
  output: toJsonText(result.output),
  score: result.score,
  scoreReason: toJsonText(result.reason),
  latencyMs: result.latencyMs === null ? null : Math.round(result.latencyMs),
  tokens: result.tokens,
  cost: result.cost,
  error: toJsonText(result.error),
  attempts: result.attempts,
  judgeModel: result.judge.model,
  judgePromptHash: result.promptHash,
  judgeTokens: result.judge.tokens,
  judgeCost: result.judge.cost,
  traceId: result.traceId,
});

/** The run's sums with one more processed item. */
export function addResult(run: EvalRunRow, item: EvalResultRow): EvalRunRow {
  const cost = added({ usd: run.costUsd, pico: run.costPico }, item.cost);
  const judgeCost = added({ usd: run.judgeCostUsd, pico: run.judgeCostPico }, item.judgeCost);
  return {
    ...run,
    progress: run.progress + 1,
    failedCount: run.failedCount + (item.status === RESULT_STATUS.failed ? 1 : 0),
    scoreSum: run.scoreSum + (item.score ?? 0),
    scoreCount: run.scoreCount + (item.score === null ? 0 : 1),
    totalTokens: run.totalTokens + (item.tokens ?? 0),
    costUsd: cost.usd,
    costPico: cost.pico,
    costCount: run.costCount + (item.cost === null ? 0 : 1),
    unpricedCount: run.unpricedCount + (isUnpricedUse(item.tokens, item.cost) ? 1 : 0),
    judgeTokens: run.judgeTokens + (item.judgeTokens ?? 0),
    judgeCostUsd: judgeCost.usd,
    judgeCostPico: judgeCost.pico,
    judgeCostCount: run.judgeCostCount + (item.judgeCost === null ? 0 : 1),
    judgeUnpricedCount: run.judgeUnpricedCount + (isUnpricedUse(item.judgeTokens, item.judgeCost) ? 1 : 0),
  };
}

const added = (sum: CostSum, cost: number | null): CostSum => (cost === null ? sum : addCost(sum, toCostSum(cost)));
