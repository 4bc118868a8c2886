import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  withMember,
  formatTimestamp,
  type RestoredAttempt,
  type RestoredResult,
  type RestoredRun,
  type RestoredSample,
  type ExportedAttempt,
  type ExportedResult,
  type ExportedRun,
  type ExportedSample,
  type RunMeasures,
  type RejectedItem,
} from '@spandrel/contract';
import { ChooseDatapoints, DatasetSnapshots } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { toJsonText, fromJsonText, Storage, type Table, type WriteTx } from '@spandrel/storage';
import { toCostSum } from '@spandrel/tracing';
import { EvalResultStore } from '../eval-result.store.js';
import { processedOutcome } from '../eval-item.js';
import {
  evalAttemptTable,
  evalResultTable,
  evalRunTable,
  evalSampleTable,
  type EvalAttemptRow,
  type EvalResultRow,
  type EvalRunRow,
  type EvalSampleRow,
} from '../eval-run.entity.js';
import {
  listScorers,
  NEW_RUN,
  runSummary,
  EXECUTION,
  PASS_MODE,
  RESULT_STATUS,
  RUN_STATUS,
  STOP_REASON,
} from '../eval-run.js';
import { EvalRunStore } from '../eval-run.store.js';

/** Why a run failed that was under way when it was exported: nobody goes on with it here. */
const UNFINISHED = 'the run was not finished when it was exported; start another one to go on';

/**
 * The row of a run of an export. One that was not finished is failed: an import starts nothing.
 * @param exportedAt in ms, when it is known.
 */
function restoredRun(scope: Scope, run: RestoredRun, exportedAt: number | undefined): EvalRunRow {
  const cost = toCostSum((run.call_cost === undefined ? run.total_cost : run.call_cost) ?? 0);
  const judgeCost = toCostSum(run.judge_cost ?? 0);
  const retriedCost = toCostSum(run.retried_cost ?? 0);
  const isFinished = RUN_STATUS[run.status] >= RUN_STATUS.completed;
  const hasGates = run.gates.length > 0;
  const passed = isFinished ? run.passed : hasGates ? false : null;
  const stopReason = run.stop_reason === undefined && run.status === 'cancelled' ? 'cancelled' : run.stop_reason;
  const row: EvalRunRow = {
    ...NEW_RUN,
    ...evalRunTable.membersOf(run),
    projectId: scope.projectId,
    status: isFinished ? RUN_STATUS[run.status] : RUN_STATUS.failed,
    config: JSON.stringify(run.config),
    scoringConfig: toJsonText(run.scoring_config),
    connectionId: run.config.connection_id ?? '',
    judgeConnectionId: run.config.judge?.connection_id ?? null,
    execution: EXECUTION[run.execution],
    passMode: PASS_MODE[run.pass_mode],
    filter: toJsonText(run.filter),
    retriedUsd: retriedCost.usd,
    retriedPico: retriedCost.pico,
    costCap: run.max_cost_usd,
    gates: hasGates ? JSON.stringify(run.gates) : null,
    metadata: Object.keys(run.metadata).length === 0 ? null : JSON.stringify(run.metadata),
    sampleProgress: run.sample_progress ?? run.progress,
    failedSamples: run.failed_samples ?? run.failed_count,
    costUsd: cost.usd,
    costPico: cost.pico,
    judgeCostUsd: judgeCost.usd,
    judgeCostPico: judgeCost.pico,
    scoreCi: run.score_ci === null ? null : JSON.stringify(run.score_ci),
    measures: restoredMeasures(run),
    passed: passed === null ? null : Number(passed),
    stopReason: stopReason ? STOP_REASON[stopReason] : null,
    error: toJsonText(isFinished ? run.error : UNFINISHED),
    endedAt: isFinished ? run.ended_at : (exportedAt ?? run.started_at ?? run.created_at),
  };
  return { ...row, scorers: scorersText(row, run.scorers) };
}

function restoredMeasures({ pass_rate, latency_ms, sample_cost, scorer_scores }: RestoredRun): string | null {
  const measures: RunMeasures = { pass_rate, latency_ms, sample_cost, scorer_scores };
  return latency_ms === null ? null : JSON.stringify(measures);
}

/** The column of scorers; `null` for the one that `scoring` and `scoring_config` say, as runs that list none have it. */
function scorersText(row: EvalRunRow, scorers: RestoredRun['scorers']): string | null {
  if (scorers === undefined) return null;
  const text = JSON.stringify(scorers);
  return text === JSON.stringify(listScorers(row)) ? null : text;
}

const restoredResult = ({ projectId }: Scope, result: RestoredResult): EvalResultRow => ({
  ...evalResultTable.membersOf(result),
  projectId,
  status: RESULT_STATUS[result.status],
  output: toJsonText(result.output),
  scoreReason: toJsonText(result.score_reason),
  error: toJsonText(result.error),
  metadata: toJsonText(result.metadata),
  scores: result.scores === null ? null : JSON.stringify(result.scores),
  resultHash: null,
  callHash: null,
});

const restoredSample = (scope: Scope, sample: RestoredSample): EvalSampleRow => ({
  ...restoredResult(scope, sample),
  repeat: sample.repeat,
});

const restoredAttempt = (scope: Scope, item: RestoredAttempt): EvalAttemptRow => {
  const { attempt, retried_at: retriedAt, output_kept: isKept } = item;
  return { ...restoredSample(scope, item), attempt, retriedAt, isKept: Number(isKept) };
};

/** A run as an export has it: with the sums that its averages and totals are made of. */
export const exportedRun = (run: EvalRunRow): ExportedRun => ({
  ...runSummary(run),
  score_sum: run.scoreSum,
  score_count: run.scoreCount,
  cost_count: run.costCount,
  judge_cost_count: run.judgeCostCount,
});

/** A processed item as an export has it: JSON of an `ExportedResult`. */
export const exportedResult = (result: EvalResultRow): string => outcomeJson<ExportedResult>(result, {});

/** A processed sample as an export has it: JSON of an `ExportedSample`. */
export const exportedSample = (sample: EvalSampleRow): string =>
  outcomeJson<ExportedSample>(sample, { repeat: sample.repeat });

/** A former attempt as an export has it: JSON of an `ExportedAttempt`. */
export const exportedAttempt = (row: EvalAttemptRow): string =>
  outcomeJson<ExportedAttempt>(row, {
    ...{ repeat: row.repeat, attempt: row.attempt },
    ...{ retried_at: formatTimestamp(row.retriedAt), output_kept: row.isKept === 1 },
  });

/** Metadata can be large, and is JSON text already. */
function outcomeJson<Exported extends ExportedResult>(
  row: EvalResultRow,
  key: Omit<Exported, keyof ExportedResult>,
): string {
  const { metadata: _metadata, ...members } = processedOutcome({ ...row, metadata: null });
  const { runId, datapointId, scores, metadata } = row;
  const outcome = {
    ...{ run_id: runId, datapoint_id: datapointId, ...key },
    ...members,
    scores: fromJsonText(scores) as ExportedResult['scores'],
  } satisfies Omit<ExportedResult, 'metadata'>;
  return withMember(JSON.stringify(outcome), 'metadata', metadata ?? 'null');
}

type Reason = Pick<RejectedItem<unknown>, 'code' | 'message'>;

interface RunsFile {
  /** In ms; `undefined` when the file does not say. */
  exportedAt: number | undefined;
  /** Whether a dataset here may have another history than in the file. */
  isOther: (datasetId: string) => boolean;
}

/** Brings runs of an export back with what became of their items and samples (docs/spec/transfer.md#runs-and-their-snapshots). */
@Injectable()
export class RestoreRuns {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly choices: ChooseDatapoints,
  ) {}

  /**
   * Writes runs; starts none and emits nothing. A run that is here stays as it is, unless it came unfinished by an earlier import.
   * One that took a part of its dataset takes the same again: what a filter takes of a snapshot never changes.
   * @returns those that are here with other values, those without a dataset, and those whose snapshot is not here.
   */
  async restoreRuns(
    scope: Scope,
    restored: readonly RestoredRun[],
    file: RunsFile,
  ): Promise<RejectedItem<RestoredRun>[]> {
    const byId = new Map(restored.map((item) => [item.id, item]));
    const inOrder = [...byId.values()].toSorted(byDatasetAndId);
    const ofAll = inOrder.filter(({ filter }) => filter === null);
    const rejected = await this.restoreTogether(scope, ofAll, file, await this.countSnapshots(scope, ofAll), null);
    for (const item of inOrder) {
      const { filter, dataset_id: datasetId, dataset_version: version } = item;
      if (filter === null) continue;
      const chosen = await this.choices.execute(scope, { datasetId, version }, filter);
      const counts = new Map([[toSnapshotKey(item), chosen.length]]);
      rejected.push(...(await this.restoreTogether(scope, [item], file, counts, chosen)));
    }
    return rejected;
  }

  /** Writes runs in one transaction. @param chosen datapoints of them, `null` for all of the snapshots. */
  private restoreTogether(
    scope: Scope,
    inOrder: readonly RestoredRun[],
    { exportedAt, isOther }: RunsFile,
    counts: ReadonlyMap<string, number>,
    chosen: readonly string[] | null,
  ): Promise<RejectedItem<RestoredRun>[]> {
    return this.storage.write(async (tx) => {
      const rejected: RejectedItem<RestoredRun>[] = [];
      for (const item of inOrder) {
        const isWhole = counts.get(toSnapshotKey(item)) === item.total && !isOther(item.dataset_id);
        const after = restoredRun(scope, item, exportedAt);
        const snapshot = { datasetId: item.dataset_id, version: item.dataset_version };
        // The dataset before the run, as a start and a delete lock them.
        await this.snapshots.takeAgain(tx, scope, snapshot, async (isReached) => {
          const reason = await this.restoreRun(tx, scope, after, isWhole && isReached, chosen);
          if (reason) rejected.push({ item, ...reason });
          return reason === undefined;
        });
      }
      return rejected;
    });
  }

  /** @returns why the run was not taken. */
  private async restoreRun(
    tx: WriteTx,
    scope: Scope,
    after: EvalRunRow,
    hasSnapshot: boolean,
    chosen: readonly string[] | null,
  ): Promise<Reason | undefined> {
    const [before] = await this.runs.findForWrite(tx, scope, [after.id]);
    if (before && isSame(before, after)) return undefined;
    if (before && !(before.datasetId === after.datasetId && isUnfinishedImport(before))) return OTHER_RUN;
    if (!hasSnapshot) return NO_SNAPSHOT;
    await (before ? this.runs.replace(tx, after) : this.runs.insert(tx, after));
    await this.snapshots.deselect(tx, scope, after.id);
    if (chosen !== null) await this.snapshots.select(tx, scope, after.id, chosen);
    return undefined;
  }

  private async countSnapshots(scope: Scope, items: readonly RestoredRun[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const item of items) {
      const key = toSnapshotKey(item);
      if (counts.has(key)) continue;
      const snapshot = { datasetId: item.dataset_id, version: item.dataset_version };
      counts.set(key, await this.snapshots.countOfAny(scope, [snapshot]));
    }
    return counts;
  }

  /** Adds the results that runs do not have yet. */
  readonly restoreResults = this.restoring(evalResultTable, restoredResult);
  /** Adds the samples that runs do not have yet. */
  readonly restoreSamples = this.restoring(evalSampleTable, restoredSample);
  /** Adds the former attempts that runs do not have yet. */
  readonly restoreAttempts = this.restoring(evalAttemptTable, restoredAttempt);

  /** @returns what writes in one transaction to runs that are as in the file, which `isTaken` says, and rejects the rest. */
  private restoring<Item extends RestoredResult, Row extends EvalResultRow>(
    table: Table<Row>,
    rowOf: (scope: Scope, item: Item) => Row,
  ) {
    return (
      scope: Scope,
      restored: readonly Item[],
      isTaken: (runId: string) => boolean,
    ): Promise<RejectedItem<Item>[]> => {
      const byRun = Map.groupBy(restored, ({ run_id: runId }) => runId);
      return this.storage.write(async (tx) => {
        const rejected: RejectedItem<Item>[] = [];
        const runs = await this.runs.findForWrite(tx, scope, [...byRun.keys()].toSorted());
        const here = new Map(runs.map((run) => [run.id, run]));
        for (const [runId, items] of byRun) {
          const run = here.get(runId);
          if (!run || run.status < RUN_STATUS.completed || !isTaken(runId)) {
            rejected.push(...items.map((item) => ({ item, ...(run ? OTHER_RUN : NO_RUN) })));
          } else if (table.name !== evalSampleTable.name || run.repeats > 1) {
            // Where each datapoint is tried once, the result is the sample.
            await this.results.insertMissing(
              tx,
              table,
              items.map((item) => rowOf(scope, item)),
            );
          }
        }
        return rejected;
      });
    };
  }
}

const toSnapshotKey = ({ dataset_id: id, dataset_version: version }: RestoredRun): string => `${version} ${id}`;

const byDatasetAndId = (a: RestoredRun, b: RestoredRun): number => {
  if (a.dataset_id !== b.dataset_id) return a.dataset_id < b.dataset_id ? -1 : 1;
  return a.id < b.id ? -1 : 1;
};

/** Whether runs are shown alike; when a run that was not finished was exported makes no difference. */
const isSame = (before: EvalRunRow, after: EvalRunRow): boolean =>
  isDeepStrictEqual(
    exportedRun(before),
    exportedRun(isUnfinishedImport(after) ? { ...after, endedAt: before.endedAt } : after),
  );

const isUnfinishedImport = ({ status, error }: EvalRunRow): boolean =>
  status === RUN_STATUS.failed && error === toJsonText(UNFINISHED);

const OTHER_RUN: Reason = { code: 'id_conflict', message: 'the eval run is here with other values, and stays' };
const NO_SNAPSHOT: Reason = {
  code: 'snapshot_conflict',
  message: 'the dataset does not have the datapoints here that this eval run worked on',
};

const NO_RUN: Reason = { code: 'eval_run_not_found', message: 'there is no eval run with this run_id' };
