import type { Scope } from '@spandrel/kernel';
import {
  behind,
  integer,
  joinSql,
  onPostgres,
  onSqlite,
  orderBy,
  plannedOnce,
  positionShape,
  rawSql,
  rowsFrom,
  shapeOf,
  sql,
  type Part,
  type Position,
  type Query,
  type Sorting,
  type Sql,
  type Storage,
  betweenStarts,
  containsText,
  text,
} from '@spandrel/storage';
import {
  equalityFilters,
  filteredValues,
  spanConditions,
  type IndexedFilter,
  type SpanQuery,
  type StartRange,
} from './span-filter.sql.js';
import type { OfTraces } from './trace-filter.sql.js';
import type { StoredSpan } from '../span.entity.js';

const NUMBER = shapeOf({ number: integer() });

/** Spans that match, in list order: up to `count` of a part, behind a position. Fewer only at the end. */
export type Candidates = (part: Part, from: Position | undefined, count: number) => Promise<Position[]>;

/** A list of spans that is asked for; what costs a look at the database is looked up once. */
export class ListRequest {
  private foundNames: Promise<readonly string[] | undefined> | undefined;

  /** @param ofTraces the traces to which the spans must belong, where a filter says so. */
  constructor(
    readonly storage: Pick<Storage, 'dialect' | 'readLong'>,
    readonly scope: Scope,
    readonly query: SpanQuery,
    readonly sorting: Sorting,
    readonly ofTraces: OfTraces | undefined,
    readonly limits: ListLimits,
  ) {}

  get byStart(): boolean {
    return this.query.sort_by === 'started_at';
  }

  /** Whether a filter holds a text that no column can hold, so that nothing matches. */
  get isImpossible(): boolean {
    return spanConditions(this.scope, this.query) === null;
  }

  get indexedFilters(): number {
    const { query } = this;
    return equalityFilters(query).length + filteredValues(query).length + (query.name_contains === undefined ? 0 : 1);
  }

  /**
   * Whether the index that is best is the same for all values: not where several filters have one, nor where most spans are
   * tested for their trace, by which a plan for any value takes 280 ms and one for the value 10.
   */
  get isPlain(): boolean {
    return this.indexedFilters <= 1 && this.ofTraces === undefined;
  }

  /** The names that `name_contains` takes; `undefined` without it, or when they are too many to be looked up. */
  names(): Promise<readonly string[] | undefined> {
    const { name_contains: needle, within } = this.query;
    return (this.foundNames ??=
      needle === undefined ? Promise.resolve(undefined) : findNames(this.storage, this.scope, needle, within));
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

  /**
   * How many spans a condition takes, up to `max`.
   * @param isOneFilter whether it is that of one filter, whose index serves whatever the value.
   */
  async count(where: Sql, max: number, isOneFilter = false): Promise<number> {
    const query = NUMBER.query`select count(*) as number from (select 1 as one from span s where ${where} limit ${max}) taken`;
    const [row] = await this.storage.readLong(isOneFilter ? plannedOnce(query) : query, this.scope);
    return row!.number;
  }

  /** The spans that a condition takes, found by one statement. @param few sorts them rather than reading an index. */
  found(where: Sql, few = false): FoundList {
    return { where, few, candidates: this.candidates(where, few) };
  }

  candidates(where: Sql, few = false): Candidates {
    const sorting = { ...this.sorting, unindexed: few };
    return (part, from, count) => {
      const query = selectInListOrder(sorting, where, part, from, count);
      return this.storage.readLong(!few && this.isPlain ? plannedOnce(query) : query, this.scope);
    };
  }

  first(where: Sql, lists: Lists, part: Part, from: Position | undefined, count: number): Promise<Position[]> {
    const query = firstOf(this.sorting, where, lists, part, from, count);
    return this.storage.readLong(this.isPlain ? plannedOnce(query) : query, this.scope);
  }
}

/** Positions in list order as one select, of spans where no other table is named. */
export const selectInListOrder = (
  sorting: Sorting,
  where: Sql,
  part: Part,
  from: Position | undefined,
  count: number,
  table: Sql = rawSql('span s'),
): Query<Position> => positionShape(sorting)
  .query`select ${rawSql(`${sorting.column} as value, ${sorting.idColumn} as id`)} from ${table} where ${where} and ${behind(sorting, part, from)}
  order by ${orderBy(sorting, part)} limit ${count}`;

/** Lists of spans, each of which an index holds in list order. */
export interface Lists {
  type: 'text' | 'number';
  values: readonly (string | number)[];
  /** The spans of the list of a value; a number on Postgres is a `bigint`. */
  belongs(value: Sql): Sql;
}

/** The first of several lists: `count` of each, and of these the first. */
function firstOf(
  sorting: Sorting,
  where: Sql,
  { type, values, belongs }: Lists,
  part: Part,
  from: Position | undefined,
  count: number,
): Query<Position> {
  const own = (of: Sql): Sql => selectInListOrder(sorting, sql`${where} and ${of}`, part, from, count);
  // Their number is rounded up, so that the statements stay few.
  const arms: Sql[] = values.map((value) => belongs(sql`${value}`));
  while (arms.length !== 2 ** Math.ceil(Math.log2(arms.length))) arms.push(sql`1 = 0`);
  const armed = joinSql(
    arms.map((of) => sql`select * from (${own(of)}) one`),
    ' union all ',
  );
  // An arm of a union is planned for its partitions each time: 64 of them took 100 ms.
  const keys = type === 'text' ? textKeys(values as string[]) : numberKeys(values as number[]);
  const key = rawSql(type === 'text' ? 'k.value' : 'k.value::bigint');
  const joined = sql`select one.value, one.id from ${keys} cross join lateral (${own(belongs(key))}) one`;
  const names: Sorting = { ...sorting, column: 'value', idColumn: 'id', unindexed: false };
  return positionShape(sorting)
    .query`select * from (${onSqlite(armed)}${onPostgres(joined)}) every order by ${orderBy(names, part)} limit ${count}`;
}

const textKeys = (values: readonly string[]): Sql => rowsFrom('k', { value: { type: 'text', values } });
const numberKeys = (values: readonly number[]): Sql => rowsFrom('k', { value: { type: 'number', values } });

/** Numbers of spans that decide how a list is found. Measured: see ADR 0021. */
export interface ListLimits {
  /** Up to so many spans of one filter are looked up and sorted rather than found in list order. */
  ofFilter: number;
  /** Like `ofFilter`, for lists in another than start order: no index has a filter and their order, so more are sorted. */
  toSort: number;
  /** Spans of a filter on a number read by whole time buckets; a bucket that has more is walked in start order. */
  inBuckets: number;
  /** Candidates that a text search looks through in list order before it asks the text index. */
  searched: number;
  /** Hits among payloads that one statement brings, or that are sorted. */
  hits: number;
}

export const LIST_LIMITS: ListLimits = {
  ofFilter: 2_000,
  toSort: 20_000,
  inBuckets: 1_000,
  searched: 1_000,
  hits: 10_000,
};

/** How the spans of a list are found. */
export interface FoundList {
  candidates: Candidates;
  /** They are few, and sorted: no index of texts leaves fewer. */
  few?: boolean;
  /** The candidates of a text search are found by their texts already. */
  byStore?: true;
  /** What takes the same spans in no order, where one condition says it: for counting them. */
  where?: Sql;
}

/** One way of finding the spans of a list. */
export interface ListStrategy {
  readonly name: string;
  /**
   * Counts at the database are bounded, so that choosing costs little.
   * @returns `undefined` when it cannot find this list or would look at too many spans, `null` when nothing matches.
   */
  find(list: ListRequest): MaybeFound | Promise<MaybeFound>;
}
type MaybeFound = FoundList | null | undefined;

/** The form in which a list hands out its spans: whole, or without their texts. */
export interface SpanForm<Row> {
  /** Rows in the order of their ids: as many from the first on as fit into memory together. */
  load(scope: Scope, ids: readonly string[]): Promise<Row[]>;
  /** The row of a span that was read whole, to be searched for text. */
  ofWhole(span: StoredSpan): Row;
  /** Text that a row keeps in memory, in UTF-16 units. */
  textLength(row: Row): number;
}

const NAME = shapeOf({ name: text(), number: integer() });

/** Distinct names looked through: one step in their index each. A project with more has its spans looked through. */
const NAMES_MAX = 2_000;
/** Matching names whose spans are read name by name; more of them are dense among the spans. */
const MATCHING_MAX = 64;

/** The names of spans that contain a needle; `undefined` when there are many, or too many to be looked through. */
async function findNames(
  storage: Pick<Storage, 'readLong'>,
  scope: Scope,
  needle: string,
  within?: StartRange,
): Promise<string[] | undefined> {
  const first = sql`select min(v.name) from span v where v.project_id = ${scope.projectId}${betweenStarts(
    'v.started_at',
    within?.from,
    within?.until,
  )}`;
  const rows = await storage.readLong(
    plannedOnce(NAME.query`with recursive names(name, number) as (
        select (${first}), 1
        union all
        select (${first} and v.name > names.name), names.number + 1
        from names where names.name is not null and names.number < ${NAMES_MAX}
      )
      select name, number from names
      where name is not null and (${containsText('name', needle)} or number = ${NAMES_MAX}) limit ${MATCHING_MAX + 1}`),
    scope,
  );
  const looked = rows.length <= MATCHING_MAX && rows.every(({ number }) => number < NAMES_MAX);
  return looked ? rows.map(({ name }) => name) : undefined;
}
