import type { SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { dayStart, onPostgres, rawSql, sql, type Sql } from '@spandrel/storage';
import { bucketColumn, bucketOf, bucketStart } from '../../span.entity.js';
import type { SpanQuery } from '../span-query.js';
import { VALUES, type ValueName } from '../span-filter.sql.js';

/**
 * The buckets with spans that have a value, one step in its index each: a CTE `buckets(bucket)`, made as far as it is read.
 * @param from where to begin: a bucket.
 * @param wanted for SQLite, which reads a page of the index to find where a step leads: a select that finds something in a bucket if
 *   it is wanted at all. It is asked of the next bucket before the step, which is needed where it finds nothing alone.
 */
export function bucketsWith(
  scope: Scope,
  query: SpanQuery,
  name: ValueName,
  order: SortOrder,
  from: number | undefined,
  wanted?: (bucket: Sql) => Sql,
): Sql {
  const { since, until, within, days } = query;
  const lowest = [since, within?.from].flatMap((start) => (start === undefined ? [] : bucketOf(start)));
  const highest = [until, within?.until].flatMap((start) => (start === undefined ? [] : bucketOf(start)));
  if (from !== undefined) (order === 'desc' ? highest : lowest).push(from);
  const bounds = { low: Math.max(-Infinity, ...lowest), high: Math.min(Infinity, ...highest) };
  const value = rawSql(`v.${VALUES[name].column}`);
  if (!days) return sql`with recursive ${stepping(scope, value, order, bounds, 'span', 'buckets', wanted)}`;
  // A step costs a look into every partition: of days that have one, all buckets are taken.
  const known = [...new Set(days.flatMap(bucketsOfDay))].filter(
    (bucket) => bucket >= bounds.low && bucket <= bounds.high,
  );
  return sql`with recursive ${stepping(scope, value, order, bounds, 'span_default', 'others')}, buckets(bucket) as (
    select every.bucket from (
      select unnest(${`{${known.join(',')}}`}::bigint[]) as bucket union select others.bucket from others where others.bucket is not null
    ) every order by every.bucket ${rawSql(order)}
  )`;
}

/** The buckets with spans that have a value, one step in the index of a table each: a CTE. */
function stepping(
  scope: Scope,
  value: Sql,
  order: SortOrder,
  bounds: { low: number; high: number },
  table: string,
  buckets: string,
  wanted?: (bucket: Sql) => Sql,
): Sql {
  const bucket = rawSql(bucketColumn('v'));
  const [next, beyond] = order === 'desc' ? [rawSql('max'), rawSql('<')] : [rawSql('min'), rawSql('>')];
  const low = bounds.low === -Infinity ? rawSql('') : sql` and ${bucket} >= ${bounds.low}`;
  const high = bounds.high === Infinity ? rawSql('') : sql` and ${bucket} <= ${bounds.high}`;
  const found = sql`select ${next}(${bucket}) from ${rawSql(table)} v
    where v.project_id = ${scope.projectId} and ${value} is not null`;
  const last = rawSql(`${buckets}.bucket`);
  const step = sql`(${found} and ${bucket} ${beyond} ${last}${order === 'desc' ? low : high})`;
  return sql`${rawSql(buckets)}(bucket) as (
    ${found}${low}${high}
    union all
    select ${wanted ? nextOrStep(last, order, bounds, wanted, step) : step}
    from ${rawSql(buckets)} where ${last} is not null
  )`;
}

/** The bucket beside the last one where something in it is wanted, else where a step leads. */
function nextOrStep(
  last: Sql,
  order: SortOrder,
  { low, high }: { low: number; high: number },
  wanted: (bucket: Sql) => Sql,
  step: Sql,
): Sql {
  const next = sql`${last} ${rawSql(order === 'desc' ? '- 1' : '+ 1')}`;
  const end = order === 'desc' ? low : high;
  const isWithin = Number.isFinite(end)
    ? sql`${next} ${rawSql(order === 'desc' ? '>=' : '<=')} ${end} and `
    : rawSql('');
  return sql`case when ${isWithin}(${wanted(next)}) is not null then ${next} else ${step} end`;
}

/** A bucket may lie in two days. */
function bucketsOfDay(day: number): number[] {
  const [first, last] = [bucketOf(dayStart(day)), bucketOf(dayStart(day + 1) - 1)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Which bucket a span is in; on Postgres also in which partitions that is. */
export const bucketIs = (bucket: Sql): Sql =>
  sql`${rawSql(bucketColumn('s'))} = ${bucket}${onPostgres(
    sql` and s.started_at >= ${bucket} * ${BUCKET} and s.started_at < (${bucket} + 1) * ${BUCKET}`,
  )}`;

const BUCKET = rawSql(String(bucketStart(1)));
