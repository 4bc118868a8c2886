import { Injectable } from '@nestjs/common';
import { isStorableText, type ListQueue } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  behind,
  fillPage,
  joinSql,
  orderBy,
  sql,
  startOf,
  Storage,
  takeFitting,
  type Fetched,
  type LongReadOptions,
  type Page,
  type Position,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { QUEUE_ITEM_SIZE, QUEUE_READ_BYTES } from './queue-item-size.store.js';
import type { QueueItemRow } from './queue-item.entity.js';
import { QUEUE_STATUS } from './queue-status.js';
import { queueItemTable } from './tables.js';

const OLDEST_FIRST: Sorting = {
  list: 'queue',
  column: 'q.id',
  idColumn: 'q.id',
  type: 'text',
  nullable: false,
  order: 'asc',
};

const COLUMNS = queueItemTable.select('q');

const positionOf = ({ id }: { id: string }): Position => ({ value: id, id });

/** The lists of queue items. */
@Injectable()
export class QueueListStore {
  constructor(private readonly storage: Storage) {}

  /**
   * A page of the items of a dataset, or of all datasets; it ends early when the items are large.
   * @throws Invalid `invalid_cursor`.
   */
  list(
    scope: Scope,
    datasetId: string | undefined,
    query: ListQueue,
    options: LongReadOptions = {},
  ): Promise<Page<QueueItemRow>> {
    const from = startOf(OLDEST_FIRST, query.cursor);
    const { status, claimed_by: reviewer } = query;
    if (reviewer !== undefined && !isStorableText(reviewer)) return Promise.resolve({ items: [], nextCursor: null });
    const conditions = [sql`q.project_id = ${scope.projectId}`];
    if (datasetId !== undefined) conditions.push(sql`q.dataset_id = ${datasetId}`);
    if (status !== undefined) conditions.push(sql`q.status = ${QUEUE_STATUS[status]}`);
    if (reviewer !== undefined) conditions.push(sql`q.claimed_by = ${reviewer}`);
    const where = joinSql(conditions, ' and ');
    return fillPage(
      OLDEST_FIRST,
      from,
      query.limit,
      (_part, start, count) => this.some(where, start, count, options),
      positionOf,
    );
  }

  /**
   * Items behind a position, as many as fit into memory. They are looked up twice, sizes first, and may stop matching
   * in between (a claim, a release); the rows that are left then do not say that the list ends with them.
   */
  private async some(
    where: Sql,
    from: Position | undefined,
    count: number,
    options: LongReadOptions,
  ): Promise<Fetched<QueueItemRow>> {
    for (let start = from; ;) {
      const matching = sql`${where} and ${behind(OLDEST_FIRST, 'valued', start)}`;
      const sized = await this.storage.readLong<{ id: string; bytes: number }>(
        sql`select q.id as id, ${QUEUE_ITEM_SIZE} as bytes from queue_item q
          where ${matching} order by ${orderBy(OLDEST_FIRST, 'valued')} limit ${count}`,
        options,
      );
      const taken = takeFitting(sized, QUEUE_READ_BYTES);
      const last = taken.at(-1);
      if (!last) return { rows: [] };
      const rows = await this.storage.readLong<QueueItemRow>(
        sql`select ${COLUMNS} from queue_item q where ${matching} and q.id <= ${last.id} order by ${orderBy(OLDEST_FIRST, 'valued')} limit ${count}`,
        options,
      );
      const cut = taken.length < sized.length || sized.length === count;
      if (rows.length > 0 || !cut) return { rows, cut };
      start = positionOf(last);
    }
  }
}
