import { Injectable } from '@nestjs/common';
import { isStorableText, type ListQueue } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  containsText,
  IdOrder,
  integer,
  joinSql,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type Page,
  type RowOfShape,
  type SizedRows,
  type Sql,
} from '@spandrel/storage';
import { NO_ANSWERS } from './check-review.js';
import { isBlind } from './queue-item-json.js';
import { QUEUE_ITEM_SIZE, QUEUE_READ_BYTES, QueueItemStore } from './queue-item.store.js';
import { OF_TARGETS, type QueueItemRow, QUEUE_STATUS, queueItemTable, unitOfTarget } from './queue-item.entity.js';

const OLDEST_FIRST = new IdOrder('queue', 'q.id', 'asc');

const COLUMNS = queueItemTable.select('q');
const COUNT = shapeOf({ datasetId: text(), status: integer(), items: integer(), oldestAt: integer() });

/** How many items of one status a dataset has, and when (in ms) the oldest of them was made. */
export type StatusCount = RowOfShape<typeof COUNT>;

/** Items that hold a condition, to be read. */
const itemsOf = (where: Sql): SizedRows<QueueItemRow> => ({
  columns: COLUMNS,
  size: QUEUE_ITEM_SIZE,
  bytesMax: QUEUE_READ_BYTES,
  select: (columns, rest) => columns.query`select ${columns} from queue_item q where ${where} and ${rest}`,
});

/** Matches no item: the condition for a reviewer whose name no column can hold. */
const NOBODY = sql`1 = 0`;

/** Complete groups whose answers differ; those that were skipped say nothing. */
const DISAGREEING = rawSql(`q.group_id is not null and exists (select 1 from queue_item o
  where o.project_id = q.project_id and o.group_id = q.group_id and o.adjudicates = 0 group by o.group_id having min(o.status) = 2
    and count(distinct case when o.skipped = 0 then case when o.form = '[]' then coalesce(o.edited_data, '') else o.answers end end) > 1)`);

@Injectable()
export class QueueListStore {
  constructor(
    private readonly storage: Storage,
    private readonly items: QueueItemStore,
  ) {}

  /**
   * Items of all datasets behind an id, in the order of their ids, as many as fit into memory; none at the end. Answers of
   * blind reviews are left out as long as their group is not complete.
   */
  async after(scope: Scope, afterId: string, limit: number): Promise<QueueItemRow[]> {
    const items = itemsOf(sql`q.project_id = ${scope.projectId}`);
    const { rows } = await OLDEST_FIRST.fitting(this.storage, items, afterId, limit, scope);
    const hidden = await this.findHidden(scope, rows, '');
    return rows.map((row) => (hidden.has(row) ? { ...row, editedData: null, gold: null, ...NO_ANSWERS } : row));
  }

  /** Items whose answers somebody may not read: those of others in a blind review, before their own (docs/spec/queue.md#blind-reviews). */
  async findHidden(scope: Scope, items: readonly QueueItemRow[], viewer: string): Promise<Set<QueueItemRow>> {
    const blind = items.filter(isBlind);
    const groups = new Set(blind.map(({ groupId }) => groupId!));
    const readable = await this.items.findReadableGroups(scope, [...groups], viewer);
    return new Set(blind.filter(({ groupId }) => !readable.has(groupId!)));
  }

  /**
   * A page of the items of a dataset, or of all datasets; it ends early when the items are large.
   * @throws Invalid `invalid_cursor`.
   */
  list(scope: Scope, datasetId: string | undefined, query: ListQueue): Promise<Page<QueueItemRow>> {
    const { status, claimed_by: reviewer } = query;
    const conditions = [sql`q.project_id = ${scope.projectId}`];
    if (datasetId !== undefined) conditions.push(sql`q.dataset_id = ${datasetId}`);
    if (status !== undefined) conditions.push(sql`q.status = ${QUEUE_STATUS[status]}`);
    for (const [column, wanted] of [
      ['q.datapoint_id', query.datapoint_id],
      ['q.trace_id', query.trace_id],
      ['q.session_id', query.session_id],
      ['q.group_id', query.group_id],
    ] as const) {
      if (wanted !== undefined) conditions.push(isStorableText(wanted) ? anyOf(column, [wanted]) : NOBODY);
    }
    // By the index of units: there is none of spans.
    if (query.span_id !== undefined) {
      const unit = unitOfTarget({ traceId: null, spanId: query.span_id, sessionId: null });
      const isOfSpan = sql`q.dataset_id = ${OF_TARGETS} and q.datapoint_id = ${unit}`;
      conditions.push(isStorableText(unit) ? isOfSpan : NOBODY);
    }
    if (query.form !== undefined) conditions.push(containsText('q.form', JSON.stringify(query.form)));
    if (query.assignee !== undefined) {
      conditions.push(containsText('q.assignees', JSON.stringify(query.assignee)));
    }
    if (query.disagreement) conditions.push(DISAGREEING);
    if (query.targets) conditions.push(sql`q.dataset_id = ${OF_TARGETS}`);
    if (reviewer !== undefined) conditions.push(isStorableText(reviewer) ? sql`q.claimed_by = ${reviewer}` : NOBODY);
    return OLDEST_FIRST.sizedPage(query, this.storage, itemsOf(joinSql(conditions, ' and ')), scope);
  }

  /**
   * Counts the items of every dataset, each status by itself; nothing for what has none. An index has all that is
   * counted: of the items themselves one a status is read, the oldest.
   */
  count(scope: Scope): Promise<StatusCount[]> {
    return this.storage.readLong(
      COUNT.query`select c.dataset_id as "datasetId", c.status, c.items, q.created_at as "oldestAt"
        from (
          select dataset_id, status, count(*) as items, min(id) as oldest_id from queue_item
          where project_id = ${scope.projectId} group by dataset_id, status
        ) c join queue_item q on q.project_id = ${scope.projectId} and q.id = c.oldest_id
        order by c.dataset_id, c.status`,
      scope,
    );
  }
}
