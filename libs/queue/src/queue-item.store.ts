import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  deleteRows,
  integer,
  rawSql,
  shapeOf,
  sql,
  Storage,
  limitBySize,
  type WriteTx,
} from '@spandrel/storage';
import { QueueItem, type QueueItemRow, QUEUE_STATUS, queueItemTable } from './queue-item.entity.js';
import { QUEUE_ITEM_SIZE, QUEUE_READ_BYTES } from './queue-list.store.js';

/** A constant in the text, since the index is on claimed items alone. */
const CLAIMED = rawSql(String(QUEUE_STATUS.claimed));

const KEY = queueItemTable.select('q', ['projectId', 'id']);
const SIZED = KEY.and(shapeOf({ bytes: integer() }));

/** Rows of queue items. What is changed of one that was found for a write is written with the transaction. */
@Injectable()
export class QueueItemStore {
  constructor(private readonly storage: Storage) {}

  find({ projectId }: Scope, id: string): Promise<QueueItemRow | null> {
    return this.storage.find((em) => em.findOne(QueueItem, { projectId, id }));
  }

  /** The dataset of an item, which never changes; the item is not locked. */
  async datasetOf(tx: WriteTx, { projectId }: Scope, id: string): Promise<string | undefined> {
    const part = { fields: ['datasetId'], disableIdentityMap: true } as const;
    return (await tx.em.findOne(QueueItem, { projectId, id }, part))?.datasetId;
  }

  /** An item that is to be changed, locked against others. Anyone who needs its dataset locked too locks that first. */
  findForWrite(tx: WriteTx, { projectId }: Scope, id: string): Promise<QueueItemRow | null> {
    return tx.em.findOne(QueueItem, { projectId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Items that are to be changed, locked in the order of their ids. */
  findSomeForWrite(tx: WriteTx, { projectId }: Scope, ids: readonly string[]): Promise<QueueItemRow[]> {
    const lock = { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    return tx.em.find(QueueItem, { projectId, id: { $in: [...ids] } }, lock);
  }

  /**
   * The oldest pending item of a dataset, locked.
   * @param exclude ids of items that are left out; nothing waits for these.
   * @param others what to do about items that others have locked: they may be left as they are, so that none is pending
   *   is known only when they were waited for. They are waited for in the order of their ids.
   */
  oldestPendingForWrite(
    tx: WriteTx,
    { projectId }: Scope,
    datasetId: string,
    { exclude, others }: { exclude: readonly string[]; others: 'pass over' | 'wait' },
  ): Promise<QueueItemRow | null> {
    const lockMode = others === 'wait' ? LockMode.PESSIMISTIC_WRITE : LockMode.PESSIMISTIC_PARTIAL_WRITE;
    const allowed = exclude.length > 0 && { id: { $nin: [...exclude] } };
    const pending = { projectId, datasetId, status: QUEUE_STATUS.pending, ...allowed };
    return tx.em.findOne(QueueItem, pending, { orderBy: { id: 'asc' }, lockMode });
  }

  /** Pending and claimed items of datapoints; the dataset is locked, so that no others come. */
  findOpen(
    tx: WriteTx,
    { projectId }: Scope,
    datasetId: string,
    datapointIds: readonly string[],
  ): Promise<QueueItemRow[]> {
    const status = { $ne: QUEUE_STATUS.completed };
    return tx.em.find(QueueItem, { projectId, datasetId, datapointId: { $in: [...datapointIds] }, status });
  }

  /** The first items of all projects that were claimed up to a time: up to `limit`, as many as fit into memory. */
  async findStale(claimedThrough: number, limit: number): Promise<{ projectId: string; id: string }[]> {
    const rows = await this.storage.readLong(
      SIZED.query`select ${KEY}, ${QUEUE_ITEM_SIZE} as bytes from queue_item q
        where q.status = ${CLAIMED} and q.claimed_at <= ${claimedThrough} order by q.claimed_at limit ${limit}`,
    );
    return limitBySize(rows, QUEUE_READ_BYTES);
  }

  /** Locks the items that are stale still; items that another instance has locked are left to it. */
  findStaleForWrite(
    tx: WriteTx,
    { projectId }: Scope,
    ids: readonly string[],
    claimedThrough: number,
  ): Promise<QueueItemRow[]> {
    const stale = { status: QUEUE_STATUS.claimed, claimedAt: { $lte: claimedThrough } };
    return tx.em.find(
      QueueItem,
      { projectId, id: { $in: [...ids] }, ...stale },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
  }

  async insert(tx: WriteTx, items: readonly QueueItemRow[]): Promise<void> {
    if (items.length > 0) await tx.em.insertMany(QueueItem, [...items]);
  }

  async deleteOfDatapoints(
    tx: WriteTx,
    { projectId }: Scope,
    datasetId: string,
    datapointIds: readonly string[],
  ): Promise<void> {
    await tx.run(
      sql`delete from queue_item
        where project_id = ${projectId} and dataset_id = ${datasetId} and ${anyOf('datapoint_id', datapointIds)}`,
    );
  }

  async deleteOfDataset(tx: WriteTx, scope: Scope, datasetId: string): Promise<void> {
    await deleteRows(tx, 'queue_item', sql`project_id = ${scope.projectId} and dataset_id = ${datasetId}`);
  }
}
