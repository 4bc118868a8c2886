import {
  formatTimestamp,
  type EvalConfigResource,
  type EvalRunSummary,
  type ResultItemResource,
} from '@spandrel/contract';
import type { SnapshotDatapoint } from '@spandrel/datasets';
import { fromJsonText } from '@spandrel/storage';
import { costOf } from '@spandrel/tracing';
import { datapointFacts, expectedText } from './datapoint-facts.js';
import type { EvalResultRow, EvalRunRow } from './eval-run.entity.js';
import { resultStatusName, runStatusName } from './status.js';

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
    config: runConfig(run),
    scoring: run.scoring,
    scoring_config: scoringConfig(run),
    avg_score: averageScore(run),
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

/** The config of a run; those of earlier versions say nothing of traces. */
export const runConfig = (run: EvalRunRow): EvalConfigResource => ({
  trace: false,
  ...(fromJsonText(run.config) as Omit<EvalConfigResource, 'trace'>),
});

/** Datapoints that are being called. */
export const runningItems = (run: EvalRunRow): string[] => JSON.parse(run.running) as string[];

export const scoringConfig = (run: EvalRunRow): Record<string, unknown> | null =>
  fromJsonText(run.scoringConfig) as Record<string, unknown> | null;

/** Over the items that have a score. */
export const averageScore = (run: EvalRunRow): number | null =>
  run.scoreCount === 0 ? null : run.scoreSum / run.scoreCount;

/** Dollars; `null` when no item has a cost. */
export const totalCost = (run: EvalRunRow): number | null =>
  run.costCount === 0 ? null : costOf({ usd: run.costUsd, pico: run.costPico });

/**
 * An item of a run as the wire shows it.
 * @param result `undefined`: it is not processed. @param running whether it is being called.
 */
export function resultItem(
  datapoint: SnapshotDatapoint,
  result: EvalResultRow | undefined,
  running: boolean,
): ResultItemResource {
  const { input, expected } = datapointFacts(datapoint.kind, null);
  const { output, ...others } = outcomeOf(result, running);
  return { datapoint_id: datapoint.id, input, output, expected: expectedText(expected), ...others };
}

/** What became of an item. @param result `undefined`: it is not processed. @param running whether it is being called. */
export const outcomeOf = (result: EvalResultRow | undefined, running: boolean): ItemOutcome =>
  result ? processedItem(result) : { ...UNPROCESSED, status: running ? 'running' : 'pending' };

/** What became of an item that is processed. */
export const processedItem = (result: EvalResultRow): ItemOutcome => ({
  output: textOf(result.output),
  score: result.score,
  score_reason: textOf(result.scoreReason),
  latency_ms: result.latencyMs,
  tokens: result.tokens,
  cost: result.cost,
  status: resultStatusName(result.status),
  error: textOf(result.error),
  attempts: result.attempts,
  judge_model: result.judgeModel,
  judge_prompt_hash: result.judgePromptHash,
  judge_tokens: result.judgeTokens,
  judge_cost: result.judgeCost,
  trace_id: result.traceId,
});

/** The members of an item that do not come from its datapoint. */
type ItemOutcome = Omit<ResultItemResource, 'datapoint_id' | 'input' | 'expected'>;

const UNPROCESSED: Omit<ItemOutcome, 'status'> = {
  output: null,
  score: null,
  score_reason: null,
  latency_ms: null,
  tokens: null,
  cost: null,
  error: null,
  attempts: 0,
  judge_model: null,
  judge_prompt_hash: null,
  judge_tokens: null,
  judge_cost: null,
  trace_id: null,
};

/** A text as a column keeps it: a JSON string, so that NUL and lone surrogates survive. */
export const textOf = (json: string | null): string | null => fromJsonText(json) as string | null;

const timeOf = (epochMs: number | null): string | null => (epochMs === null ? null : formatTimestamp(epochMs));
