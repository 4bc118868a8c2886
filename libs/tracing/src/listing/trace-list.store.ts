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
import { statusIs } from './span-filter.sql.js';
import { STATUS } from '../status.js';
import { TRACE_COLUMNS } from '../tables.js';
import { drivenTraces } from './trace-filter.sql.js';
import { traceListItem } from '../trace-resource.js';

/** `GET /api/traces`: newest first (docs/spec/traces.md#listing-traces). */
@Injectable()
export class TraceListStore {
  constructor(private readonly storage: Storage) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListTraces, options: LongReadOptions = {}): Promise<Page<TraceListItem>> {
    const ofTraces = drivenTraces(scope, query);
    const sorting: Sorting = {
      list: 'traces:started_at:desc',
      column: ofTraces?.startedAt ?? 't.started_at',
      idColumn: ofTraces?.id ?? 't.id',
      type: 'integer',
      nullable: false,
      order: 'desc',
    };
    const from = startOf(sorting, query.cursor);
    const conditions = conditionsOf(scope, query);
    if (ofTraces === null || conditions === null) return { items: [], nextCursor: null };
    if (ofTraces) conditions.push(ofTraces.where);
    const page = await fillPage(
      sorting,
      from,
      query.limit,
      async (part, start, count) => ({
        rows: await this.storage.readLong(
          TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from ${ofTraces?.from ?? sql`trace t`}
            where ${joinSql(conditions, ' and ')} and ${behind(sorting, part, start)}
            order by ${orderBy(sorting, part)} limit ${count}`,
          options,
        ),
      }),
      (trace) => ({ value: trace.startedAt, id: trace.id }),
    );
    return { items: page.items.map(traceListItem), nextCursor: page.nextCursor };
  }
}

function conditionsOf(scope: Scope, query: ListTraces): Sql[] | null {
  const texts = [query.user_id, query.name_contains];
  if (texts.some((text) => text !== undefined && !isStorableText(text))) return null;
  const conditions = [sql`t.project_id = ${scope.projectId}`];
  if (query.user_id !== undefined) conditions.push(sql`t.user_id = ${query.user_id}`);
  if (query.name_contains !== undefined) conditions.push(containsText('t.name', query.name_contains));
  if (query.since !== undefined) conditions.push(sql`t.started_at >= ${query.since}`);
  if (query.until !== undefined) conditions.push(sql`t.started_at < ${query.until}`);
  if (query.status !== undefined) conditions.push(statusIs('t', STATUS[query.status]));
  return conditions;
}
