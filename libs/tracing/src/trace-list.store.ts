import { Injectable } from '@nestjs/common';
import { isStorableText, type ListTraces, type TraceListItem } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  behind,
  containsText,
  fillPage,
  joinSql,
  orderBy,
  sql,
  startOf,
  Storage,
  type LongReadOptions,
  type Page,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { statusIs } from './span-filter.store.js';
import { STATUS } from './status.js';
import { TRACE_COLUMNS } from './tables.js';
import type { TraceRow } from './trace.entity.js';
import { drivingTable, traceConditions } from './trace-filter.store.js';
import { traceListItem } from './trace-resource.js';

/** `GET /api/traces`: newest first (contract.md "Traces"). */
@Injectable()
export class TraceListStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListTraces, options: LongReadOptions = {}): Promise<Page<TraceListItem>> {
    const tagged = query.tag !== undefined && query.tag.length > 0;
    const sorting: Sorting = {
      list: 'traces:started_at:desc',
      column: tagged ? 'g.started_at' : 't.started_at',
      idColumn: tagged ? 'g.trace_id' : 't.id',
      type: 'integer',
      nullable: false,
      order: 'desc',
    };
    const from = startOf(sorting, query.cursor);
    const conditions = conditionsOf(scope, query);
    if (conditions === null) return { items: [], nextCursor: null };
    const page = await fillPage(
      sorting,
      from,
      query.limit,
      (part, start, count) =>
        this.storage.readLong<TraceRow>(
          sql`select ${TRACE_COLUMNS} from ${drivingTable(scope, query)}
            where ${joinSql(conditions, ' and ')} and ${behind(sorting, part, start)}
            order by ${orderBy(sorting, part)} limit ${count}`,
          options,
        ),
      (trace) => ({ value: trace.startedAt, id: trace.id }),
    );
    return { items: page.items.map(traceListItem), nextCursor: page.nextCursor };
  }
}

function conditionsOf(scope: Scope, query: ListTraces): Sql[] | null {
  const texts = [query.user_id, query.name_contains];
  const ofTraces = traceConditions(query);
  if (ofTraces === null || texts.some((text) => text !== undefined && !isStorableText(text))) return null;
  const conditions = [sql`t.project_id = ${scope.projectId}`, ...ofTraces];
  if (query.user_id !== undefined) conditions.push(sql`t.user_id = ${query.user_id}`);
  if (query.name_contains !== undefined) conditions.push(containsText('t.name', query.name_contains));
  if (query.since !== undefined) conditions.push(sql`t.started_at >= ${query.since}`);
  if (query.until !== undefined) conditions.push(sql`t.started_at < ${query.until}`);
  if (query.status !== undefined) conditions.push(statusIs('t', STATUS[query.status]));
  return conditions;
}
