import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  atStarts,
  betweenStarts,
  compareTexts,
  integer,
  joinedInOrder,
  plannedOnce,
  rawSql,
  shapeOf,
  sql,
  text,
  type Position,
  type Query,
  type RowOfShape,
} from '@spandrel/storage';
import { selectInListOrder, type Candidates, type ListRequest } from '../list-request.sql.js';
import type { SpanQuery } from '../span-query.js';
import type { ListStrategy } from '../list-strategy.js';
import { bucketOf, bucketStart } from '../../span.entity.js';
import { filteredValues, inRange, type ValueName } from '../span-filter.sql.js';
import { bucketIs, bucketsWith } from './time-buckets.sql.js';

const MATCH = shapeOf({ bucket: integer(), id: text(), startedAt: integer() });
type Match = RowOfShape<typeof MATCH>;

/**
 * Spans that a filter on a number takes, in start order, from an index that is sorted by the number within a time bucket:
 * bucket after bucket in list order. Few matches are looked up one by one; a bucket with many is walked in start order.
 */
export const valueRange: ListStrategy = {
  name: 'value-range',
  applies: ({ byStart, query }) => byStart && filteredValues(query).length > 0,
  estimate(list) {
    const [name] = filteredValues(list.query);
    return Promise.resolve({ spans: list.query.limit, find: () => ({ candidates: inStartOrder(list, name!) }) });
  },
};

function inStartOrder(list: ListRequest, name: ValueName): Candidates {
  const { scope, query, sorting, storage, options, limits } = list;
  const { order } = sorting;
  const few = async (matches: readonly Match[], from: Position | undefined, count: number): Promise<Position[]> => {
    if (matches.length === 0) return [];
    if (list.indexedFilters === 1 && hasNoOther(list)) return sorted(list, matches, from, count);
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
    return storage.readLong(selectInListOrder({ ...sorting, unindexed: true }, where, 'valued', from, count), options);
  };
  const many = (bucket: number, from: Position | undefined, count: number): Promise<Position[]> => {
    const within = sql`s.started_at >= ${bucketStart(bucket)} and s.started_at < ${bucketStart(bucket + 1)}`;
    return list.walking(list.walk(list.where([], within)))('valued', from, count);
  };

  return async (_part, from, count) => {
    const found: Position[] = [];
    let bucket = from === undefined ? undefined : bucketOf(Number(from.value));
    for (;;) {
      const matches = await storage.readLong(
        matchesOf(scope, query, name, order, bucket, limits.inBuckets + 1),
        options,
      );
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

/** Whether the spans are tested for nothing but the filter on the number and their start. */
const hasNoOther = ({ ofTraces, query }: ListRequest): boolean => !ofTraces && query.status === undefined;

/** Matches that need no further test, as the list has them: their starts are known from the index. */
function sorted(
  { query: { since = -Infinity, until = Infinity }, sorting: { order } }: ListRequest,
  matches: readonly Match[],
  from: Position | undefined,
  count: number,
): Position[] {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: Position, b: Position): number =>
    sign * (Number(a.value) - Number(b.value) || compareTexts(a.id, b.id));
  return matches
    .filter(({ startedAt }) => startedAt >= since && startedAt < until)
    .map(({ id, startedAt }): Position => ({ value: startedAt, id }))
    .filter((position) => from === undefined || compare(position, from) > 0)
    .toSorted(compare)
    .slice(0, count);
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
  select buckets.bucket as bucket, s.id as id, s.started_at as "startedAt" from ${joinedInOrder({
    outer: 'buckets',
    inner: 'span',
    alias: 's',
    columns: 's.id, s.started_at',
    where: sql`s.project_id = ${scope.projectId}${betweenStarts('s.started_at', query.within?.from, query.within?.until)}
      and ${bucketIs(rawSql('buckets.bucket'))} and ${inRange(query, name)}`,
    limit: count,
  })}
  limit ${count}`);
