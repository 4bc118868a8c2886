import type { RestoredResult, RestoredRun, RestoredSample } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { toJsonText } from '@spandrel/storage';
import { toCostSum } from '@spandrel/tracing';
import type { EvalResultRow, EvalRunRow, EvalSampleRow } from '../eval-run.entity.js';
import type { Outcome } from '../item-resource.js';
import { scorersOf } from '../run-plan.js';
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
  const hasGates = run.gates.length > 0;
  const passed = isFinished ? run.passed : hasGates ? false : null;
  const stopReason = run.stop_reason === undefined && run.status === 'cancelled' ? 'cancelled' : run.stop_reason;
  const row: EvalRunRow = {
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
    execution: EXECUTION[run.execution],
    repeats: run.repeats,
    passScore: run.pass_score,
    costCap: run.max_cost_usd,
    gates: hasGates ? JSON.stringify(run.gates) : null,
    metadata: Object.keys(run.metadata).length === 0 ? null : JSON.stringify(run.metadata),
    startHash: null,
    total: run.total,
    progress: run.progress,
    failedCount: run.failed_count,
    sampleProgress: run.sample_progress ?? run.progress,
    failedSamples: run.failed_samples ?? run.failed_count,
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
    // Counts for runs that go on alone.
    dearestUsd: null,
    dearestPico: null,
    scoreSe: run.score_se,
    scoreCi: run.score_ci === null ? null : JSON.stringify(run.score_ci),
    passed: passed === null ? null : Number(passed),
    stopReason: stopReason ? STOP_REASON[stopReason] : null,
    error: toJsonText(isFinished ? run.error : UNFINISHED),
    unscored: 0,
    resultAt: null,
    closedAt: null,
    createdAt: run.created_at,
    startedAt: run.started_at,
    endedAt: isFinished ? run.ended_at : (exportedAt ?? run.started_at ?? run.created_at),
    running: '[]',
    leaseOwner: null,
    leaseUntil: 0,
  };
  return { ...row, scorers: scorersText(row, run.scorers) };
}

/** The column of scorers; `null` for the one that `scoring` and `scoring_config` say, as runs that list none have it. */
function scorersText(row: EvalRunRow, scorers: RestoredRun['scorers']): string | null {
  if (scorers === undefined) return null;
  const text = JSON.stringify(scorers);
  return text === JSON.stringify(scorersOf(row)) ? null : text;
}

/** The row of a processed item of an export. */
export const restoredResult = ({ projectId }: Scope, result: RestoredResult): EvalResultRow => ({
  projectId,
  runId: result.run_id,
  datapointId: result.datapoint_id,
  ...restoredOutcome(result),
});

/** The row of a processed sample of an export. */
export const restoredSample = ({ projectId }: Scope, sample: RestoredSample): EvalSampleRow => ({
  projectId,
  runId: sample.run_id,
  datapointId: sample.datapoint_id,
  repeat: sample.repeat,
  ...restoredOutcome(sample),
});

const restoredOutcome = (result: RestoredResult): Outcome => ({
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
  spanId: result.span_id,
  metadata: toJsonText(result.metadata),
  scores: result.scores === null ? null : JSON.stringify(result.scores),
  resultHash: null,
});
