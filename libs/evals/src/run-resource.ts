import { formatTimestamp, type EvalConfigResource, type EvalRunSummary, type Interval } from '@spandrel/contract';
import { fromJsonText } from '@spandrel/storage';
import { costOf } from '@spandrel/tracing';
import type { EvalRunRow } from './eval-run.entity.js';
import { gatesOf, metadataOf, sampleTotal, scorersOf, scoringConfig } from './run-plan.js';
import { executionName, runStatusName, stopReasonName } from './status.js';

/** A stored run as the wire shows it, without its items. */
export function runSummary(run: EvalRunRow): EvalRunSummary {
  return {
    id: run.id,
    dataset_id: run.datasetId,
    dataset_version: run.datasetVersion,
    name: run.name,
    status: runStatusName(run.status),
    progress: run.progress,
    total: run.total,
    execution: executionName(run.execution),
    repeats: run.repeats,
    sample_progress: run.sampleProgress,
    sample_total: sampleTotal(run),
    failed_samples: run.failedSamples,
    config: runConfig(run),
    scoring: run.scoring,
    scoring_config: scoringConfig(run),
    scorers: scorersOf(run),
    pass_score: run.passScore,
    max_cost_usd: run.costCap,
    metadata: metadataOf(run),
    gates: gatesOf(run),
    passed: run.passed === null ? null : run.passed === 1,
    stop_reason: run.stopReason === null ? null : stopReasonName(run.stopReason),
    avg_score: averageScore(run),
    score_se: run.scoreSe,
    score_ci: fromJsonText(run.scoreCi) as Interval | null,
    total_cost: totalCost(run),
    unpriced_count: run.unpricedCount,
    total_tokens: run.totalTokens,
    failed_count: run.failedCount,
    judge_tokens: run.judgeTokens,
    judge_cost: run.judgeCostCount === 0 ? null : costOf({ usd: run.judgeCostUsd, pico: run.judgeCostPico }),
    judge_unpriced_count: run.judgeUnpricedCount,
    error: textOf(run.error),
    created_at: formatTimestamp(run.createdAt),
    started_at: timeOf(run.startedAt),
    ended_at: timeOf(run.endedAt),
  };
}

/** The config of a run. */
export const runConfig = (run: EvalRunRow): EvalConfigResource => fromJsonText(run.config) as EvalConfigResource;

/** Over the items that have a score. */
export const averageScore = (run: EvalRunRow): number | null =>
  run.scoreCount === 0 ? null : run.scoreSum / run.scoreCount;

/** Dollars; `null` when no item has a cost. */
export const totalCost = (run: EvalRunRow): number | null =>
  run.costCount === 0 ? null : costOf({ usd: run.costUsd, pico: run.costPico });

/** A text as a column keeps it: a JSON string, so that NUL and lone surrogates survive. */
export const textOf = (json: string | null): string | null => fromJsonText(json) as string | null;

const timeOf = (epochMs: number | null): string | null => (epochMs === null ? null : formatTimestamp(epochMs));
