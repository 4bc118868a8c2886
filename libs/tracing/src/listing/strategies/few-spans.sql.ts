import type { ListSpans } from '@spandrel/contract';
import { anyOf, betweenStarts, joinSql, sql, type Sql } from '@spandrel/storage';
import type { ListRequest } from '../list-request.sql.js';
import { byWalk, type ListStrategy } from '../list-strategy.js';
import {
  equalityFilters,
  filteredValues,
  isOfOnePlace,
  spanConditions,
  type EqualityFilter,
  type IndexedFilter,
  type ValueName,
} from '../span-filter.sql.js';
import { inValueRange } from './value-range.sql.js';

/** A filter whose index finds the spans. */
type Driver =
  | { by: 'equality'; filter: EqualityFilter }
  | { by: 'names'; names: readonly string[] }
  | { by: 'value'; name: ValueName };

/** What leaves few spans: the filter whose index is to serve, or a condition of its own. */
interface FewSpans {
  /** How many there are. */
  spans: number;
  indexed: readonly IndexedFilter[];
  condition?: Sql;
}

/** Spans that one of the filters leaves few of, found by its index and sorted. */
export const fewSpans: ListStrategy = {
  name: 'few-spans',

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
  const at = equalities.findIndex((driver) => driver.by === 'equality' && !isOfOnePlace(driver.filter));
  const named: Driver[] = names ? [{ by: 'names', names }] : [];
  return [...equalities.toSpliced(at === -1 ? equalities.length : at, 0, ...named), ...values];
}

/** The first filter that leaves at most `limit` spans. */
async function firstFew(list: ListRequest, drivers: readonly Driver[], limit: number): Promise<FewSpans | undefined> {
  for (const driver of drivers) {
    const few = await countedBy(list, driver, limit);
    if (few.spans <= limit) return few;
  }
  return undefined;
}

/** The spans that a filter leaves, counted up to one more than `limit`. */
async function countedBy(list: ListRequest, driver: Driver, limit: number): Promise<FewSpans> {
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
