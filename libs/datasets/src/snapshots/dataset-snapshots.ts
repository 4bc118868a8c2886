import { Injectable } from '@nestjs/common';
import type { DatapointKind } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions, WriteTx } from '@spandrel/storage';
import { datapointKindInTurns } from '../datapoint-resource.js';
import type { DatapointRow } from '../datapoint.entity.js';
import { DatapointStore, type DatapointResult } from '../datapoint.store.js';
import { DatasetStore } from '../dataset.store.js';
import { datasetNotFound } from '../dataset-participants.js';
import { type IdRange, type Snapshot, SnapshotStore } from './snapshot.store.js';

/** A datapoint of a snapshot. */
export interface SnapshotDatapoint {
  id: string;
  kind: DatapointKind;
}

/** Snapshots whose datapoints are distinguished when one is let go; beyond, all closed rows are kept. */
const SNAPSHOTS_TOLD_APART = 300;

/**
 * Snapshots of datasets (ADR 0007). Taking one writes a number and copies nothing: datapoints that change later keep the
 * rows that a snapshot sees.
 */
@Injectable()
export class DatasetSnapshots {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly snapshots: SnapshotStore,
  ) {}

  /**
   * Takes a snapshot of what the dataset holds now, in the caller's transaction; the dataset is locked until its end.
   * @returns its version and the number of its datapoints.
   * @throws NotFound `dataset_not_found`.
   */
  async take(tx: WriteTx, scope: Scope, datasetId: string): Promise<{ version: number; count: number }> {
    const dataset = await this.datasets.findForWrite(tx, scope, datasetId);
    if (!dataset) throw datasetNotFound();
    dataset.pinnedVersion = dataset.version;
    return { version: dataset.version, count: dataset.datapointCount };
  }

  /** How many datapoints a version of a dataset has here. */
  count(scope: Scope, snapshot: Snapshot): Promise<number> {
    return this.snapshots.count(scope, snapshot);
  }

  /**
   * Takes the snapshot of a version that was reached before, in the caller's transaction: from then on its datapoints are
   * kept. The next version counts as reached: it has what the dataset has now.
   * @param take called while the dataset is locked, with whether the dataset is there and has come to that version:
   *   makes what needs the snapshot, and returns whether there is such a thing.
   * @throws what `take` throws.
   */
  async takeAgain(
    tx: WriteTx,
    scope: Scope,
    { datasetId, version }: Snapshot,
    take: (isReached: boolean) => Promise<boolean>,
  ): Promise<void> {
    const dataset = await this.datasets.findForWrite(tx, scope, datasetId);
    const isReached = dataset !== null && dataset.version + 1 >= version;
    if (!(await take(isReached)) || !isReached) return;
    dataset.version = Math.max(dataset.version, version);
    dataset.pinnedVersion = Math.max(dataset.pinnedVersion, version);
  }

  /**
   * Lets snapshots go, in the caller's transaction.
   * @param letGo called while the dataset is locked, so that nobody takes a snapshot meanwhile: drops what needed the
   *   snapshots and returns the distinct versions that are still needed.
   * @throws what `letGo` throws.
   */
  async release(tx: WriteTx, scope: Scope, datasetId: string, letGo: () => Promise<readonly number[]>): Promise<void> {
    const dataset = await this.datasets.findForWrite(tx, scope, datasetId);
    const versionsLeft = await letGo();
    if (!dataset || versionsLeft.length > SNAPSHOTS_TOLD_APART) return;
    await this.datapoints.deleteUnseen(tx, scope, datasetId, versionsLeft);
    dataset.pinnedVersion = Math.max(0, ...versionsLeft);
  }

  /** Ids of the datapoints that any of the versions of a dataset sees, in order. */
  idsOfAny(
    scope: Scope,
    datasetId: string,
    versions: readonly number[],
    range: IdRange,
    options: LongReadOptions = {},
  ): Promise<string[]> {
    return this.snapshots.idsOfAny(scope, datasetId, versions, range, options);
  }

  /** How many datapoints any of the versions of a dataset sees. */
  countOfAny(scope: Scope, datasetId: string, versions: readonly number[], options: LongReadOptions): Promise<number> {
    return this.snapshots.countOfAny(scope, datasetId, versions, options);
  }

  /** Which of the ids are datapoints of a snapshot. */
  present(scope: Scope, snapshot: Snapshot, ids: readonly string[], options: LongReadOptions): Promise<Set<string>> {
    return this.snapshots.present(scope, snapshot, ids, options);
  }

  /**
   * Datapoints of a snapshot by their ids, which may be in any order.
   * @returns by id; and `read`, how many of the ids were looked at: as many as fit into memory, at least one.
   */
  async some(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<{ datapoints: Map<string, SnapshotDatapoint>; read: number }> {
    const taken = await this.snapshots.fitting(scope, snapshot, ids, options);
    const datapoints = new Map<string, SnapshotDatapoint>();
    for (let left: readonly string[] = taken; left.length > 0;) {
      const { datapoints: some, through } = await this.among(scope, snapshot, left, options);
      for (const datapoint of some) datapoints.set(datapoint.id, datapoint);
      left = through === undefined ? [] : left.filter((id) => id > through);
    }
    return { datapoints, read: taken.length };
  }

  /**
   * The datapoints among given ids that a snapshot has, in order, as many as fit into memory.
   * @returns the datapoints, and the last id that was looked at when there may be more behind it.
   */
  async among(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    options: LongReadOptions = {},
  ): Promise<{ datapoints: SnapshotDatapoint[]; through: string | undefined }> {
    const { rows, through } = await this.snapshots.among(scope, snapshot, ids, options);
    return { datapoints: await withKinds(rows), through };
  }

  /** Datapoints of a snapshot behind `afterId`, in order: up to `limit`, as many as fit into memory, none at the end. */
  async after(
    scope: Scope,
    snapshot: Snapshot,
    afterId: string,
    limit: number,
    options: LongReadOptions = {},
  ): Promise<SnapshotDatapoint[]> {
    const rows = await this.snapshots.after(scope, snapshot, afterId, limit, options);
    return withKinds(rows);
  }

  /** Writes the newest results to the datapoints as they are now; raises no version. */
  writeResults(tx: WriteTx, scope: Scope, datasetId: string, results: readonly DatapointResult[]): Promise<void> {
    return this.datapoints.writeResults(tx, scope, datasetId, results);
  }
}

async function withKinds(rows: readonly DatapointRow[]): Promise<SnapshotDatapoint[]> {
  const datapoints: SnapshotDatapoint[] = [];
  for (const row of rows) datapoints.push({ id: row.id, kind: await datapointKindInTurns(row) });
  return datapoints;
}
