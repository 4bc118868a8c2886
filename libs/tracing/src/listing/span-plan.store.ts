import { anyOf, betweenStarts, joinSql, sql, type Sql } from '@spandrel/storage';
import type { ListSpans } from '@spandrel/contract';
import { walking, type SpanPlan, type SpanRead } from './span-candidates.store.js';
import {
  equalityFilters,
  filteredValues,
  spanConditions,
  type EqualityFilter,
  type IndexedFilter,
  type ValueName,
} from './span-filter.store.js';
import { byNames, namesWith } from './span-names.store.js';
import { byValueRange, inValueRange } from './value-filter.store.js';
import { byValue } from './value-order.store.js';
import type { OfTraces } from './trace-filter.store.js';

/** A filter whose index finds the spans. */
type Driver =
  | { by: 'equality'; filter: EqualityFilter }
  | { by: 'names'; names: readonly string[] }
  | { by: 'value'; name: ValueName };

/** What leaves few spans: the filter whose index is to serve, or a condition of its own. */
interface FewSpans {
  indexed: readonly IndexedFilter[];
  condition?: Sql;
}

/**
 * How the spans of a list are found with the least work. Where a filter leaves few spans, by its index, to be sorted;
 * else in list order: by the index of a filter in start order, name by name, slot by slot, or by the index of the sort.
 * The counts behind it are bounded, so that choosing costs little.
 * @returns `null` when nothing can match.
 */
export async function planSpans(read: SpanRead, ofTraces: OfTraces | undefined): Promise<SpanPlan | null> {
  const { scope, query, sorting, storage, options, limits } = read;
  if (spanConditions(scope, query) === null) return null;
  const where = (indexed: readonly IndexedFilter[], condition?: Sql): Sql => {
    const conditions = [...(spanConditions(scope, query, indexed) ?? [])];
    if (ofTraces) conditions.push(ofTraces.condition);
    return joinSql(condition ? [...conditions, condition] : conditions, ' and ');
  };
  const walk = (indexed: readonly IndexedFilter[], few = false, condition?: Sql): SpanPlan => {
    const one = { where: where(indexed, condition), sorting: { ...sorting, unindexed: few } };
    return { walk: one, candidates: walking(read, one) };
  };
  if (ofTraces?.few) return walk([], true);
  const { name_contains: needle, sort_by: sortBy } = query;
  const names = needle === undefined ? undefined : await namesWith(storage, scope, needle, options, query.within);
  if (names?.length === 0) return null;
  const drivers = driversOf(query, names);
  const byStart = sortBy === 'started_at';
  if (drivers.length > (byStart ? 1 : 0)) {
    const few = await fewOf(read, drivers, byStart ? limits.ofFilter : limits.toSort);
    if (few) return walk(few.indexed, true, few.condition);
  }
  const [driver] = drivers;
  if (!byStart) {
    if (driver?.by === 'equality' && ofOnePlace(driver.filter)) return walk([driver.filter], true);
    return sortBy === 'name' ? walk([]) : { candidates: byValue(read, sortBy, where([])) };
  }
  switch (driver?.by) {
    case 'equality':
      return walk([driver.filter, 'since', 'until']);
    case 'names':
      return { candidates: byNames(read, driver.names, where([])) };
    case 'value':
      return { candidates: byValueRange(read, driver.name) };
    default:
      return walk(['since', 'until']);
  }
}

/** The filters that an index finds the spans of, likely the rarer ones first. */
function driversOf(query: ListSpans, names: readonly string[] | undefined): Driver[] {
  const equalities = equalityFilters(query).map((filter): Driver => ({ by: 'equality', filter }));
  const values = filteredValues(query).map((name): Driver => ({ by: 'value', name }));
  const at = equalities.findIndex((driver) => driver.by === 'equality' && !ofOnePlace(driver.filter));
  const named: Driver[] = names ? [{ by: 'names', names }] : [];
  return [...equalities.toSpliced(at === -1 ? equalities.length : at, 0, ...named), ...values];
}

/** Spans of a trace or a parent lie together, so that those of all others would be walked past. */
const ofOnePlace = (filter: EqualityFilter): boolean => filter === 'trace_id' || filter === 'parent_id';

/** The first filter that leaves few spans. */
async function fewOf(read: SpanRead, drivers: readonly Driver[], limit: number): Promise<FewSpans | undefined> {
  const { storage, scope, query, options } = read;
  const within = query.within && { within: query.within };
  const isFew = async (where: Sql): Promise<boolean> => {
    const [row] = await storage.readLong<{ number: number }>(
      sql`select count(*) as number from (select 1 as one from span s where ${where} limit ${limit + 1}) taken`,
      options,
    );
    return row!.number <= limit;
  };
  for (const driver of drivers) {
    if (driver.by === 'value') {
      const found = await storage.readLong<{ id: string }>(inValueRange(scope, query, driver.name, limit + 1), options);
      const ids = found.map(({ id }) => id);
      if (ids.length <= limit) return { indexed: [], condition: anyOf('s.id', ids) };
    } else if (driver.by === 'names') {
      const condition = anyOf('s.name', driver.names);
      const start = betweenStarts('s.started_at', query.within?.from, query.within?.until);
      if (await isFew(sql`s.project_id = ${scope.projectId}${start} and ${condition}`))
        return { indexed: [], condition };
    } else {
      const only = spanConditions(scope, { ...NO_FILTER, ...within, [driver.filter]: query[driver.filter] }, [
        driver.filter,
      ]);
      if (await isFew(joinSql(only ?? [], ' and '))) return { indexed: [driver.filter] };
    }
  }
  return undefined;
}

const NO_FILTER: ListSpans = { sort_by: 'started_at', sort_order: 'desc', limit: 1 };
