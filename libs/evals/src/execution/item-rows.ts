import { toJsonText } from '@spandrel/storage';
import { addCost, isUnpricedUse, toCostSum } from '@spandrel/tracing';
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
  spanId: null,
  metadata: null,
  scores: null,
  resultHash: null,
});

/** Adds a processed item to the run's sums. */
export function addResult(run: EvalRunRow, item: EvalResultRow): void {
  run.progress++;
  run.sampleProgress++;
  if (item.status === RESULT_STATUS.failed) {
    run.failedCount++;
    run.failedSamples++;
  }
  if (item.score !== null) {
    run.scoreSum += item.score;
    run.scoreCount++;
  }
  run.totalTokens += item.tokens ?? 0;
  if (item.cost !== null) {
    const { usd, pico } = addCost({ usd: run.costUsd, pico: run.costPico }, toCostSum(item.cost));
    run.costUsd = usd;
    run.costPico = pico;
    run.costCount++;
  }
  if (isUnpricedUse(item.tokens, item.cost)) run.unpricedCount++;
  run.judgeTokens += item.judgeTokens ?? 0;
  if (item.judgeCost !== null) {
    const { usd, pico } = addCost({ usd: run.judgeCostUsd, pico: run.judgeCostPico }, toCostSum(item.judgeCost));
    run.judgeCostUsd = usd;
    run.judgeCostPico = pico;
    run.judgeCostCount++;
  }
  if (isUnpricedUse(item.judgeTokens, item.judgeCost)) run.judgeUnpricedCount++;
}
