import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { integer, rawSql, shapeOf, Storage, takeFitting, type WriteTx } from '@spandrel/storage';
import { QUEUE_ITEM_SIZE, QUEUE_READ_BYTES } from './queue-list.store.js';
import { QueueItem, type QueueItemRow, QUEUE_STATUS, queueItemTable } from './queue-item.entity.js';

/** A constant in the text, since the index is on claimed items alone. */
const CLAIMED = rawSql(String(QUEUE_STATUS.claimed));

const KEY = queueItemTable.select('q', ['projectId', 'id']);
const SIZED = KEY.and(shapeOf({ bytes: integer() }));

/** Claims that were made too long ago. */
@Injectable()
export class StaleClaimStore {
  constructor(private readonly storage: Storage) {}

  /** The first items of all projects that were claimed up to a time: up to `limit`, as many as fit into memory. */
  async find(claimedThrough: number, limit: number): Promise<{ projectId: string; id: string }[]> {
    const rows = await this.storage.readLong(
      SIZED.query`select ${KEY}, ${QUEUE_ITEM_SIZE} as bytes from queue_item q
        where q.status = ${CLAIMED} and q.claimed_at <= ${claimedThrough} order by q.claimed_at limit ${limit}`,
    );
    return takeFitting(rows, QUEUE_READ_BYTES);
  }

  /** Locks the items that are stale still; items that another instance has locked are left to it. */
  findForWrite(
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
}
