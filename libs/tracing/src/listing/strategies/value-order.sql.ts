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
} from '@spandrel/storage';
import type { Candidates, ListRequest, Lists, Walk } from '../list-request.sql.js';
import type { ListStrategy } from '../list-strategy.js';
import { isValue, statusIs, VALUES, type ValueName } from '../span-filter.sql.js';
import { STATUS } from '../../status.js';
import { bucketIs, bucketsWith } from './time-buckets.sql.js';

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
  applies: ({ query: { sort_by: sortBy } }) => isValue(sortBy),
  estimate(list) {
    const { sort_by: sortBy, limit } = list.query;
    const name = isValue(sortBy) ? sortBy : 'duration';
    return Promise.resolve({ spans: limit, find: () => ({ candidates: sortedBy(list, name, list.where()) }) });
  },
};

function sortedBy(list: ListRequest, name: ValueName, where: Sql): Candidates {
  const { sorting, storage, options } = list;
  const { order } = sorting;
  const isBefore = (a: Position, b: Position): boolean => {
    const [left, right] = order === 'asc' ? [a, b] : [b, a];
    return left.value === right.value ? compareTexts(left.id, right.id) < 0 : left.value! < right.value!;
  };
  const comparePositions = (a: Position, b: Position): number => (isBefore(a, b) ? -1 : 1);
  const valueless = list.walking(valuelessWalk(list, name, where));

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
    const heads = (await storage.readLong(headsOf(list, name, where, part, from), options)).toSorted(comparePositions);
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
const valuelessWalk = ({ sorting }: ListRequest, name: ValueName, where: Sql): Walk =>
  name === 'duration'
    ? { where: sql`${where} and ${statusIs('s', STATUS.running)}`, sorting: { ...sorting, unindexed: true } }
    : { where, sorting };

function headsOf(
  { scope, query, sorting, storage, indexedFilters, isPlain }: ListRequest,
  name: ValueName,
  where: Sql,
  part: Part,
  from?: Position,
): Query<Head> {
  const { dialect } = storage;
  const value = rawSql(VALUES[name].column);
  const first = (columns: Sql): Sql => sql`select ${columns} from span s
    where ${joinSql([where, bucketIs(rawSql('buckets.bucket')), behind(sorting, part, from)], ' and ')}
    order by ${orderBy(sorting, part)} limit 1`;
  const headOfSqlite = sql`select buckets.bucket as bucket, h.${value} as value, h.id as id
    from buckets join span h on h.project_id = ${scope.projectId} and h.id = (${first(rawSql('s.id'))})`;
  const headOfPostgres = sql`select buckets.bucket as bucket, h.value as value, h.id as id
    from buckets cross join lateral (${first(sql`s.${value} as value, s.id as id`)}) h`;
  const heads = positionShape(sorting).and(BUCKET).query`${bucketsWith(scope, query, name, 'desc', undefined)}
    ${dialect === 'sqlite' ? headOfSqlite : headOfPostgres}`;
  return isPlain && indexedFilters === 0 ? plannedOnce(heads) : heads;
}
