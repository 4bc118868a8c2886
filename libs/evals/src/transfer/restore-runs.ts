import { Injectable } from '@nestjs/common';
import type { RejectedItem, RestoredRun } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore } from '../eval-run.store.js';
import { metadataOf } from '../run-plan.js';
import { RUN_STATUS } from '../status.js';
import { exportedRun } from './exported-run.js';
import { restoredRun, UNFINISHED } from './restored-rows.js';

/** Why an item of a file has no place here. */
export type Reason = Pick<RejectedItem<unknown>, 'code' | 'message'>;

/** What is known of the file that runs come from. */
export interface RunsFile {
  /** In ms; `undefined` when the file does not say. */
  exportedAt: number | undefined;
  /** Whether a dataset here may have another history than in the file. */
  isOther: (datasetId: string) => boolean;
}

/** Brings runs of an export back (docs/spec/transfer.md#runs-and-their-snapshots). */
@Injectable()
export class RestoreRuns {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /**
   * Writes runs in one transaction; starts none and emits nothing. A run that is here stays as it is, unless it came
   * unfinished by an earlier import.
   * @returns those that are here with other values, those without a dataset, and those whose snapshot is not here.
   */
  async restoreRuns(
    scope: Scope,
    restored: readonly RestoredRun[],
    { exportedAt, isOther }: RunsFile,
  ): Promise<RejectedItem<RestoredRun>[]> {
    const byId = new Map(restored.map((item) => [item.id, item]));
    const counts = await this.countSnapshots(scope, [...byId.values()]);
    const inOrder = [...byId.values()].toSorted(byDatasetAndId);
    return this.storage.write(async (tx) => {
      const rejected: RejectedItem<RestoredRun>[] = [];
      for (const item of inOrder) {
        const isWhole = counts.get(snapshotOf(item)) === item.total && !isOther(item.dataset_id);
        const after = restoredRun(scope, item, exportedAt);
        const snapshot = { datasetId: item.dataset_id, version: item.dataset_version };
        // The dataset before the run, as a start and a delete lock them.
        await this.snapshots.takeAgain(tx, scope, snapshot, async (isReached) => {
          const reason = await this.restoreRun(tx, scope, after, isWhole && isReached);
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
  ): Promise<Reason | undefined> {
    const [before] = await this.runs.findForWrite(tx, scope, [after.id]);
    if (before && isSame(before, after)) return undefined;
    if (before && !(before.datasetId === after.datasetId && isUnfinishedImport(before))) return OTHER_RUN;
    if (!hasSnapshot) return NO_SNAPSHOT;
    if (before) {
      await this.runs.update(tx, after);
      await this.runs.deleteMetadata(tx, after);
    } else await this.runs.insert(tx, after);
    await this.runs.insertMetadata(tx, after, metadataOf(after));
    return undefined;
  }

  /** How many datapoints each snapshot has here. */
  private async countSnapshots(scope: Scope, items: readonly RestoredRun[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const item of items) {
      const key = snapshotOf(item);
      if (counts.has(key)) continue;
      const snapshot = { datasetId: item.dataset_id, version: item.dataset_version };
      counts.set(key, await this.snapshots.count(scope, snapshot));
    }
    return counts;
  }
}

const snapshotOf = ({ dataset_id: id, dataset_version: version }: RestoredRun): string => `${version} ${id}`;

const byDatasetAndId = (a: RestoredRun, b: RestoredRun): number => {
  if (a.dataset_id !== b.dataset_id) return a.dataset_id < b.dataset_id ? -1 : 1;
  return a.id < b.id ? -1 : 1;
};

/** Whether runs are shown alike; when a run that was not finished was exported makes no difference. */
const isSame = (before: EvalRunRow, after: EvalRunRow): boolean =>
  shown(before) === shown(isUnfinishedImport(after) ? { ...after, endedAt: before.endedAt } : after);

const shown = (run: EvalRunRow): string => JSON.stringify(exportedRun(run));

const isUnfinishedImport = ({ status, error }: EvalRunRow): boolean =>
  status === RUN_STATUS.failed && error === toJsonText(UNFINISHED);

export const OTHER_RUN: Reason = { code: 'id_conflict', message: 'the eval run is here with other values, and stays' };
const NO_SNAPSHOT: Reason = {
  code: 'snapshot_conflict',
  message: 'the dataset does not have the datapoints here that this eval run worked on',
};
