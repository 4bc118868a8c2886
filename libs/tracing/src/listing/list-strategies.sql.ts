import type { ListSpans } from '@spandrel/contract';
import {
  anyOf,
  betweenStarts,
  joinSql,
  sql,
  type Sql,
  behind,
  integer,
  orderBy,
  plannedOnce,
  positionShape,
  rowsFrom,
  shapeOf,
  text,
  type RowOfShape,
} from '@spandrel/storage';
import {
  type ListRequest,
  positionColumns,
  type Candidates,
  type Lists,
  type FoundList,
  type ListStrategy,
  byWalk,
  type ListEstimate,
} from './list-request.sql.js';
import { valueOrder, valueRange, inValueRange } from './value-lists.sql.js';
import {
  equalityFilters,
  filteredValues,
  isOfOneTrace,
  spanConditions,
  type EqualityFilter,
  type IndexedFilter,
  type ValueName,
} from './span-filter.sql.js';

/** A filter whose index finds the spans. */
type Driver =
  | { by: 'equality'; filter: EqualityFilter }
  | { by: 'names'; names: readonly string[] }
  | { by: 'value'; name: ValueName };

/** What leaves few spans: the filter whose index is to serve, or a condition of its own. */
interface SmallFilter {
  /** How many there are. */
  spans: number;
  indexed: readonly IndexedFilter[];
  condition?: Sql;
}

/** Spans that one of the filters leaves few of, found by its index and sorted. */
const smallFilter: ListStrategy = {
  name: 'small-filter',

  // In start order the index of the only filter finds them without sorting.
  applies: ({ byStart, indexedFilters }) => indexedFilters > (byStart ? 1 : 0),

  async estimate(list) {
    const { byStart, limits } = list;
    const drivers = driversOf(list.query, await list.names());
    if (drivers.length <= (byStart ? 1 : 0)) return undefined;
    const few = await firstFew(list, drivers, byStart ? limits.ofFilter : limits.toSort);
    if (!few) return undefined;
    const where = list.where(few.indexed, ...(few.condition ? [few.condition] : []));
    return byWalk(list, few.spans, list.walk(where, true));
  },
};

/** The filters that an index finds the spans of, likely the rarer ones first. */
function driversOf(query: ListSpans, names: readonly string[] | undefined): Driver[] {
  const equalities = equalityFilters(query).map((filter): Driver => ({ by: 'equality', filter }));
  const values = filteredValues(query).map((name): Driver => ({ by: 'value', name }));
  const at = equalities.findIndex((driver) => driver.by === 'equality' && !isOfOneTrace(driver.filter));
  const named: Driver[] = names ? [{ by: 'names', names }] : [];
  return [...equalities.toSpliced(at === -1 ? equalities.length : at, 0, ...named), ...values];
}

/** The first filter that leaves at most `limit` spans. */
async function firstFew(
  list: ListRequest,
  drivers: readonly Driver[],
  limit: number,
): Promise<SmallFilter | undefined> {
  for (const driver of drivers) {
    const few = await countedBy(list, driver, limit);
    if (few.spans <= limit) return few;
  }
  return undefined;
}

/** The spans that a filter leaves, counted up to one more than `limit`. */
async function countedBy(list: ListRequest, driver: Driver, limit: number): Promise<SmallFilter> {
  const { storage, scope, query, options } = list;
  const { within } = query;
  if (driver.by === 'value') {
    const found = await storage.readLong(inValueRange(scope, query, driver.name, limit + 1), options);
    const ids = found.map(({ id }) => id);
    return { spans: ids.length, indexed: [], condition: anyOf('s.id', ids) };
  }
  const count = (where: Sql): Promise<number> => list.count(where, limit + 1, true);
  if (driver.by === 'names') {
    if (driver.names.length === 0) return { spans: 0, indexed: [] };
    const condition = anyOf('s.name', driver.names);
    const start = betweenStarts('s.started_at', within?.from, within?.until);
    const spans = await count(sql`s.project_id = ${scope.projectId}${start} and ${condition}`);
    return { spans, indexed: [], condition };
  }
  const { filter } = driver;
  const only = { ...NO_FILTER, ...(within && { within }), [filter]: query[filter] };
  const spans = await count(joinSql(spanConditions(scope, only, [filter]) ?? [], ' and '));
  return { spans, indexed: [filter] };
}

const NO_FILTER: ListSpans = { sort_by: 'started_at', sort_order: 'desc', limit: 1 };

const TRACE_ENDS = shapeOf({ traceId: text(), first: integer(), last: integer() });

/** Spans of a session or of tags, where these have few traces: looked up by trace and sorted. */
const smallTraceSet: ListStrategy = {
  name: 'small-trace-set',
  applies: ({ ofTraces }) => ofTraces?.few === true,
  estimate(list) {
    const { ofTraces, query, storage } = list;
    const ids = ofTraces?.ids ?? [];
    const walk = list.walk(list.where(), true);
    if (storage.dialect === 'sqlite' || ids.length < 2 || list.indexedFilters > 0) {
      return Promise.resolve(byWalk(list, ids.length || query.limit, walk));
    }
    return Promise.resolve({
      spans: ids.length,
      find: () => ({ candidates: traceByTrace(list, ids), where: walk.where, walk }),
    });
  },
};

/**
 * Each trace by itself in the partitions between its first span and its last, on Postgres: of 38 traces over 30 days each was
 * looked for in every partition, 88 ms.
 */
function traceByTrace(list: ListRequest, ids: readonly string[]): Candidates {
  const { scope, sorting, storage, options } = list;
  const { projectId } = scope;
  const ends = TRACE_ENDS.query`select k.trace_id as "traceId", min(k.started_at) as first, max(k.started_at) as last from span_key k
      where k.project_id = ${projectId} and ${anyOf('k.trace_id', ids)} group by k.trace_id`;
  let found: Promise<RowOfShape<typeof TRACE_ENDS>[]> | undefined;
  const names = { ...sorting, column: 'value', idColumn: 'id', unindexed: false };
  return async (part, from, count) => {
    const places = await (found ??= storage.readLong(ends, options));
    const traces = rowsFrom('k', {
      trace_id: { type: 'text', values: places.map(({ traceId }) => traceId) },
      first: { type: 'number', values: places.map(({ first }) => first) },
      last: { type: 'number', values: places.map(({ last }) => last) },
    });
    const query = positionShape(sorting).query`select one.value, one.id from ${traces} cross join lateral (
        select ${positionColumns(sorting)} from span s where ${list.where()} and s.trace_id = k.trace_id
          and s.started_at >= k.first::bigint and s.started_at <= k.last::bigint and ${behind(sorting, part, from)}
        order by ${orderBy({ ...sorting, unindexed: false }, part)} limit ${count}
      ) one order by ${orderBy(names, part)} limit ${count}`;
    return storage.readLong(plannedOnce(query), options);
  };
}

/** Spans of a trace or of a parent: they lie together, so that an index in another order would be a detour. */
const traceIndex: ListStrategy = {
  name: 'trace-index',
  applies: ({ query }) => equalityFilters(query).some(isOfOneTrace),
  estimate: (list) => Promise.resolve(byFirstFilter(list)),
};

/** Spans of a status, model, provider or kind in start order, by the index that has both. */
const filterIndex: ListStrategy = {
  name: 'filter-index',
  applies: ({ byStart, query }) => byStart && equalityFilters(query).length > 0,
  estimate: (list) => Promise.resolve(byFirstFilter(list)),
};

/** Finds spans by the index of the filter that is likely the rarest. */
function byFirstFilter(list: ListRequest): ListEstimate {
  const [filter] = equalityFilters(list.query);
  const walk = list.byStart
    ? list.walk(list.where([filter!, 'since', 'until']))
    : list.walk(list.where([filter!]), true);
  return byWalk(list, list.query.limit, walk);
}

/** Spans that are named by their ids: looked up and sorted. */
const namedSpans: ListStrategy = {
  name: 'named-spans',
  applies: ({ query }) => query.ids !== undefined,
  estimate: (list) => Promise.resolve(byWalk(list, list.query.ids?.length ?? 0, list.walk(list.where(), true))),
};

/**
 * Spans whose name contains a text, in start order, where the matching names are few: the first spans of each name by
 * the index on names, merged.
 */
const namesInOrder: ListStrategy = {
  name: 'names-in-order',

  applies: ({ byStart, query }) => byStart && query.name_contains !== undefined,

  async estimate(list) {
    const names = await list.names();
    if (names === undefined) return undefined;
    const where = list.where();
    const lists: Lists = { type: 'text', values: names, belongs: (name) => sql`s.name = ${name}` };
    return {
      spans: names.length * list.query.limit,
      find: () => ({
        candidates: (part, from, count) => list.first(where, lists, part, from, count),
        where: list.where([], anyOf('s.name', names)),
      }),
    };
  },
};

/** All spans in the order of an index on start or name, each tested for the filters: what finds every list. */
const sortIndex: ListStrategy = {
  name: 'sort-index',
  applies: () => true,
  estimate(list) {
    const where = list.where(list.byStart ? ['since', 'until'] : []);
    return Promise.resolve(byWalk(list, list.query.limit, list.walk(where)));
  },
};

/** The strategies in the order in which they are preferred; the last one finds every list. */
export const STRATEGIES: readonly ListStrategy[] = [
  namedSpans,
  smallTraceSet,
  smallFilter,
  traceIndex,
  namesInOrder,
  filterIndex,
  valueRange,
  valueOrder,
  sortIndex,
];

/** How a list is found, and by which strategy. */
export interface PlannedList extends FoundList {
  strategy: string;
}

/**
 * Chooses how the spans of a list are found: by the first strategy that can and that is not too dear.
 * @returns `undefined` when nothing can match.
 */
export async function planList(
  list: ListRequest,
  strategies: readonly ListStrategy[] = STRATEGIES,
): Promise<PlannedList | undefined> {
  if (list.isImpossible) return undefined;
  for (const strategy of strategies) {
    const estimate = strategy.applies(list) ? await strategy.estimate(list) : undefined;
    if (estimate?.spans === 0) return undefined;
    if (estimate) return { strategy: strategy.name, ...estimate.find() };
  }
  throw new Error('no strategy finds this list of spans');
}
