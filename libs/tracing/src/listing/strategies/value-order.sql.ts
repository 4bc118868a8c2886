import {
  behind,
  integer,
  joinSql,
  orderBy,
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
import { firstOf, type Candidates, type ListRequest, type Walk } from '../list-request.sql.js';
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
    return left.value === right.value ? left.id < right.id : left.value! < right.value!;
  };
  const comparePositions = (a: Position, b: Position): number => (isBefore(a, b) ? -1 : 1);
  const valueless = list.walking(valuelessWalk(list, name, where));

  return async (part, from, count) => {
    if (part === 'valueless') return valueless(part, from, count);
    const heads = (await storage.readLong(headsOf(list, name, where, part, from), options)).toSorted(comparePositions);
    let page: Position[] = [];
    for (let at = 0, size = BUCKETS_MIN; at < heads.length; at += size, size = Math.min(size * 2, BUCKETS_MAX)) {
      const last = page.length === count ? page.at(-1)! : undefined;
      const wanted = heads.slice(at, at + size).filter((head) => !last || isBefore(head, last));
      if (wanted.length === 0) break;
      const bounded = last ? sql`${where} and ${upTo(sorting, part, last)}` : where;
      const buckets = wanted.map(({ bucket }) => bucketIs(bucket));
      const rows = await storage.readLong(firstOf(sorting, bounded, buckets, part, from, count), options);
      page = [...page, ...rows].toSorted(comparePositions).slice(0, count);
    }
    return page;
  };
}

/** Spans without the number, by id: those without a duration run still, and are few; of the others there are many. */
const valuelessWalk = ({ sorting }: ListRequest, name: ValueName, where: Sql): Walk =>
  name === 'duration'
    ? { where: sql`${where} and ${statusIs('s', STATUS.running)}`, sorting: { ...sorting, unindexed: true } }
    : { where, sorting };

function headsOf(
  { scope, query, sorting, storage }: ListRequest,
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
  return positionShape(sorting).and(BUCKET).query`${bucketsWith(scope, query, name, 'desc', undefined)}
    ${dialect === 'sqlite' ? headOfSqlite : headOfPostgres}`;
}
