import {
  behind,
  compareTexts,
  integer,
  joinSql,
  orderBy,
  plannedOnce,
  positionShape,
  rawSql,
  shapeOf,
  sql,
  upTo,
  type Part,
  type Position,
  type Query,
  type RowOfShape,
  type Sql,
  anyOf,
  atStarts,
  betweenStarts,
  text,
  dayStart,
  onPostgres,
  onSqlite,
} from '@spandrel/storage';
import type { Scope } from '@spandrel/kernel';
import type { SortOrder } from '@spandrel/contract';
import {
  type Candidates,
  type ListRequest,
  type Lists,
  selectInListOrder,
  type ListStrategy,
} from './list-request.sql.js';
import {
  isValue,
  statusIs,
  VALUES,
  type ValueName,
  filteredValues,
  inRange,
  type SpanQuery,
} from './span-filter.sql.js';
import { STATUS, bucketOf, bucketStart, bucketColumn } from '../span.entity.js';

/** Buckets read at once: few at first, since the first ones as a rule hold the most of a page. */
const BUCKETS_MIN = 4;
const BUCKETS_MAX = 64;

/** A bucket and the first of its spans that are left of the list. */
type Head = Position & RowOfShape<typeof BUCKET>;
const BUCKET = shapeOf({ bucket: integer() });

/**
 * Spans sorted by a number, from an index that is sorted by it within a time bucket only: looks at the first span of
 * every bucket, and reads the buckets in the order of these, until the first of the next bucket comes behind the whole page.
 */
export const valueOrder: ListStrategy = {
  name: 'value-order',
  find(list) {
    const { sort_by: name } = list.query;
    return isValue(name) ? { candidates: sortedBy(list, name, list.where()) } : undefined;
  },
};

function sortedBy(list: ListRequest, name: ValueName, where: Sql): Candidates {
  const { sorting, storage, scope } = list;
  const { order } = sorting;
  const isBefore = (a: Position, b: Position): boolean => {
    const [left, right] = order === 'asc' ? [a, b] : [b, a];
    return left.value === right.value ? compareTexts(left.id, right.id) < 0 : left.value! < right.value!;
  };
  const comparePositions = (a: Position, b: Position): number => (isBefore(a, b) ? -1 : 1);
  const valueless = valuelessOf(list, name, where);

  /** @param bound a span of the list that the page does not go beyond. */
  const pageOf = async (
    heads: readonly Head[],
    bound: Position | undefined,
    ...[part, from, count]: Parameters<Candidates>
  ): Promise<Position[]> => {
    let page: Position[] = [];
    for (let at = 0, size = BUCKETS_MIN; at < heads.length; at += size, size = Math.min(size * 2, BUCKETS_MAX)) {
      const last = page.length === count ? page.at(-1) : bound;
      if (last) size = BUCKETS_MAX;
      const wanted = heads.slice(at, at + size).filter((head) => !last || !isBefore(last, head));
      if (wanted.length === 0) break;
      const bounded = last ? sql`${where} and ${upTo(sorting, part, last)}` : where;
      const rows = await list.first(bounded, bucketsOf(wanted), part, from, count);
      page = [...page, ...rows].toSorted(comparePositions).slice(0, count);
    }
    return page;
  };

  return async (part, from, count) => {
    if (part === 'valueless') return valueless(part, from, count);
    const heads = (await storage.readLong(headsOf(list, name, where, part, from), scope)).toSorted(comparePositions);
    // The heads are spans of the list themselves, so that no page goes beyond as many of them as it has spans.
    const bound = heads[count - 1];
    const page = await pageOf(heads, bound, part, from, count);
    // Heads that were deleted meanwhile are no bound.
    return bound && page.length < count ? pageOf(heads, undefined, part, from, count) : page;
  };
}

const bucketsOf = (heads: readonly Head[]): Lists => ({
  type: 'number',
  values: heads.map(({ bucket }) => bucket),
  belongs: bucketIs,
});

/** Spans without the number, by id: those without a duration run still, and are few; of the others there are many. */
const valuelessOf = (list: ListRequest, name: ValueName, where: Sql): Candidates =>
  name === 'duration'
    ? list.candidates(sql`${where} and ${statusIs('s', STATUS.running)}`, true)
    : list.candidates(where);

function headsOf(list: ListRequest, name: ValueName, where: Sql, part: Part, from?: Position): Query<Head> {
  const { scope, query, sorting, storage, indexedFilters, isPlain } = list;
  const select = (columns: Sql): Sql => sql`select ${columns} from span s
    where ${joinSql([where, bucketIs(rawSql('buckets.bucket')), behind(sorting, part, from)], ' and ')}
    order by ${orderBy(sorting, part)} limit 1`;
  const value = rawSql(VALUES[name]);
  const head =
    storage.dialect === 'sqlite'
      ? sql` select buckets.bucket as bucket, h.${value} as value, h.id as id
          from buckets join span h on h.rowid = (${select(rawSql('s.rowid'))})`
      : sql` select buckets.bucket as bucket, h.value as value, h.id as id
          from buckets cross join lateral (${select(sql`s.${value} as value, s.id as id`)}) h`;
  const heads = positionShape(sorting).and(BUCKET).query`${bucketsWith(scope, query, name, 'desc', undefined)}${head}`;
  return isPlain && indexedFilters === 0 ? plannedOnce(heads) : heads;
}

const MATCH = shapeOf({ bucket: integer(), id: text(), startedAt: integer() });
type Match = RowOfShape<typeof MATCH>;

/**
 * Spans that a filter on a number takes, in start order, from an index that is sorted by the number within a time bucket:
 * bucket after bucket in list order. Few matches are looked up one by one; a bucket with many is walked in start order.
 */
export const valueRange: ListStrategy = {
  name: 'value-range',
  find(list) {
    const [name] = filteredValues(list.query);
    return list.byStart && name ? { candidates: inStartOrder(list, name) } : undefined;
  },
};

function inStartOrder(list: ListRequest, name: ValueName): Candidates {
  const { scope, query, sorting, storage, limits } = list;
  const { order } = sorting;
  const few = async (matches: readonly Match[], from: Position | undefined, count: number): Promise<Position[]> => {
    if (matches.length === 0) return [];
    const places = atStarts(
      's.started_at',
      matches.map(({ startedAt }) => startedAt),
    );
    const where = list.where(
      [],
      sql`${anyOf(
        's.id',
        matches.map(({ id }) => id),
      )}${places}`,
    );
    return storage.readLong(selectInListOrder({ ...sorting, unindexed: true }, where, 'valued', from, count), scope);
  };
  const many = (bucket: number, from: Position | undefined, count: number): Promise<Position[]> => {
    const within = sql`s.started_at >= ${bucketStart(bucket)} and s.started_at < ${bucketStart(bucket + 1)}`;
    return list.candidates(list.where([], within))('valued', from, count);
  };

  return async (_part, from, count) => {
    const found: Position[] = [];
    let bucket = from === undefined ? undefined : bucketOf(Number(from.value));
    for (;;) {
      const matches = await storage.readLong(matchesOf(scope, query, name, order, bucket, limits.inBuckets + 1), scope);
      const last = matches.length > limits.inBuckets ? matches.at(-1)!.bucket : undefined;
      const whole = matches.filter((match) => match.bucket !== last);
      found.push(...(await few(whole, from, count - found.length)));
      if (found.length === count || last === undefined) return found;
      bucket = last;
      if (whole.length > 0) continue;
      found.push(...(await many(last, from, count - found.length)));
      if (found.length === count) return found;
      bucket = order === 'desc' ? last - 1 : last + 1;
    }
  };
}

/** Up to `count` spans that a filter on a number takes, in no order; the other filters are not looked at. */
export const inValueRange = (scope: Scope, query: SpanQuery, name: ValueName, count: number): Query<Match> =>
  matchesOf(scope, query, name, 'desc', undefined, count);

/** The spans in the range of values: a bucket at a time, the buckets in list order. */
const matchesOf = (
  scope: Scope,
  query: SpanQuery,
  name: ValueName,
  order: 'asc' | 'desc',
  from: number | undefined,
  count: number,
): Query<Match> =>
  plannedOnce(MATCH.query`${bucketsWith(scope, query, name, order, from)}
  select buckets.bucket as bucket, s.id as id, s.started_at as "startedAt" from buckets cross join ${spansOf(
    sql`s.project_id = ${scope.projectId}${betweenStarts('s.started_at', query.within?.from, query.within?.until)}
      and ${bucketIs(rawSql('buckets.bucket'))} and ${inRange(query, name)}`,
    count,
  )} limit ${count}`);

/** SQLite joins as a cross join is written, Postgres in any order unless one side is lateral. */
const spansOf = (where: Sql, limit: number): Sql =>
  sql`${onSqlite(sql`span s where ${where}`)}${onPostgres(
    sql`lateral (select s.id, s.started_at from span s where ${where} limit ${limit}) s`,
  )}`;

/**
 * The buckets with spans that have a value, one step in its index each: a CTE `buckets(bucket)`, made as far as it is read.
 * @param from where to begin: a bucket.
 */
function bucketsWith(scope: Scope, query: SpanQuery, name: ValueName, order: SortOrder, from: number | undefined): Sql {
  const { since, until, within, days } = query;
  const lowest = [since, within?.from].flatMap((start) => (start === undefined ? [] : bucketOf(start)));
  const highest = [until, within?.until].flatMap((start) => (start === undefined ? [] : bucketOf(start)));
  if (from !== undefined) (order === 'desc' ? highest : lowest).push(from);
  const bounds = { low: Math.max(-Infinity, ...lowest), high: Math.min(Infinity, ...highest) };
  const value = rawSql(`v.${VALUES[name]}`);
  if (!days) return sql`with recursive ${stepping(scope, value, order, bounds, 'span', 'buckets')}`;
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
    select ${step}
    from ${rawSql(buckets)} where ${last} is not null
  )`;
}

/** A bucket may lie in two days. */
function bucketsOfDay(day: number): number[] {
  const [first, last] = [bucketOf(dayStart(day)), bucketOf(dayStart(day + 1) - 1)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Which bucket a span is in; on Postgres also in which partitions that is. */
const bucketIs = (bucket: Sql): Sql =>
  sql`${rawSql(bucketColumn('s'))} = ${bucket}${onPostgres(
    sql` and s.started_at >= ${bucket} * ${BUCKET_MS} and s.started_at < (${bucket} + 1) * ${BUCKET_MS}`,
  )}`;

const BUCKET_MS = rawSql(String(bucketStart(1)));
