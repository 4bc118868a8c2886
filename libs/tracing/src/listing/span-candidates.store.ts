import type { ListSpans } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  behind,
  joinSql,
  orderBy,
  rawSql,
  sql,
  type LongReadOptions,
  type Part,
  type Position,
  type Sorting,
  type Sql,
  type Storage,
} from '@spandrel/storage';

/** Numbers of spans that decide how a list is found. */
export interface FewLimits {
  /** Of one filter: up to so many are looked up and sorted rather than found in list order. */
  ofFilter: number;
  /** The same where no index has the list order and the filter: finding them in list order is dearer then. */
  toSort: number;
  /** Of a filter on a number, in whole slots of time; a slot that has more is walked in start order. */
  inSlots: number;
  /** Candidates that a text search looks through in list order before it looks through all payloads as they lie. */
  searched: number;
  /** Hits among payloads that one statement brings, or that are sorted; on Postgres. */
  hits: number;
}

export const FEW_LIMITS: FewLimits = {
  ofFilter: 2_000,
  toSort: 20_000,
  inSlots: 1_000,
  searched: 30_000,
  hits: 10_000,
};

/** A list's filters, and a range of starts to which one look at the database is limited, on Postgres. */
export type SpanQuery = ListSpans & {
  within?: StartRange;
  /** The days that have partitions, where these are many; the spans of others lie in the default partition. */
  days?: readonly number[];
};

/** Whole days, in milliseconds since the epoch; `until` is not in it. Open where there is none. */
export interface StartRange {
  from?: number | undefined;
  until?: number | undefined;
}

/** A list of spans that is asked for. */
export interface SpanRead {
  storage: Pick<Storage, 'dialect' | 'readLong'>;
  scope: Scope;
  query: SpanQuery;
  sorting: Sorting;
  /** A condition on the spans' traces, where there is one. */
  ofTraces: Sql | undefined;
  options: LongReadOptions;
  limits: FewLimits;
}

/** Spans that match, in list order: up to `count` of a part, behind a position. Fewer only at the end. */
export type Candidates = (part: Part, from: Position | undefined, count: number) => Promise<Position[]>;

/** One statement finds the spans in list order. */
export interface Walk {
  where: Sql;
  sorting: Sorting;
}

/** How the spans of a list are found. */
export interface SpanPlan {
  candidates: Candidates;
  walk?: Walk;
}

/** What a position in the list is made of. */
export const positionColumns = ({ column, idColumn }: Sorting): Sql => rawSql(`${column} as value, ${idColumn} as id`);

/** Spans in list order as one select. */
export const inOrder = (
  sorting: Sorting,
  where: Sql,
  part: Part,
  from: Position | undefined,
  count: number,
): Sql => sql`select ${positionColumns(sorting)} from span s where ${where} and ${behind(sorting, part, from)}
  order by ${orderBy(sorting, part)} limit ${count}`;

export const walking =
  ({ storage, options }: SpanRead, { where, sorting }: Walk): Candidates =>
  (part, from, count) =>
    storage.readLong<Position>(inOrder(sorting, where, part, from, count), options);

/**
 * The first of several lists, each of which an index holds in list order: `count` of each, and of these the first.
 * @param lists what sets each list apart. Their number is rounded up, so that the statements stay few.
 */
export function firstOf(
  sorting: Sorting,
  where: Sql,
  lists: readonly Sql[],
  part: Part,
  from: Position | undefined,
  count: number,
): Sql {
  const padded = [...lists];
  while (padded.length !== 2 ** Math.ceil(Math.log2(padded.length))) padded.push(sql`1 = 0`);
  const arms = padded.map((list) => {
    const order = orderBy({ ...sorting, unindexed: false }, part);
    return sql`select * from (select ${positionColumns(sorting)} from span s
      where ${where} and ${list} and ${behind(sorting, part, from)} order by ${order} limit ${count}) one`;
  });
  const names: Sorting = { ...sorting, column: 'value', idColumn: 'id', unindexed: false };
  return sql`select * from (${joinSql(arms, ' union all ')}) every order by ${orderBy(names, part)} limit ${count}`;
}
