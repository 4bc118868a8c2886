import { isStorableText, type TraceFilters } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  containsText,
  joinSql,
  onSqlite,
  onPostgres,
  rawSql,
  shapeOf,
  sql,
  text,
  unindexed,
  type LongReadOptions,
  type Sql,
  type Storage,
} from '@spandrel/storage';
import { STATUS } from '../status.js';
import { statusIs } from './span-filter.sql.js';
import { drivenTraces, type DrivenTraces } from './trace-filter.sql.js';
import { valueConditions } from './trace-values.sql.js';

const ID = shapeOf({ id: text() });

/** Spans of a provider that are looked up beforehand; with more of them its traces are met soon in list order. */
const SPANS_LOOKED_UP_MAX = 2_000;

/** All traces, by the index on their start. */
export const ALL_TRACES: DrivenTraces = {
  from: sql`trace t`,
  where: sql`1 = 1`,
  startedAt: 't.started_at',
  id: 't.id',
};

/** The tables and conditions of some filters on traces; `undefined` when nothing can match. */
export async function findTraces(
  storage: Pick<Storage, 'readLong'>,
  scope: Scope,
  filters: TraceFilters,
  options: LongReadOptions,
): Promise<DrivenTraces | undefined> {
  const texts = [filters.name_contains, filters.model, filters.provider];
  if (texts.some((one) => one !== undefined && !isStorableText(one))) return undefined;
  const driven = drivenTraces(scope, filters);
  if (driven === null) return undefined;
  const conditions = [...conditionsOf(scope, filters), ...valueConditions(filters)];
  if (filters.provider !== undefined) {
    conditions.push(await withProvider(storage, scope, filters.provider, options));
  }
  const { where, ...tables } = driven ?? ALL_TRACES;
  return { ...tables, where: joinSql([...conditions, where], ' and ') };
}

function conditionsOf(scope: Scope, filters: TraceFilters): Sql[] {
  const conditions = [sql`t.project_id = ${scope.projectId}`];
  if (filters.ids !== undefined) conditions.push(anyOf('t.id', filters.ids.filter(isStorableText)));
  if (filters.name_contains !== undefined) conditions.push(containsText('t.name', filters.name_contains));
  if (filters.since !== undefined) conditions.push(sql`t.started_at >= ${filters.since}`);
  if (filters.until !== undefined) conditions.push(sql`t.started_at < ${filters.until}`);
  if (filters.status !== undefined) conditions.push(statusIs('t', STATUS[filters.status]));
  if (filters.model !== undefined) conditions.push(namesModel(filters.model));
  return conditions;
}

/** The roll-up of a trace lists `["model",count]`; quotes within a name are escaped, so that this is found nowhere else. */
function namesModel(model: string): Sql {
  const listed = `[${JSON.stringify(model)},`;
  return sql`${onSqlite(rawSql('instr'))}${onPostgres(rawSql('strpos'))}(t.models, ${listed}) > 0`;
}

/** No roll-up knows the providers of a trace: those of few spans are looked up, those of many are tested one by one. */
async function withProvider(
  storage: Pick<Storage, 'readLong'>,
  { projectId }: Scope,
  provider: string,
  options: LongReadOptions,
): Promise<Sql> {
  const rows = await storage.readLong(
    ID.query`select s.trace_id as id from span s where s.project_id = ${projectId} and s.provider = ${provider}
      limit ${SPANS_LOOKED_UP_MAX + 1}`,
    options,
  );
  if (rows.length <= SPANS_LOOKED_UP_MAX) return anyOf('t.id', [...new Set(rows.map(({ id }) => id))]);
  return sql`exists (select 1 from span s where s.project_id = t.project_id and s.trace_id = t.id
    and ${unindexed('s.provider')} = ${provider} limit 1 offset 0)`;
}
