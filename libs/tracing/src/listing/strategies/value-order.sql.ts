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

function headsOf(list: ListRequest, name: ValueName, where: Sql, part: Part, from?: Position): Query<Head> {
  const { scope, query, sorting, storage, indexedFilters, isPlain } = list;
  const isSqlite = storage.dialect === 'sqlite';
  const first = (columns: Sql, bucket: Sql, of = where): Sql => sql`select ${columns} from span s
    where ${joinSql([of, bucketIs(bucket), behind(sorting, part, from)], ' and ')}
    order by ${orderBy(sorting, part)} limit 1`;
  const ofProject = sql`s.project_id = ${scope.projectId}`;
  // From the beginning on a bucket's first span lies where the step lands.
  const wanted = isSqlite && from ? (bucket: Sql): Sql => first(rawSql('1'), bucket, ofProject) : undefined;
  const buckets = bucketsWith(scope, query, name, 'desc', undefined, wanted);
  const select = (columns: Sql): Sql => first(columns, rawSql('buckets.bucket'));
  const head = isSqlite ? headOnSqlite(list, name, select) : headOnPostgres(name, select);
  const heads = positionShape(sorting).and(BUCKET).query`${buckets}${head}`;
  return isPlain && indexedFilters === 0 ? plannedOnce(heads) : heads;
}

type SelectHead = (columns: Sql) => Sql;

/**
 * The spans themselves and their keys lie on other pages than the index, two more for each bucket, which took most of the time where
 * these had to come from the disk (docs/adr/0039-lists-planned-once.md#5000000-spans-on-a-cold-disk).
 */
function headOnSqlite({ isWhole }: ListRequest, name: ValueName, select: SelectHead): Sql {
  const value = rawSql(VALUES[name].column);
  return isWhole
    ? sql`, heads as materialized (
        select buckets.bucket as bucket, (${select(sql`s.${value}`)}) as value, (${select(rawSql('s.id'))}) as id from buckets
      ) select heads.bucket as bucket, heads.value as value, heads.id as id from heads where heads.id is not null`
    : sql` select buckets.bucket as bucket, h.${value} as value, h.id as id
        from buckets join span h on h.rowid = (${select(rawSql('s.rowid'))})`;
}

function headOnPostgres(name: ValueName, select: SelectHead): Sql {
  const value = rawSql(VALUES[name].column);
  return sql` select buckets.bucket as bucket, h.value as value, h.id as id
    from buckets cross join lateral (${select(sql`s.${value} as value, s.id as id`)}) h`;
}
