import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  atStarts,
  betweenStarts,
  compareTexts,
  forUpdate,
  integer,
  joinSql,
  nullable,
  onPostgres,
  onSqlite,
  rawSql,
  rowsFrom,
  shapeOf,
  sql,
  text,
  type Query,
  type Reader,
  type Sql,
  plannedOnce,
  limitIdsBySize,
  type Storage,
} from '@spandrel/storage';
import type { StoredSpan } from './span.entity.js';
import { SPAN_COLUMNS } from './tables.js';

const START = shapeOf({ startedAt: integer() });
const ENDS = shapeOf({ first: nullable(integer()), last: nullable(integer()) });

/** The table that has all ids of spans: on Postgres the one without partitions. */
export const SPAN_KEYS: Sql = sql`${onSqlite(rawSql('span k'))}${onPostgres(rawSql('span_key k'))}`;

/** A condition on `started_at`, of a table with this alias, that spans asked for meet: what leads to their partitions. */
export type PartitionFilter = (alias: string) => Sql;

export interface PartitionHint {
  within: PartitionFilter;
  /** Whether there are any of them, as far as is known. */
  any: boolean;
}

const ANYWHERE: PartitionFilter = () => rawSql('');

/**
 * Where spans lie, by their ids: on Postgres from the table of their keys, SQLite needs not know.
 * @param lock holds them against other writers until the transaction ends, in the order of their ids.
 */
export async function partitionsOfSpans(
  reader: Reader,
  { projectId }: Scope,
  ids: readonly string[],
  lock = false,
): Promise<PartitionHint> {
  if (reader.dialect === 'sqlite' || ids.length === 0) return { within: ANYWHERE, any: ids.length > 0 };
  const keys = keysOf(projectId, ids, lock ? forUpdate('i') : rawSql(''));
  const rows = await reader.all(START.query`select k.started_at as "startedAt" from ${keys}`);
  const starts = rows.map(({ startedAt }) => startedAt);
  return { within: (alias) => atStarts(`${alias}.started_at`, starts), any: starts.length > 0 };
}

/**
 * Keys of spans as `k`, on Postgres: what stands behind `from`, in the order of their ids. Each is looked up by itself: of a
 * table that was never analyzed, Postgres would read all keys of the project.
 * @param lock {@link forUpdate} of `i`, or nothing.
 */
export function keysOf(projectId: string, ids: readonly string[], lock: Sql = rawSql('')): Sql {
  const asked = rowsFrom('asked', { id: { type: 'text', values: [...new Set(ids)].toSorted(compareTexts) } });
  return sql`${asked} cross join lateral (select i.id, i.trace_id, i.started_at from span_key i
    where i.project_id = ${projectId} and i.id = asked.id limit 1${lock}) k`;
}

const PLACED = {
  s: sql`select * from span i where i.id = k.id and i.started_at = k.started_at`,
  p: sql`select * from span_payload i where i.span_id = k.id and i.started_at = k.started_at`,
};
const ON_SQLITE = {
  s: { from: rawSql('span s'), id: 's.id' },
  p: { from: rawSql('span_payload p'), id: 'p.span_id' },
  both: { from: rawSql('span s join span_payload p on p.project_id = s.project_id and p.span_id = s.id'), id: 's.id' },
};

/** The place of a span among those that {@link joinByIds} is asked for, on Postgres. */
const ASKED_AT: Sql = rawSql('asked.at');

/**
 * Some spans, as `span s`, their payloads, as `span_payload p`, or both, by their ids alone: on Postgres the statement looks
 * each up by its key, which is the start of its partition. To be planned once, as no value leads to another plan, or for the
 * partitions that are known: planned for all of them, it took 30 ms.
 */
export function joinByIds(
  { projectId }: Scope,
  ids: readonly string[],
  what: 's' | 'p' | 'both',
  within: PartitionFilter = ANYWHERE,
): Sql {
  const distinct = [...new Set(ids)];
  const { from, id } = ON_SQLITE[what];
  const bySqlite = sql`${from} where ${rawSql(what === 'p' ? 'p' : 's')}.project_id = ${projectId} and ${anyOf(id, distinct)}`;
  const asked = rowsFrom('asked', {
    id: { type: 'text', values: distinct },
    at: { type: 'number', values: distinct.map((_, at) => at) },
  });
  const key = sql`cross join lateral (select i.id, i.started_at from span_key i
    where i.project_id = ${projectId} and i.id = asked.id limit 1) k`;
  const found = (what === 'both' ? (['s', 'p'] as const) : [what]).map(
    (alias) =>
      sql`cross join lateral (${PLACED[alias]} and i.project_id = ${projectId}${within('i')} limit 1) ${rawSql(alias)}`,
  );
  return sql`${onSqlite(bySqlite)}${onPostgres(sql`${asked} ${key} ${joinSql(found, ' ')}`)}`;
}

/** The partitions in which the spans of some traces lie. */
export async function partitionsOfTraces(
  reader: Reader,
  scope: Scope,
  traceIds: readonly string[],
): Promise<PartitionFilter> {
  if (reader.dialect === 'sqlite') return ANYWHERE;
  const { from, until } = await startsOfTraces(reader, scope, traceIds);
  return (alias) => betweenStarts(`${alias}.started_at`, from, until);
}

/** Earliest and latest start of spans; `until` is behind the latest. */
interface Starts {
  from: number;
  until: number;
}

/** Earliest and latest start of the spans of some traces, on Postgres; an empty range when there are none. */
export function startsOfTraces(reader: Reader, scope: Scope, traceIds: readonly string[]): Promise<Starts> {
  // By a value alone both ends are found in the index without a look at what is between.
  const ofTraces = traceIds.length === 1 ? sql`k.trace_id = ${traceIds[0]!}` : anyOf('k.trace_id', traceIds);
  return endsOf(reader, scope, ofTraces);
}

/** Earliest and latest start of some spans, on Postgres; an empty range when there are none. */
export const startsOfSpans = (reader: Reader, scope: Scope, ids: readonly string[]): Promise<Starts> =>
  endsOf(reader, scope, anyOf('k.id', ids));

async function endsOf(reader: Reader, { projectId }: Scope, which: Sql): Promise<Starts> {
  const [ends] = await reader.all(
    ENDS.query`select min(k.started_at) as first, max(k.started_at) as last from span_key k
      where k.project_id = ${projectId} and ${which}`,
  );
  return { from: ends?.first ?? 0, until: (ends?.last ?? -1) + 1 };
}

/** Payload that one read brings into memory, about; twice that where texts are not ASCII. */
const PAYLOAD_BYTES = 32 * 1024 * 1024;

/** Bytes of a payload row, found without reading the texts themselves, wherever they are. */
export const PAYLOAD_SIZE = joinSql(
  [
    ...['kind', 'input', 'output', 'metadata', 'error'].map((column) => `octet_length(${column})`),
    ...['input_bytes', 'output_bytes'],
  ].map((bytes) => rawSql(`coalesce(${bytes}, 0)`)),
  ' + ',
);

const SIZED = shapeOf({ id: text(), bytes: integer() });

/** Bytes of the payloads of some spans; what is not there has none. */
export const payloadSizes = (
  storage: Pick<Storage, 'readLong'>,
  scope: Scope,
  ids: readonly string[],
): Promise<{ id: string; bytes: number }[]> =>
  storage.readLong(
    SIZED.query`select p.span_id as id, ${PAYLOAD_SIZE} as bytes from ${joinByIds(scope, ids, 'p')}`,
    scope,
  );

/**
 * Whole spans, in any order: as many from the first id on as fit into memory together, at least one. One statement on Postgres;
 * SQLite would read the texts of all of them to add up their sizes beside them.
 * @param bytesMax of their payloads.
 */
export async function fittingSpans(
  storage: Pick<Storage, 'dialect' | 'readLong'>,
  scope: Scope,
  ids: readonly string[],
  bytesMax = PAYLOAD_BYTES,
): Promise<StoredSpan[]> {
  if (storage.dialect === 'postgres') return storage.readLong(fittingOnPostgres(scope, ids, bytesMax), scope);
  const sizes = await payloadSizes(storage, scope, ids);
  const fitting = limitIdsBySize(ids, sizes, bytesMax);
  return storage.readLong(SPAN_COLUMNS.query`select ${SPAN_COLUMNS} from ${joinByIds(scope, fitting, 'both')}`, scope);
}

/** Postgres knows the size of a text that it has not read. */
const fittingOnPostgres = (scope: Scope, ids: readonly string[], bytesMax: number): Query<StoredSpan> =>
  plannedOnce(
    SPAN_COLUMNS.query`select ${OF_FITTING} from (
        select ${SPAN_COLUMNS}, ${PAYLOAD_SIZE} as bytes,
          sum(${PAYLOAD_SIZE}) over (order by ${ASKED_AT} rows unbounded preceding) as so_far
        from ${joinByIds(scope, ids, 'both')}
      ) f where f.so_far <= ${bytesMax} or f.so_far = f.bytes`,
  );

const OF_FITTING = rawSql(
  Object.keys(SPAN_COLUMNS.columns)
    .map((property) => `f."${property}"`)
    .join(', '),
);
