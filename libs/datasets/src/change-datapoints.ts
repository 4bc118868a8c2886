import { Injectable } from '@nestjs/common';
import type { DatapointKind, DatapointSource } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { DomainEvents } from '@spandrel/events';
import { jsonText, type WriteTx } from '@spandrel/storage';
import { datapointCreated } from './datapoint-resource.js';
import { type DatapointRow, SOURCE } from './datapoint.entity.js';
import { DatapointStore } from './datapoint.store.js';
import { DatasetParticipants, datapointNotFound } from './dataset-participants.js';
import type { DatasetRow } from './dataset.entity.js';
import { DatasetStore } from './dataset.store.js';

export interface NewDatapoint {
  /** Made by the caller with `newId`, so that doing the transaction again does the same; in ascending order. */
  id: string;
  kind: DatapointKind;
  source: DatapointSource;
  sourceSpanId: string | null;
}

/**
 * Every change to datapoints, each raising the dataset's version in the caller's transaction
 * (docs/spec/datasets.md#versions-of-a-dataset). Rows that a snapshot may need are closed and kept, others are replaced
 * (ADR 0007).
 */
@Injectable()
export class ChangeDatapoints {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly participants: DatasetParticipants,
    private readonly events: DomainEvents,
  ) {}

  /** Adds datapoints; emits `datapoint_created` for each. @throws NotFound `dataset_not_found`. */
  async add(
    tx: WriteTx,
    scope: Scope,
    datasetId: string,
    added: readonly NewDatapoint[],
    now: number,
  ): Promise<DatapointRow[]> {
    const dataset = await this.datasets.getForWrite(tx, scope, datasetId);
    const fromVersion = dataset.version + 1;
    const rows = added.map((datapoint) =>
      newRow(scope, datasetId, { ...datapoint, kind: jsonText(datapoint.kind) }, fromVersion, now),
    );
    await this.datapoints.insert(tx, rows);
    raise(dataset, rows.length, now);
    await this.events.emitWire(tx, scope, rows.map(datapointCreated));
    return rows;
  }

  /** Replaces a datapoint's kind, the result of a run included. @throws NotFound for the dataset or the datapoint. */
  async replace(
    tx: WriteTx,
    scope: Scope,
    { datasetId, id, kind }: { datasetId: string; id: string; kind: DatapointKind },
    now: number,
  ): Promise<DatapointRow> {
    const dataset = await this.datasets.getForWrite(tx, scope, datasetId);
    const [before] = await this.datapoints.findForWrite(tx, scope, datasetId, [id]);
    if (!before) throw datapointNotFound();
    const after: DatapointRow = {
      ...before,
      fromVersion: dataset.version + 1,
      importId: null,
      kind: jsonText(kind),
      resultOutput: null,
      resultScore: null,
      updatedAt: now,
    };
    await this.exchange(tx, scope, dataset, before, after);
    raise(dataset, 0, now);
    return after;
  }

  /** Puts a row in the place of the current one. @param dataset it is locked by the caller, who raises its version. */
  async exchange(
    tx: WriteTx,
    scope: Scope,
    { pinnedVersion }: Pick<DatasetRow, 'pinnedVersion'>,
    before: DatapointRow,
    after: DatapointRow,
  ): Promise<void> {
    const { projectId, datasetId, importId } = before;
    const brought = importId === null ? undefined : await this.datapoints.importOf(tx, scope, importId);
    if (brought?.unfinished === 1 && (brought.announcedThrough ?? '') < before.id) {
      // Nobody will find it among the datapoints of its import any more.
      await this.events.emitWire(tx, scope, [datapointCreated(before)]);
    }
    await this.datapoints.retire(tx, { projectId, id: datasetId, pinnedVersion }, [before.id], after.fromVersion);
    await this.datapoints.insert(tx, [after]);
  }

  /**
   * Deletes datapoints and what others keep about them, as one change of the dataset; none of them there is no change.
   * @returns the ids of those that were there. @throws NotFound `dataset_not_found`.
   */
  async remove(
    tx: WriteTx,
    scope: Scope,
    datasetId: string,
    ids: readonly string[],
    now: number,
  ): Promise<ReadonlySet<string>> {
    const dataset = await this.datasets.getForWrite(tx, scope, datasetId);
    const there = await this.datapoints.idsForWrite(tx, scope, datasetId, ids);
    if (there.length === 0) return new Set();
    await this.participants.beforeDatapointsDelete(tx, { scope, datasetId, datapointIds: there });
    await this.datapoints.retire(tx, dataset, there, dataset.version + 1);
    raise(dataset, -there.length, now);
    return new Set(there);
  }
}

/** Counts a change of the datapoints of a locked dataset. */
function raise(dataset: DatasetRow, added: number, now: number): void {
  dataset.version++;
  dataset.datapointCount += added;
  dataset.updatedAt = now;
}

/** The row of a new datapoint, its kind as JSON text. @param fromVersion 0 in an import. */
export function newRow(
  scope: Scope,
  datasetId: string,
  { id, kind, source, sourceSpanId }: Omit<NewDatapoint, 'kind'> & { kind: string },
  fromVersion: number,
  now: number,
  importId: string | null = null,
): DatapointRow {
  return {
    projectId: scope.projectId,
    datasetId,
    id,
    fromVersion,
    toVersion: null,
    importId,
    source: SOURCE[source],
    sourceSpanId,
    kind,
    resultOutput: null,
    resultScore: null,
    createdAt: now,
    updatedAt: now,
  };
}
