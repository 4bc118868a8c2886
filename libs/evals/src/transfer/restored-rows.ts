import type { RestoredResult, RestoredRun } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { toJsonText } from '@spandrel/storage';
import { toCostSum } from '@spandrel/tracing';
import type { EvalResultRow, EvalRunRow } from '../eval-run.entity.js';
import { EXECUTION, RESULT_STATUS, RUN_STATUS, STOP_REASON } from '../status.js';

/** Why a run failed that was under way when it was exported: nobody goes on with it here. */
export const UNFINISHED = 'the run was not finished when it was exported; start another one to go on';

/**
 * The row of a run of an export. One that was not finished is failed: an import starts nothing.
 * @param exportedAt in ms, when it is known.
 */
export function restoredRun(scope: Scope, run: RestoredRun, exportedAt: number | undefined): EvalRunRow {
  const cost = toCostSum(run.total_cost ?? 0);
  const judgeCost = toCostSum(run.judge_cost ?? 0);
  const isFinished = RUN_STATUS[run.status] >= RUN_STATUS.completed;
  return {
    projectId: scope.projectId,
    id: run.id,
    datasetId: run.dataset_id,
    datasetVersion: run.dataset_version,
    name: run.name,
    status: isFinished ? RUN_STATUS[run.status] : RUN_STATUS.failed,
    config: JSON.stringify(run.config),
    scoring: run.scoring,
    scoringConfig: toJsonText(run.scoring_config),
    scorers: null,
    connectionId: run.config.connection_id ?? '',
    judgeConnectionId: run.config.judge?.connection_id ?? null,
    execution: EXECUTION.server,
    repeats: 1,
    passScore: 1,
    costCap: null,
    gates: null,
    metadata: null,
    startHash: null,
    total: run.total,
    progress: run.progress,
    failedCount: run.failed_count,
    sampleProgress: run.progress,
    failedSamples: run.failed_count,
    scoreSum: run.score_sum,
    scoreCount: run.score_count,
    totalTokens: run.total_tokens,
    costUsd: cost.usd,
    costPico: cost.pico,
    costCount: run.cost_count,
    unpricedCount: run.unpriced_count,
    judgeTokens: run.judge_tokens,
    judgeCostUsd: judgeCost.usd,
    judgeCostPico: judgeCost.pico,
    judgeCostCount: run.judge_cost_count,
    judgeUnpricedCount: run.judge_unpriced_count,
    dearestUsd: null,
    dearestPico: null,
    scoreSe: null,
    scoreCi: null,
    passed: null,
    stopReason: run.status === 'cancelled' ? STOP_REASON.cancelled : null,
    error: toJsonText(isFinished ? run.error : UNFINISHED),
    unscored: 0,
    resultAt: null,
    createdAt: run.created_at,
    startedAt: run.started_at,
    endedAt: isFinished ? run.ended_at : (exportedAt ?? run.started_at ?? run.created_at),
    running: '[]',
    leaseOwner: null,
    leaseUntil: 0,
  };
}

/** The row of a processed item of an export. */
export const restoredResult = ({ projectId }: Scope, result: RestoredResult): EvalResultRow => ({
  projectId,
  runId: result.run_id,
  datapointId: result.datapoint_id,
  status: RESULT_STATUS[result.status],
  output: toJsonText(result.output),
  score: result.score,
  scoreReason: toJsonText(result.score_reason),
  latencyMs: result.latency_ms,
  tokens: result.tokens,
  cost: result.cost,
  error: toJsonText(result.error),
  attempts: result.attempts,
  judgeModel: result.judge_model,
  judgePromptHash: result.judge_prompt_hash,
  judgeTokens: result.judge_tokens,
  judgeCost: result.judge_cost,
  traceId: result.trace_id,
  spanId: null,
  metadata: null,
  scores: null,
  resultHash: null,
});
