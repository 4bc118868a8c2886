import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  betweenStarts,
  integer,
  joinedInOrder,
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

const MATCH = shapeOf({ bucket: integer(), id: text() });
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
  const few = (ids: readonly string[], from: Position | undefined, count: number): Promise<Position[]> =>
    ids.length === 0
      ? Promise.resolve([])
      : storage.readLong(
          selectInListOrder({ ...sorting, unindexed: true }, list.where([], anyOf('s.id', ids)), 'valued', from, count),
          options,
        );
  const many = (bucket: number, from: Position | undefined, count: number): Promise<Position[]> => {
    const within = sql`s.started_at >= ${bucketStart(bucket)} and s.started_at < ${bucketStart(bucket + 1)}`;
    return storage.readLong(selectInListOrder(sorting, list.where([], within), 'valued', from, count), options);
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
      const whole = matches.filter((match) => match.bucket !== last).map(({ id }) => id);
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
): Query<Match> => MATCH.query`${bucketsWith(scope, query, name, order, from)}
  select buckets.bucket as bucket, s.id as id from ${joinedInOrder({
    outer: 'buckets',
    inner: 'span',
    alias: 's',
    columns: 's.id',
    where: sql`s.project_id = ${scope.projectId}${betweenStarts('s.started_at', query.within?.from, query.within?.until)}
      and ${bucketIs(rawSql('buckets.bucket'))} and ${inRange(query, name)}`,
    limit: count,
  })}
  limit ${count}`;
