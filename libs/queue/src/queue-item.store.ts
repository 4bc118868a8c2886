import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  deleteRows,
  forUpdate,
  forUpdateSkipLocked,
  rawSql,
  sql,
  Storage,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import type { QueueItemRow } from './queue-item.entity.js';
import { QUEUE_STATUS } from './queue-status.js';
import { queueItemTable } from './tables.js';

const COLUMNS = queueItemTable.select('q');

/** A constant in the text, so that the statement is planned for it. */
const PENDING = rawSql(String(QUEUE_STATUS.pending));
const COMPLETED = rawSql(String(QUEUE_STATUS.completed));

/** Rows of queue items. */
@Injectable()
export class QueueItemStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the item, `undefined` when the project has none with this id. */
  async find(scope: Scope, id: string): Promise<QueueItemRow | undefined> {
    const [item] = await this.storage.read<QueueItemRow>(
      sql`select ${COLUMNS} from queue_item q where q.project_id = ${scope.projectId} and q.id = ${id}`,
    );
    return item;
  }

  /** The dataset of an item, which never changes; the item is not locked. */
  async datasetOf(tx: WriteTx, scope: Scope, id: string): Promise<string | undefined> {
    const [item] = await tx.all<{ datasetId: string }>(
      sql`select dataset_id as "datasetId" from queue_item where project_id = ${scope.projectId} and id = ${id}`,
    );
    return item?.datasetId;
  }

  /** An item that is to be changed, locked against others. Whoever needs its dataset locked too locks that first. */
  async findForWrite(tx: WriteTx, scope: Scope, id: string): Promise<QueueItemRow | undefined> {
    const [item] = await tx.all<QueueItemRow>(
      sql`select ${COLUMNS} from queue_item q
        where q.project_id = ${scope.projectId} and q.id = ${id}${forUpdate('q')}`,
    );
    return item;
  }

  /**
   * The oldest pending item of a dataset, locked. Items that others have locked are passed over; only when no other is
   * pending are those waited for, since they may be left as they are.
   */
  async oldestPendingForWrite(tx: WriteTx, scope: Scope, datasetId: string): Promise<QueueItemRow | undefined> {
    for (const lock of [forUpdateSkipLocked('q'), forUpdate('q')]) {
      const [item] = await tx.all<QueueItemRow>(
        sql`select ${COLUMNS} from queue_item q
          where ${ofDataset(scope, datasetId)} and q.status = ${PENDING} order by q.id limit 1${lock}`,
      );
      if (item) return item;
    }
    return undefined;
  }

  /** Pending and claimed items of datapoints; the dataset is locked, so that no others come. */
  findOpen(tx: WriteTx, scope: Scope, datasetId: string, datapointIds: readonly string[]): Promise<QueueItemRow[]> {
    return tx.all<QueueItemRow>(
      sql`select ${COLUMNS} from queue_item q
        where ${ofDataset(scope, datasetId)} and ${anyOf('q.datapoint_id', datapointIds)} and q.status <> ${COMPLETED}`,
    );
  }

  insert(tx: WriteTx, items: readonly QueueItemRow[]): Promise<void> {
    return tx.insert(queueItemTable, items);
  }

  /** Writes what the states of an item change. */
  async save(tx: WriteTx, item: QueueItemRow): Promise<void> {
    await tx.run(
      sql`update queue_item set status = ${item.status}, claimed_by = ${item.claimedBy},
          claimed_at = ${item.claimedAt}, edited_data = ${item.editedData}
        where project_id = ${item.projectId} and id = ${item.id}`,
    );
  }

  /** Deletes all items of a datapoint. */
  async deleteOfDatapoint(tx: WriteTx, scope: Scope, datasetId: string, datapointId: string): Promise<void> {
    await tx.run(
      sql`delete from queue_item where project_id = ${scope.projectId} and dataset_id = ${datasetId}
        and datapoint_id = ${datapointId}`,
    );
  }

  /** Deletes all items of a dataset. */
  async deleteOfDataset(tx: WriteTx, scope: Scope, datasetId: string): Promise<void> {
    await deleteRows(tx, 'queue_item', sql`project_id = ${scope.projectId} and dataset_id = ${datasetId}`);
  }
}

const ofDataset = (scope: Scope, datasetId: string): Sql =>
  sql`q.project_id = ${scope.projectId} and q.dataset_id = ${datasetId}`;
