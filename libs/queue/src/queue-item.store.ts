import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  containsText,
  deleteRows,
  forUpdate,
  forUpdateSkipLocked,
  integer,
  ProjectRows,
  rawSql,
  shapeOf,
  sql,
  Storage,
  limitBySize,
  text,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { queueItemNotFound } from './queue-item-states.js';
import type { GoneIds } from '@spandrel/tracing';
import {
  OF_TARGETS,
  QueueItem,
  type QueueItemRow,
  QUEUE_STATUS,
  queueItemTable,
  unitOfTarget,
} from './queue-item.entity.js';

/** Bytes of an item's texts, from `queue_item q`, found without reading them. */
export const QUEUE_ITEM_SIZE = rawSql('octet_length(q.original_data) + coalesce(octet_length(q.edited_data), 0)');

/** Text of items that one read brings into memory, about. */
export const QUEUE_READ_BYTES = 16 * 1024 * 1024;

/** A constant in the text, since the index is on claimed items alone. */
const CLAIMED = rawSql(String(QUEUE_STATUS.claimed));

const KEY = queueItemTable.select('q', ['projectId', 'id']);
const GROUP = shapeOf({ id: text() });
const SIZED = KEY.and(shapeOf({ bytes: integer() }));

const PLACE = ['datasetId', 'groupId', 'traceId', 'spanId', 'sessionId'] as const;
export type ItemPlace = Pick<QueueItemRow, (typeof PLACE)[number]>;

/** Rows of queue items. Anyone who needs the dataset of one locked too locks that first. */
@Injectable()
export class QueueItemStore extends ProjectRows<QueueItemRow> {
  constructor(storage: Storage) {
    super(storage, { entity: QueueItem, table: queueItemTable, list: 'queue', notFound: queueItemNotFound });
  }

  /** What an item is about, which never changes, and its group; it is not locked. */
  findPlace(tx: WriteTx, { projectId }: Scope, id: string): Promise<ItemPlace | null> {
    const part = { fields: [...PLACE], disableIdentityMap: true } as const;
    return tx.em.findOne(QueueItem, { projectId, id }, part);
  }

  /** Holds up others who enqueue traces, spans or sessions of the project, as the lock of a dataset does for datapoints. */
  async lockTargets(tx: WriteTx, { projectId }: Scope): Promise<void> {
    if (tx.dialect === 'sqlite') return;
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`review-targets ${projectId}`}, 0))`);
  }

  /**
   * The pending item of a queue that is next, locked: of the highest priority, then by its position and age, and none that is
   * assigned to others or of a group of which the reviewer has another item.
   * @param exclude ids of items that are left out; nothing waits for these.
   * @param others what to do about items that others have locked: they may be left as they are, so that none is pending
   *   is known only when they were waited for. They are waited for in the order of their ids.
   */
  async nextPendingForWrite(
    tx: WriteTx,
    scope: Scope,
    datasetId: string,
    reviewer: string,
    { exclude, others }: { exclude: readonly string[]; others: 'pass over' | 'wait' },
  ): Promise<QueueItemRow | null> {
    const { projectId } = scope;
    const allowed = exclude.length > 0 ? sql` and not ${anyOf('q.id', exclude)}` : sql``;
    const isAssigned = sql`(q.assignees = '[]' or ${containsText('q.assignees', JSON.stringify(reviewer))})`;
    const lock = others === 'wait' ? forUpdate('q') : forUpdateSkipLocked('q');
    const [found] = await tx.all(
      KEY.query`select ${KEY} from queue_item q where q.project_id = ${projectId} and q.dataset_id = ${datasetId}
          and q.status = ${QUEUE_STATUS.pending}${allowed} and ${isAssigned}
          and (q.group_id is null or not exists (select 1 from queue_reviewer r
            where r.project_id = q.project_id and r.group_id = q.group_id and r.reviewer = ${reviewer}))
        order by q.rank, q.position, q.id limit 1${lock}`,
    );
    return found ? this.findForWrite(tx, scope, found.id) : null;
  }

  /** Makes a reviewer the one of an item's group who has this item. @returns whether they had none of it before. */
  async joinGroup(tx: WriteTx, { projectId, groupId, id }: QueueItemRow, reviewer: string): Promise<boolean> {
    if (groupId === null) return true;
    const joined = await tx.run(
      sql`insert into queue_reviewer (project_id, group_id, reviewer, item_id)
        values (${projectId}, ${groupId}, ${reviewer}, ${id}) on conflict do nothing`,
    );
    return joined === 1;
  }

  async leaveGroup(tx: WriteTx, { projectId, groupId, id }: QueueItemRow): Promise<void> {
    if (groupId === null) return;
    await tx.run(sql`delete from queue_reviewer where project_id = ${projectId} and item_id = ${id}`);
  }

  /** All items of groups, whatever their status, locked in the order of their ids. */
  async findOfGroups(tx: WriteTx, { projectId }: Scope, groupIds: readonly string[]): Promise<QueueItemRow[]> {
    if (groupIds.length === 0) return [];
    const lock = { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    return tx.em.find(QueueItem, { projectId, groupId: { $in: [...groupIds] } }, lock);
  }

  /** Pending items that were enqueued to the same end as another, but those of groups that somebody has begun; locked. */
  async findUnbegun(tx: WriteTx, { projectId }: Scope, { datasetId, form, ciWidth }: QueueItemRow) {
    const rows = await tx.all(
      GROUP.query`select q.id as id from queue_item q where q.project_id = ${projectId} and q.dataset_id = ${datasetId}
        and q.status = ${QUEUE_STATUS.pending} and q.ci_width = ${ciWidth} and q.form = ${form}
        and not exists (select 1 from queue_item o where o.project_id = q.project_id and o.group_id = q.group_id
          and o.status <> ${QUEUE_STATUS.pending})`,
    );
    const id = { $in: rows.map((row) => row.id) };
    const lock = { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    return tx.em.find(QueueItem, { projectId, id, status: QUEUE_STATUS.pending }, lock);
  }

  /** The groups whose answers a reader may see: those that are complete, and those in which the reader has answered. */
  async findReadableGroups(scope: Scope, groupIds: readonly string[], reader: string): Promise<Set<string>> {
    if (groupIds.length === 0) return new Set();
    const rows = await this.storage.readLong(
      GROUP.query`select q.group_id as id from queue_item q
        where q.project_id = ${scope.projectId} and ${anyOf('q.group_id', groupIds)}
        group by q.group_id having min(q.status) = 2
          or max(case when q.status = 2 and q.claimed_by = ${reader} then 1 else 0 end) = 1`,
      scope,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Pending and claimed items of datapoints; the dataset is locked, so that no others come. */
  findOpen(
    tx: WriteTx,
    { projectId }: Scope,
    datasetId: string,
    datapointIds: readonly string[],
  ): Promise<QueueItemRow[]> {
    const status = { $ne: QUEUE_STATUS.completed };
    return tx.em.find(
      QueueItem,
      { projectId, datasetId, datapointId: { $in: [...datapointIds] }, status },
      { orderBy: { id: 'asc' } },
    );
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
    scope: Scope,
    datasetId: string,
    datapointIds: readonly string[],
  ): Promise<void> {
    await this.deleteWhere(tx, scope, sql`dataset_id = ${datasetId} and ${anyOf('datapoint_id', datapointIds)}`);
  }

  async deleteOfDataset(tx: WriteTx, scope: Scope, datasetId: string): Promise<void> {
    await this.deleteWhere(tx, scope, sql`dataset_id = ${datasetId}`);
  }

  /** Deletes the items of traces and their spans, of spans and of sessions. */
  async deleteOf(tx: WriteTx, scope: Scope, { traceIds, spanIds, sessionIds }: GoneIds): Promise<void> {
    const units = spanIds.map((spanId) => unitOfTarget({ traceId: null, spanId, sessionId: null }));
    if (traceIds.length > 0) await this.deleteWhere(tx, scope, anyOf('trace_id', traceIds));
    if (units.length > 0) await this.deleteOfDatapoints(tx, scope, OF_TARGETS, units);
    if (sessionIds.length > 0) await this.deleteWhere(tx, scope, anyOf('session_id', sessionIds));
  }

  /** Deletes the items of all traces, spans and sessions. */
  deleteAll(tx: WriteTx, scope: Scope): Promise<void> {
    return this.deleteOfDataset(tx, scope, OF_TARGETS);
  }

  private async deleteWhere(tx: WriteTx, { projectId }: Scope, where: Sql): Promise<void> {
    const items = sql`select id from queue_item where project_id = ${projectId} and ${where}`;
    await tx.run(sql`delete from queue_reviewer where project_id = ${projectId} and item_id in (${items})`);
    await deleteRows(tx, 'queue_item', sql`project_id = ${projectId} and ${where}`);
  }
}
