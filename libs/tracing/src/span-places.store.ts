import type { Scope } from '@spandrel/kernel';
import { anyOf, atStarts, betweenStarts, forUpdate, rawSql, sql, type Dialect, type Sql } from '@spandrel/storage';

/** Runs a query on the database, or in a transaction. */
export type Read = <Row>(query: Sql) => Promise<Row[]>;

/** A condition on `started_at`, of a table with this alias, that spans asked for meet: what leads to their partitions. */
export type Within = (alias: string) => Sql;

const ANYWHERE: Within = () => rawSql('');

/**
 * Where spans lie, by their ids: on Postgres from the table of their keys, SQLite needs not know.
 * @param lock holds them against other writers until the transaction ends, in the order of their ids.
 */
export async function placesOfSpans(
  dialect: Dialect,
  read: Read,
  { projectId }: Scope,
  ids: readonly string[],
  lock = false,
): Promise<Within> {
  if (dialect === 'sqlite' || ids.length === 0) return ANYWHERE;
  const order = lock ? sql` order by k.id${forUpdate('k')}` : rawSql('');
  const rows = await read<{ startedAt: number }>(
    sql`select k.started_at as "startedAt" from span_key k
      where k.project_id = ${projectId} and ${anyOf('k.id', ids)}${order}`,
  );
  const starts = rows.map(({ startedAt }) => startedAt);
  return (alias) => atStarts(`${alias}.started_at`, starts);
}

/** Between which starts the spans of a trace lie. */
export async function placesOfTrace(
  dialect: Dialect,
  read: Read,
  { projectId }: Scope,
  traceId: string,
): Promise<Within> {
  if (dialect === 'sqlite') return ANYWHERE;
  const [ends] = await read<{ first: number | null; last: number | null }>(
    sql`select min(k.started_at) as first, max(k.started_at) as last from span_key k
      where k.project_id = ${projectId} and k.trace_id = ${traceId}`,
  );
  const { first, last } = ends!;
  if (first === null || last === null) return () => rawSql(' and 1 = 0');
  return (alias) => betweenStarts(`${alias}.started_at`, first, last + 1);
}
