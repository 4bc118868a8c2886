import type { Scope } from '@spandrel/kernel';
import {
  behind,
  integer,
  joinSql,
  orderBy,
  positionShape,
  rawSql,
  shapeOf,
  sql,
  type LongReadOptions,
  type Part,
  type Position,
  type Query,
  type Sorting,
  type Sql,
  type Storage,
} from '@spandrel/storage';
import type { ListLimits } from './list-limits.js';
import { equalityFilters, filteredValues, spanConditions, type IndexedFilter } from './span-filter.sql.js';
import { findNames } from './span-names.sql.js';
import type { SpanQuery } from './span-query.js';
import type { OfTraces } from './trace-filter.sql.js';

const NUMBER = shapeOf({ number: integer() });

/** The database of a list and the list itself. */
export interface ListParts {
  storage: Pick<Storage, 'dialect' | 'readLong'>;
  scope: Scope;
  query: SpanQuery;
  sorting: Sorting;
  /** The traces to which the spans must belong, where a filter says so. */
  ofTraces: OfTraces | undefined;
  options: LongReadOptions;
  limits: ListLimits;
}

/** Spans that match, in list order: up to `count` of a part, behind a position. Fewer only at the end. */
export type Candidates = (part: Part, from: Position | undefined, count: number) => Promise<Position[]>;

/** One statement that finds the spans of a list in list order. */
export interface Walk {
  where: Sql;
  sorting: Sorting;
}

/**
 * A list of spans that is asked for, with what several strategies want to know of it. What costs a look at the database
 * is looked up once, when first asked for.
 */
export class ListRequest {
  readonly storage: ListParts['storage'];
  readonly scope: Scope;
  readonly query: SpanQuery;
  readonly sorting: Sorting;
  readonly options: LongReadOptions;
  readonly limits: ListLimits;
  readonly ofTraces: OfTraces | undefined;
  private foundNames: Promise<readonly string[] | undefined> | undefined;

  constructor({ storage, scope, query, sorting, ofTraces, options, limits }: ListParts) {
    this.storage = storage;
    this.scope = scope;
    this.query = query;
    this.sorting = sorting;
    this.ofTraces = ofTraces;
    this.options = options;
    this.limits = limits;
  }

  /** Whether the list is in start order, as most indexes of filters are. */
  get byStart(): boolean {
    return this.query.sort_by === 'started_at';
  }

  /** Whether a filter holds a text that no column can hold, so that nothing matches. */
  get isImpossible(): boolean {
    return spanConditions(this.scope, this.query) === null;
  }

  /** How many filters there are that an index finds the spans of. */
  get indexedFilters(): number {
    const { query } = this;
    return equalityFilters(query).length + filteredValues(query).length + (query.name_contains === undefined ? 0 : 1);
  }

  /**
   * The names that `name_contains` takes; `undefined` without that filter, or when they are too many to be told apart.
   */
  names(): Promise<readonly string[] | undefined> {
    const { name_contains: needle, within } = this.query;
    return (this.foundNames ??=
      needle === undefined
        ? Promise.resolve(undefined)
        : findNames(this.storage, this.scope, needle, this.options, within));
  }

  /**
   * All conditions of the list on `span s`.
   * @param indexed the filters whose index is to serve.
   * @param more a condition beside those of the list.
   */
  where(indexed: readonly IndexedFilter[] = [], ...more: readonly Sql[]): Sql {
    const own = spanConditions(this.scope, this.query, indexed) ?? [rawSql('1 = 0')];
    return joinSql([...own, ...(this.ofTraces ? [this.ofTraces.condition] : []), ...more], ' and ');
  }

  /** How many spans a condition takes, up to `max`. */
  async count(where: Sql, max: number): Promise<number> {
    const [row] = await this.storage.readLong(
      NUMBER.query`select count(*) as number from (select 1 as one from span s where ${where} limit ${max}) taken`,
      this.options,
    );
    return row!.number;
  }

  /** The spans that a condition takes, found by one statement. @param few sorts them rather than reading an index. */
  walk(where: Sql, few = false): Walk {
    return { where, sorting: { ...this.sorting, unindexed: few } };
  }

  /** The candidates of a walk. */
  walking({ where, sorting }: Walk): Candidates {
    return (part, from, count) =>
      this.storage.readLong(selectInListOrder(sorting, where, part, from, count), this.options);
  }
}

/** What a position in the list is made of. */
export const positionColumns = ({ column, idColumn }: Sorting): Sql => rawSql(`${column} as value, ${idColumn} as id`);

/** Spans in list order as one select. */
export const selectInListOrder = (
  sorting: Sorting,
  where: Sql,
  part: Part,
  from: Position | undefined,
  count: number,
): Query<Position> => positionShape(sorting)
  .query`select ${positionColumns(sorting)} from span s where ${where} and ${behind(sorting, part, from)}
  order by ${orderBy(sorting, part)} limit ${count}`;

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
): Query<Position> {
  const padded = [...lists];
  while (padded.length !== 2 ** Math.ceil(Math.log2(padded.length))) padded.push(sql`1 = 0`);
  const arms = padded.map((list) => {
    const order = orderBy({ ...sorting, unindexed: false }, part);
    return sql`select * from (select ${positionColumns(sorting)} from span s
      where ${where} and ${list} and ${behind(sorting, part, from)} order by ${order} limit ${count}) one`;
  });
  const names: Sorting = { ...sorting, column: 'value', idColumn: 'id', unindexed: false };
  return positionShape(sorting)
    .query`select * from (${joinSql(arms, ' union all ')}) every order by ${orderBy(names, part)} limit ${count}`;
}
