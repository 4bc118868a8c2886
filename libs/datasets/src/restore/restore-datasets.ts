import { Injectable } from '@nestjs/common';
import type { RestoredDatapoint, RestoredDataset } from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { ChangeDatapoints, newRow } from '../change-datapoints.js';
import { datapointCreated, datapointResource } from '../datapoint-resource.js';
import type { DatapointRow } from '../datapoint.entity.js';
import { DatapointStore } from '../datapoint.store.js';
import { datasetResource, DatasetStore } from '../dataset.store.js';
import { Dataset, datasetTable, type DatasetRow } from '../dataset.entity.js';

/** A version of a dataset that datapoints were brought back under, and may be further. */
export interface OpenVersion {
  datasetId: string;
  version: number;
}

/** Brings datasets and datapoints of an export back, values and all; those that exist already take the values given. */
@Injectable()
export class RestoreDatasets {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly changes: ChangeDatapoints,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Upserts datasets in one transaction. The version of one with datapoints is that of the export less one: its
   * datapoints, which follow, raise it. The version of one that exists never goes back.
   */
  async restoreDatasets(scope: Scope, restored: readonly RestoredDataset[]): Promise<void> {
    await this.storage.write(async (tx) => {
      for (const item of restored.toSorted(byId)) {
        const before = await this.datasets.findForWrite(tx, scope, item.id);
        const after = datasetRow(scope, item, before);
        if (!before) {
          tx.em.create(Dataset, after);
          await this.events.emit(tx, scope, { type: 'dataset_created', dataset: datasetResource(after) });
        } else {
          Object.assign(before, after);
        }
      }
    });
  }

  /**
   * Upserts datapoints in one transaction. What changes a dataset, results of runs apart, raises its version, once for
   * those that follow each other: further ones join it for as long as nobody has changed or taken a snapshot of it.
   * @param open as the call before answered it.
   * @returns the datapoints whose dataset does not exist, and the open version of the dataset that was written last.
   */
  async restoreDatapoints(
    scope: Scope,
    restored: readonly RestoredDatapoint[],
    open: OpenVersion | undefined,
  ): Promise<{ rejected: RestoredDatapoint[]; open: OpenVersion | undefined }> {
    const byDataset = Map.groupBy(restored, ({ dataset_id: datasetId }) => datasetId);
    return this.storage.write(async (tx) => {
      const rejected: RestoredDatapoint[] = [];
      let last = open;
      for (const [datasetId, items] of [...byDataset].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const dataset = await this.datasets.findForWrite(tx, scope, datasetId);
        if (!dataset) {
          rejected.push(...items);
          continue;
        }
        const version = await this.restoreInto(tx, scope, dataset, items, open);
        if (version !== undefined) last = { datasetId, version };
      }
      return { rejected, open: last };
    });
  }

  /** @returns the dataset's version with the datapoints in it; `undefined` when nothing changed. */
  private async restoreInto(
    tx: WriteTx,
    scope: Scope,
    dataset: DatasetRow,
    items: readonly RestoredDatapoint[],
    open: OpenVersion | undefined,
  ): Promise<number | undefined> {
    const isOpen = open?.datasetId === dataset.id && open.version === dataset.version;
    const joins = isOpen && dataset.version > dataset.pinnedVersion;
    const version = joins ? dataset.version : dataset.version + 1;
    const after = new Map(items.map((item) => [item.id, datapointRow(scope, item, version)]));
    const existing = await this.datapoints.findForWrite(tx, scope, dataset.id, [...after.keys()]);
    let changed = 0;
    for (const before of existing) {
      const row = after.get(before.id)!;
      after.delete(before.id);
      if (shownOf(before) === shownOf(row)) continue;
      if (askedOf(before) === askedOf(row)) {
        await this.datapoints.updateResult(tx, { ...before, ...resultOf(row) });
      } else {
        await this.changes.exchange(tx, scope, dataset, before, row);
        changed++;
      }
    }
    const added = [...after.values()];
    if (added.length + changed === 0) return undefined;
    await this.datapoints.insert(tx, added);
    dataset.version = version;
    dataset.datapointCount += added.length;
    await this.events.emitWire(tx, scope, added.map(datapointCreated));
    return version;
  }
}

function datasetRow(scope: Scope, item: RestoredDataset, before: DatasetRow | null): DatasetRow {
  const version = item.datapoint_count > 0 ? Math.max(0, item.version - 1) : item.version;
  return {
    ...datasetTable.membersOf(item),
    projectId: scope.projectId,
    description: item.description ?? null,
    datapointCount: before?.datapointCount ?? 0,
    version: Math.max(before?.version ?? 0, version),
    pinnedVersion: before?.pinnedVersion ?? 0,
  };
}

/** A result that a run wrote back there is written here in the same way: it raises no version. */
const resultOf = ({ kind, updatedAt }: DatapointRow): Partial<DatapointRow> => ({
  kind,
  resultOutput: null,
  resultScore: null,
  updatedAt,
});

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

/** The row of a datapoint of an export. */
export function datapointRow(scope: Scope, item: RestoredDatapoint, version: number): DatapointRow {
  const { id, kind, source, source_span_id: sourceSpanId } = item;
  const added = { id, kind: JSON.stringify(kind), source, sourceSpanId: sourceSpanId ?? null };
  const row = newRow(scope, item.dataset_id, added, version, item.created_at);
  return { ...row, updatedAt: item.updated_at };
}

/** Two datapoints that are shown alike are the same. */
const shownOf = (row: DatapointRow): string => JSON.stringify(datapointResource(row));

/** What versions of a dataset distinguish in a datapoint: all but the newest result of a run, and when that came. */
export function askedOf(row: DatapointRow): string {
  const { kind, updated_at: _updatedAt, ...others } = datapointResource(row);
  if (!('Generic' in kind)) return JSON.stringify([others, kind]);
  const { actual_output: _output, score: _score, ...asked } = kind.Generic;
  return JSON.stringify([others, asked]);
}
