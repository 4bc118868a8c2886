import { isStorableText } from '@spandrel/contract';
import {
  anyOf,
  betweenStarts,
  joinSql,
  sql,
  type Sql,
  integer,
  orderBy,
  plannedOnce,
  type Position,
  rawSql,
  positionShape,
  rowsFrom,
  shapeOf,
  text,
  type RowOfShape,
} from '@spandrel/storage';
import {
  type ListRequest,
  selectInListOrder,
  type Candidates,
  type Lists,
  type FoundList,
  type ListStrategy,
} from './list-request.sql.js';
import { inStarts, readOnce, type ScoredOrder } from '../reading/scores-port.js';
import { valueOrder, valueRange, inValueRange } from './value-lists.sql.js';
import {
  equalityFilters,
  filteredValues,
  isOfOneTrace,
  spanConditions,
  type IndexedFilter,
  type SpanQuery,
} from './span-filter.sql.js';

/** What leaves few spans: the filter whose index is to serve, or a condition of its own. */
interface SmallFilter {
  spans: number;
  indexed: readonly IndexedFilter[];
  conditions: readonly Sql[];
}

/** Counts the spans that a filter leaves, up to one more than a limit. */
type Driver = (limit: number) => Promise<SmallFilter>;

/** Spans that one of the filters leaves few of, found by its index and sorted. */
const smallFilter: ListStrategy = {
  name: 'small-filter',
  async find(list) {
    const { byStart, limits } = list;
    // In start order the index of the only filter finds them without sorting.
    const driversMin = byStart ? 2 : 1;
    if (list.indexedFilters < driversMin) return undefined;
    const drivers = driversOf(list, await list.names());
    if (drivers.length < driversMin) return undefined;
    const limit = byStart ? limits.ofFilter : limits.toSort;
    for (const driver of drivers) {
      const { spans, indexed, conditions } = await driver(limit);
      if (spans === 0) return null;
      if (spans <= limit) return list.found(list.where(indexed, ...conditions), true);
    }
    return undefined;
  },
};

/** The filters that an index finds the spans of, likely the rarer ones first. */
function driversOf(list: ListRequest, names: readonly string[] | undefined): Driver[] {
  const { storage, scope, query } = list;
  const { within } = query;
  const filters = equalityFilters(query);
  const equalities = filters.map((filter): Driver => async (limit) => {
    const only = { ...NO_FILTER, ...(within && { within }), [filter]: query[filter] };
    const where = joinSql(spanConditions(scope, only, [filter]) ?? [], ' and ');
    return { spans: await list.count(where, limit + 1, true), indexed: [filter], conditions: [] };
  });
  const named = async (limit: number): Promise<SmallFilter> => {
    const condition = anyOf('s.name', names!);
    const start = betweenStarts('s.started_at', within?.from, within?.until);
    const where = sql`s.project_id = ${scope.projectId}${start} and ${condition}`;
    const spans = names!.length === 0 ? 0 : await list.count(where, limit + 1, true);
    return { spans, indexed: [], conditions: [condition] };
  };
  const values = filteredValues(query).map((name): Driver => async (limit) => {
    const found = await storage.readLong(inValueRange(scope, query, name, limit + 1), scope);
    const ids = found.map(({ id }) => id);
    return { spans: ids.length, indexed: [], conditions: [anyOf('s.id', ids)] };
  });
  const at = filters.findIndex((filter) => !isOfOneTrace(filter));
  return [...equalities.toSpliced(at === -1 ? filters.length : at, 0, ...(names ? [named] : [])), ...values];
}

const NO_FILTER: SpanQuery = { sort_by: 'started_at', sort_order: 'desc', limit: 1 };

const TRACE_ENDS = shapeOf({ traceId: text(), first: integer(), last: integer() });

/** Spans of a session or of tags, where these have few traces: looked up by trace and sorted. */
const smallTraceSet: ListStrategy = {
  name: 'small-trace-set',
  find(list) {
    const { few, ids = [] } = list.ofTraces ?? {};
    if (!few) return undefined;
    const found = list.found(list.where(), true);
    if (list.storage.dialect === 'sqlite' || ids.length < 2 || list.indexedFilters > 0) return found;
    return { ...found, candidates: traceByTrace(list, ids) };
  },
};

/** On Postgres each trace in its own partitions: 38 traces over 30 days, looked for in all of them, took 88 ms. */
function traceByTrace(list: ListRequest, ids: readonly string[]): Candidates {
  const { scope, storage } = list;
  const { projectId } = scope;
  const ends = TRACE_ENDS.query`select k.trace_id as "traceId", min(k.started_at) as first, max(k.started_at) as last from span_key k
      where k.project_id = ${projectId} and ${anyOf('k.trace_id', ids)} group by k.trace_id`;
  let found: Promise<RowOfShape<typeof TRACE_ENDS>[]> | undefined;
  return async (part, from, count) => {
    const places = await (found ??= storage.readLong(ends, scope));
    const traces = rowsFrom('k', {
      trace_id: { type: 'text', values: places.map(({ traceId }) => traceId) },
      first: { type: 'number', values: places.map(({ first }) => first) },
      last: { type: 'number', values: places.map(({ last }) => last) },
    });
    const belongs = sql`s.trace_id = k.trace_id and s.started_at >= k.first::bigint and s.started_at <= k.last::bigint`;
    return lookedUp(list, traces, belongs)(part, from, count);
  };
}

/** Spans that belong to rows `k`, looked up row by row: on Postgres each in its own partitions. */
const lookedUp =
  (list: ListRequest, rows: Sql, belongs: Sql): Candidates =>
  (part, from, count) => {
    const { sorting } = list;
    const names = { ...sorting, column: 'value', idColumn: 'id', unindexed: false };
    const query = positionShape(sorting).query`select one.value, one.id from ${rows} cross join lateral (
        ${selectInListOrder(sorting, sql`${list.where()} and ${belongs}`, part, from, count)}
      ) one order by ${orderBy(names, part)} limit ${count}`;
    return list.storage.readLong(plannedOnce(query), list.scope);
  };

/** Spans of a trace or of a parent: they lie together, so that an index in another order would be a detour. */
const traceIndex: ListStrategy = {
  name: 'trace-index',
  find: (list) => (equalityFilters(list.query).some(isOfOneTrace) ? byFirstFilter(list) : undefined),
};

/** Spans of a status, model, provider or kind in start order, by the index that has both. */
const filterIndex: ListStrategy = {
  name: 'filter-index',
  find: (list) => (list.byStart && equalityFilters(list.query).length > 0 ? byFirstFilter(list) : undefined),
};

/** Finds spans by the index of the filter that is likely the rarest. */
function byFirstFilter(list: ListRequest): FoundList {
  const [filter] = equalityFilters(list.query);
  const where = list.where(list.byStart ? [filter!, 'since', 'until'] : [filter!]);
  return list.found(where, !list.byStart);
}

/** Spans that are looked up one by one on Postgres, 0.3 ms each; more of them are found in all partitions as soon. */
const APART_MAX = 300;

/** On Postgres each span in its partition: 40 spans over 30 days, looked for in all of them, took 170 ms of a million. */
function spanBySpan(list: ListRequest, ids: readonly string[]): Candidates {
  const asked = rowsFrom('asked', { id: { type: 'text', values: [...new Set(ids)].filter(isStorableText) } });
  const keys = sql`${asked} cross join lateral (select i.id, i.started_at from span_key i
    where i.project_id = ${list.scope.projectId} and i.id = asked.id limit 1) k`;
  return lookedUp(list, keys, sql`s.id = k.id and s.started_at = k.started_at`);
}

/** Spans that are named by their ids: looked up and sorted. */
const namedSpans: ListStrategy = {
  name: 'named-spans',
  find(list) {
    const { ids } = list.query;
    if (ids === undefined) return undefined;
    if (ids.length === 0) return null;
    const found = list.found(list.where(), true);
    if (list.storage.dialect === 'sqlite' || ids.length > APART_MAX) return found;
    return { ...found, candidates: spanBySpan(list, ids) };
  },
};

/** Reads scores in their order, as positions of what they are about. */
function readScores({ scope, sorting, storage }: ListRequest, { from, at, id }: ScoredOrder, where: Sql) {
  const ordered = { ...sorting, column: at, idColumn: id };
  return (behindOf: Position | undefined, count: number): Promise<Position[]> =>
    // Each score looks for its span in the partition of its start, whatever the values.
    storage.readLong(plannedOnce(selectInListOrder(ordered, where, 'valued', behindOf, count, from)), scope);
}

/** Spans in start order by their scores, which are kept in this order. */
const scoreOrder: ListStrategy = {
  name: 'score-order',
  find(list) {
    const { scope, query } = list;
    const { scoredOrder: scores } = query;
    if (!scores) return undefined;
    const at = rawSql(scores.at);
    const ofScore = sql`s.project_id = ${scope.projectId} and s.id = ${rawSql(scores.id)} and s.started_at = ${at}`;
    // The offset keeps Postgres from a join of its own making, which without statistics is one of all spans with all scores.
    const left = spanConditions(scope, { ...query, scored: scores.left ?? query.scored ?? [] })!;
    const where = sql`${inStarts(scores, query)} and exists (select 1 from span s where ${ofScore} and ${joinSql(left, ' and ')}
      limit 1 offset 0)`;
    const read = readScores(list, scores, where);
    return { candidates: (_part, from, count) => readOnce(from, count, read) };
  },
};

/** Spans by the value of a score: the scores in this order, each with its span tested for the filters. */
const scoreSort: ListStrategy = {
  name: 'score-sort',
  find(list) {
    const { scope, query } = list;
    const { scoreSort: scores } = query;
    if (!scores) return undefined;
    const where = sql`${scores.where} and exists (select 1 from span s where s.project_id = ${scope.projectId}
      and s.id = ${rawSql(scores.id)} and s.started_at = c.target_at and ${list.where()} limit 1 offset 0)`;
    const read = readScores(list, scores, where);
    return { candidates: (_part, from, count) => read(from, count) };
  },
};

/** Spans in start order by a part of their name: the first spans of each of few names, merged. */
const namesInOrder: ListStrategy = {
  name: 'names-in-order',
  async find(list) {
    const names = list.byStart ? await list.names() : undefined;
    if (names === undefined) return undefined;
    if (names.length === 0) return null;
    const where = list.where();
    const lists: Lists = { type: 'text', values: names, belongs: (name) => sql`s.name = ${name}` };
    return {
      candidates: (part, from, count) => list.first(where, lists, part, from, count),
      where: list.where([], anyOf('s.name', names)),
    };
  },
};

/** All spans in the order of an index on start or name, each tested for the filters: what finds every list. */
const sortIndex: ListStrategy = {
  name: 'sort-index',
  find: (list) => list.found(list.where(list.byStart ? ['since', 'until'] : [])),
};

/** The strategies in the order in which they are preferred; the last one finds every list. */
export const STRATEGIES: readonly ListStrategy[] = [
  scoreSort,
  scoreOrder,
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

/** Chooses the first strategy that can find the spans and is not too dear. @returns `undefined` when nothing can match. */
export async function planList(
  list: ListRequest,
  strategies: readonly ListStrategy[] = STRATEGIES,
): Promise<PlannedList | undefined> {
  if (list.isImpossible) return undefined;
  for (const strategy of strategies) {
    const found = await strategy.find(list);
    if (found === null) return undefined;
    if (found) return { strategy: strategy.name, ...found };
  }
  throw new Error('no strategy finds this list of spans');
}
