import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  forUpdateSkipLocked,
  rawSql,
  sql,
  Storage,
  takeFitting,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { QUEUE_ITEM_SIZE, QUEUE_READ_BYTES } from './queue-list.store.js';
import type { QueueItemRow } from './queue-item.entity.js';
import { QUEUE_STATUS } from './queue-status.js';
import { queueItemTable } from './tables.js';

/** A constant in the text, since the index is on claimed items alone. */
const CLAIMED = rawSql(String(QUEUE_STATUS.claimed));

const staleAt = (claimedThrough: number): Sql => sql`q.status = ${CLAIMED} and q.claimed_at <= ${claimedThrough}`;

/** Claims that were made too long ago. */
@Injectable()
export class StaleClaimStore {
  constructor(private readonly storage: Storage) {}

  /** The first items of all projects that were claimed up to a time: up to `limit`, as many as fit into memory. */
  async find(claimedThrough: number, limit: number): Promise<{ projectId: string; id: string }[]> {
    const rows = await this.storage.readLong<{ projectId: string; id: string; bytes: number }>(
      sql`select q.project_id as "projectId", q.id as id, ${QUEUE_ITEM_SIZE} as bytes from queue_item q
        where ${staleAt(claimedThrough)} order by q.claimed_at limit ${limit}`,
    );
    return takeFitting(rows, QUEUE_READ_BYTES);
  }

  /** Locks the items that are stale still; items that another instance has locked are left to it. */
  findForWrite(tx: WriteTx, scope: Scope, ids: readonly string[], claimedThrough: number): Promise<QueueItemRow[]> {
    return tx.all<QueueItemRow>(
      sql`select ${queueItemTable.select('q')} from queue_item q
        where q.project_id = ${scope.projectId} and ${anyOf('q.id', ids)} and ${staleAt(claimedThrough)}
        order by q.id${forUpdateSkipLocked('q')}`,
    );
  }
}
