import { Injectable } from '@nestjs/common';
import { isStorableText, type Search } from '@spandrel/contract';
import {
  anyOf,
  atStarts,
  joinSql,
  fromJsonText,
  sql,
  Storage,
  type LongReadOptions,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { STATUS } from '@spandrel/tracing';

/** What a span's document has of its trace. */
export interface TraceFacts {
  sessionId: string | null;
  tags: string[];
}

/** What search reads of spans and traces beyond the spans themselves; on Postgres, where alone there is an index. */
@Injectable()
export class IndexedSpanStore {
  constructor(private readonly storage: Storage) {}

  async factsOf(projectId: string, traceIds: readonly string[]): Promise<Map<string, TraceFacts>> {
    const rows = await this.storage.read<{ id: string; sessionId: string | null; tags: string }>(
      sql`select t.id as id, t.session_id as "sessionId", t.tags as tags from trace t
        where t.project_id = ${projectId} and ${anyOf('t.id', [...new Set(traceIds)])}`,
    );
    return new Map(rows.map(({ id, sessionId, tags }) => [id, { sessionId, tags: fromJsonText(tags) as string[] }]));
  }

  /** Which of the traces are there. */
  async existingTraces(projectId: string, traceIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.storage.read<{ id: string }>(
      sql`select t.id as id from trace t where t.project_id = ${projectId} and ${anyOf('t.id', traceIds)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Which of the spans are there. */
  async existing(tx: WriteTx, projectId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await tx.all<{ id: string }>(
      sql`select k.id as id from span_key k where k.project_id = ${projectId} and ${anyOf('k.id', ids)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Ids of spans behind one. */
  async behind(tx: WriteTx, projectId: string, afterId: string, limit: number): Promise<string[]> {
    const rows = await tx.all<{ id: string }>(
      sql`select k.id as id from span_key k where k.project_id = ${projectId} and k.id > ${afterId}
        order by k.id limit ${limit}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Which of the spans are there, have finished and match all filters now. */
  async matching(
    projectId: string,
    ids: readonly string[],
    filters: Search['filters'],
    options: LongReadOptions,
  ): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const conditions = conditionsOf(filters);
    // The starts first: a statement that names them is planned for their partitions alone.
    const keys = await this.storage.readLong<{ startedAt: number }>(
      sql`select k.started_at as "startedAt" from span_key k
        where k.project_id = ${projectId} and ${anyOf('k.id', ids)}`,
      options,
    );
    const starts = keys.map(({ startedAt }) => startedAt);
    const rows = await this.storage.readLong<{ id: string }>(
      sql`select s.id as id from span s join trace t on t.project_id = s.project_id and t.id = s.trace_id
        where s.project_id = ${projectId} and ${anyOf('s.id', ids)}${atStarts('s.started_at', starts)}
          and ${joinSql(conditions, ' and ')}`,
      options,
    );
    return new Set(rows.map(({ id }) => id));
  }
}

/** Whether anything can match: no column holds just any text. */
export const canMatch = (filters: Search['filters']): boolean =>
  Object.values(filters).every((value) => typeof value !== 'string' || isStorableText(value));

/** @param filters that {@link canMatch}. */
function conditionsOf(filters: Search['filters']): Sql[] {
  const conditions: Sql[] = [sql`s.status <> ${STATUS.running}`];
  const add = <T>(value: T | undefined, condition: (value: T) => Sql): void => {
    if (value !== undefined) conditions.push(condition(value));
  };
  add(filters.trace_id, (id) => sql`s.trace_id = ${id}`);
  add(filters.session_id, (id) => sql`t.session_id = ${id}`);
  add(filters.kind, (type) => sql`s.kind_type = ${type}`);
  add(filters.model, (model) => sql`s.model = ${model}`);
  add(filters.provider, (provider) => sql`s.provider = ${provider}`);
  add(filters.status, (status) => sql`s.status = ${STATUS[status]}`);
  add(filters.since, (since) => sql`s.started_at >= ${since}`);
  add(filters.until, (until) => sql`s.started_at < ${until}`);
  add(
    filters.tag,
    (tag) => sql`exists (select 1 from trace_tag g where g.project_id = t.project_id and g.tag = ${tag}
      and g.started_at = t.started_at and g.trace_id = t.id)`,
  );
  return conditions;
}
