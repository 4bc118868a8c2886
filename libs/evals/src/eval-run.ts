import { Param } from '@nestjs/common';
import {
  fromColumns,
  evalRunSummarySchema,
  EVAL_EXECUTIONS,
  EVAL_STATUSES,
  PASS_MODES,
  RESULT_STATUSES,
  STOP_REASONS,
  type EvalExecution,
  type EvalStatus,
  type EvalFilter,
  type PassMode,
  type ResultStatus,
  type StopReason,
  type JudgedGate,
  type RunScorer,
  type EvalConfigResource,
  type EvalRunSummary,
  type Interval,
  type RunMeasures,
} from '@spandrel/contract';
import type { Snapshot } from '@spandrel/datasets';
import { PathId } from '@spandrel/http';
import { NotFound } from '@spandrel/kernel';
import { fromJsonText } from '@spandrel/storage';
import { addCost, costOf } from '@spandrel/tracing';
import type { EvalRunRow } from './eval-run.entity.js';

/** Statuses of runs as the table holds them; those below {@link RUN_STATUS.completed} are unfinished. */
export const RUN_STATUS = {
  pending: 0,
  running: 1,
  completed: 2,
  failed: 3,
  cancelled: 4,
} as const satisfies Record<EvalStatus, number>;

export const runStatusName = (status: number): EvalStatus => EVAL_STATUSES[status] ?? 'failed';

/** Statuses of result items; the table has rows of completed and failed ones alone. */
export const RESULT_STATUS = {
  pending: 0,
  running: 1,
  completed: 2,
  failed: 3,
} as const satisfies Record<ResultStatus, number>;

export const resultStatusName = (status: number): ResultStatus => RESULT_STATUSES[status] ?? 'pending';

/** Who executes a run, as the table holds it. */
export const EXECUTION = { server: 0, external: 1 } as const satisfies Record<EvalExecution, number>;

/** When a sample passes, as the table holds it. */
export const PASS_MODE = { mean: 0, all: 1 } as const satisfies Record<PassMode, number>;

/** Why a run was cancelled, as the table holds it. */
export const STOP_REASON = { cancelled: 0, cost_cap: 1, idle: 2 } as const satisfies Record<StopReason, number>;

export const evalRunNotFound = (): NotFound => new NotFound('eval_run_not_found', 'there is no eval run with this id');

/** The run that a path names. */
export const RunId = () => Param('id', new PathId(evalRunNotFound));

const scoringConfig = (run: EvalRunRow): Record<string, unknown> | null =>
  fromJsonText(run.scoringConfig) as Record<string, unknown> | null;

/** The scorers of a run: those that were listed, or the one of `scoring` and `scoring_config`. */
export function listScorers(run: EvalRunRow): RunScorer[] {
  if (run.scorers !== null) return fromJsonText(run.scorers) as RunScorer[];
  const { scoring, passScore } = run;
  return [
    { name: scoring, scoring, scoring_config: scoringConfig(run), judge: null, weight: 1, pass_score: passScore },
  ];
}

/** The name of the only scorer of a run where it has no weight: its score stands where there is room for one; `null` for others. */
export function onlyUnweighted(run: EvalRunRow): string | null {
  const [only, ...others] = listScorers(run);
  return only?.weight === 0 && others.length === 0 ? only.name : null;
}

/** The judge of a scorer over that of the config over the run's own model, member by member. */
export function findJudge({ judge }: RunScorer, config: Pick<EvalConfigResource, 'connection_id' | 'model' | 'judge'>) {
  // A temperature of `null` is one that was given; `undefined`: what the scorer asks for, or 0.
  const { temperature = config.judge?.temperature } = judge ?? {};
  return {
    connection_id: judge?.connection_id ?? config.judge?.connection_id ?? config.connection_id,
    model: judge?.model ?? config.judge?.model ?? config.model,
    rubric: judge?.rubric ?? config.judge?.rubric ?? undefined,
    temperature,
  };
}

/** The gates of a run with what was found; none have been looked at before the end. */
export const readGates = (run: EvalRunRow): JudgedGate[] => (fromJsonText(run.gates) ?? []) as JudgedGate[];

/** Texts by key that a run was started with. */
export const readMetadata = (run: EvalRunRow): Record<string, string> =>
  (fromJsonText(run.metadata) ?? {}) as Record<string, string>;

/** The datapoints of a run: those of its version of the dataset, or what it chose of them. */
export const snapshotOf = ({ id, datasetId, datasetVersion, filter }: EvalRunRow): Snapshot => ({
  datasetId,
  version: datasetVersion,
  selection: filter === null ? null : id,
});

/** Samples that a run is to have. */
export const sampleTotal = ({ total, repeats }: Pick<EvalRunRow, 'total' | 'repeats'>): number => total * repeats;

/** Ids of the connections that a run needs, for itself and for its judges; an external run has none of its own. */
export function listConnections(
  run: Pick<EvalRunRow, 'connectionId' | 'judgeConnectionId' | 'scorers'>,
): ReadonlySet<string> {
  const scorers = (fromJsonText(run.scorers) ?? []) as RunScorer[];
  const judges = scorers.map(({ judge }) => judge?.connection_id ?? '');
  return new Set([run.connectionId, run.judgeConnectionId ?? '', ...judges].filter((id) => id !== ''));
}

type RunProgress = Pick<EvalRunRow, 'execution' | 'total' | 'progress' | 'unscored' | 'closedAt'>;

/**
 * Whether nothing of a run is left to be processed, so that it can be completed. An external run also is when its caller has said
 * that no more results come, but not before the server's scorers have seen all that came.
 */
export const isThrough = ({ execution, total, progress, unscored, closedAt }: RunProgress): boolean =>
  execution === EXECUTION.external ? unscored === 0 && (closedAt !== null || progress >= total) : progress >= total;

/** Whether a process has something to do for an unfinished run; others execute an external one, until its results come. */
export const isDue = (run: RunProgress): boolean =>
  run.execution === EXECUTION.server || run.unscored > 0 || isThrough(run);

/** What a run has of which nothing is processed yet, beside what it was started with. */
export const NEW_RUN = {
  ...{ scorers: null, startHash: null, progress: 0, failedCount: 0, sampleProgress: 0, failedSamples: 0 },
  ...{ scoreSum: 0, scoreCount: 0, totalTokens: 0, costUsd: 0, costPico: 0, costCount: 0, unpricedCount: 0 },
  ...{ judgeTokens: 0, judgeCostUsd: 0, judgeCostPico: 0, judgeCostCount: 0, judgeUnpricedCount: 0 },
  ...{ dearestUsd: null, dearestPico: null, stopReason: null, error: null },
  ...{ scoreSe: null, scoreCi: null, measures: null, passed: null },
  ...{ reusedSamples: 0, retriedSamples: 0, retriedUsd: 0, retriedPico: 0, groupId: null },
  ...{ unscored: 0, resultAt: null, closedAt: null, startedAt: null, endedAt: null },
  ...{ running: '[]', leaseOwner: null, leaseUntil: 0 },
};

/** What every run has that is over; nobody works on it any more. @param now in ms. */
export const endRun = (status: number, now: number) => ({ status, endedAt: now, leaseOwner: null, leaseUntil: 0 });

/** What a run has that came to its end without being completed: gates that it may have do not hold. */
export const breakOff = (run: EvalRunRow, status: number, now: number) => ({
  ...endRun(status, now),
  passed: run.gates === null ? null : 0,
});

/** What a run has that is cancelled. */
export const cancelRun = (run: EvalRunRow, reason: StopReason, now: number) => ({
  ...breakOff(run, RUN_STATUS.cancelled, now),
  stopReason: STOP_REASON[reason],
});

const NO_MEASURES: RunMeasures = { pass_rate: null, latency_ms: null, sample_cost: null, scorer_scores: null };

/** A stored run as the wire shows it, without its items. */
export const runSummary = (run: EvalRunRow): EvalRunSummary =>
  fromColumns(evalRunSummarySchema, run, {
    status: runStatusName(run.status),
    execution: EVAL_EXECUTIONS[run.execution] ?? 'server',
    sample_total: sampleTotal(run),
    config: runConfig(run),
    scoring_config: scoringConfig(run),
    scorers: listScorers(run),
    pass_mode: PASS_MODES[run.passMode] ?? 'mean',
    filter: fromJsonText(run.filter) as EvalFilter | null,
    cache: run.cacheDays === null ? null : 'reuse',
    retried_cost: costOf({ usd: run.retriedUsd, pico: run.retriedPico }) || null,
    max_cost_usd: run.costCap,
    metadata: readMetadata(run),
    gates: readGates(run),
    passed: run.passed === null ? null : run.passed === 1,
    stop_reason: run.stopReason === null ? null : (STOP_REASONS[run.stopReason] ?? 'cancelled'),
    avg_score: averageScore(run),
    score_ci: fromJsonText(run.scoreCi) as Interval | null,
    total_cost: totalCost(run),
    call_cost: callCost(run),
    judge_cost: judgeCost(run),
    ...(run.measures === null ? NO_MEASURES : (fromJsonText(run.measures) as RunMeasures)),
    error: readText(run.error),
  });

/** The config of a run. */
export const runConfig = (run: EvalRunRow): EvalConfigResource => fromJsonText(run.config) as EvalConfigResource;

/** Over the items that have a score. */
export const averageScore = (run: EvalRunRow): number | null =>
  run.scoreCount === 0 ? null : run.scoreSum / run.scoreCount;

/** What the model's calls cost, in dollars; `null` when none has a cost. */
export const callCost = ({ costCount, costUsd, costPico }: EvalRunRow): number | null =>
  costCount === 0 ? null : costOf({ usd: costUsd, pico: costPico });

/** What the calls of judges cost, in dollars; `null` when none has a cost. */
export const judgeCost = (run: EvalRunRow): number | null =>
  run.judgeCostCount === 0 ? null : costOf({ usd: run.judgeCostUsd, pico: run.judgeCostPico });

/** Both of them, as the cost cap counts; `null` when nothing has a cost. */
export function totalCost(run: EvalRunRow): number | null {
  if (run.costCount + run.judgeCostCount === 0) return null;
  const judges = { usd: run.judgeCostUsd, pico: run.judgeCostPico };
  return costOf(addCost({ usd: run.costUsd, pico: run.costPico }, judges));
}

/** A text as a column keeps it: a JSON string, so that NUL and lone surrogates survive. */
export const readText = (json: string | null): string | null => fromJsonText(json) as string | null;
