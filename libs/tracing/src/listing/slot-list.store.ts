import type { SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { betweenStarts, dayStart, onPostgres, rawSql, sql, type Sql } from '@spandrel/storage';
import { slotColumn, slotOf, slotStart } from '../span.entity.js';
import type { SpanQuery } from './span-candidates.store.js';
import { VALUES, type ValueName } from './span-filter.store.js';

/**
 * The slots with spans that have a value, one step in its index each: a CTE `slots(slot)`, made as far as it is read.
 * @param from where to begin: a slot.
 */
export function slotsWith(
  scope: Scope,
  query: SpanQuery,
  name: ValueName,
  order: SortOrder,
  from: number | undefined,
): Sql {
  const { since, until, within, days } = query;
  const lowest = [since, within?.from].flatMap((start) => (start === undefined ? [] : slotOf(start)));
  const highest = [until, within?.until].flatMap((start) => (start === undefined ? [] : slotOf(start)));
  if (from !== undefined) (order === 'desc' ? highest : lowest).push(from);
  const bounds = { low: Math.max(-Infinity, ...lowest), high: Math.min(Infinity, ...highest) };
  const value = rawSql(`v.${VALUES[name].column}`);
  if (!days) return sql`with recursive ${stepping(scope, value, order, bounds, 'span', 'slots')}`;
  // A step costs a look into every partition: of days that have one, all slots are taken.
  const known = [...new Set(days.flatMap(slotsOfDay))].filter((slot) => slot >= bounds.low && slot <= bounds.high);
  return sql`with recursive ${stepping(scope, value, order, bounds, 'span_default', 'others')}, slots(slot) as (
    select every.slot from (
      select unnest(${`{${known.join(',')}}`}::bigint[]) as slot union select others.slot from others where others.slot is not null
    ) every order by every.slot ${rawSql(order)}
  )`;
}

/** The slots with spans that have a value, one step in the index of a table each: a CTE. */
function stepping(
  scope: Scope,
  value: Sql,
  order: SortOrder,
  bounds: { low: number; high: number },
  table: string,
  slots: string,
): Sql {
  const slot = rawSql(slotColumn('v'));
  const [next, beyond] = order === 'desc' ? [rawSql('max'), rawSql('<')] : [rawSql('min'), rawSql('>')];
  const low = bounds.low === -Infinity ? rawSql('') : sql` and ${slot} >= ${bounds.low}`;
  const high = bounds.high === Infinity ? rawSql('') : sql` and ${slot} <= ${bounds.high}`;
  const found = sql`select ${next}(${slot}) from ${rawSql(table)} v
    where v.project_id = ${scope.projectId} and ${value} is not null`;
  const last = rawSql(`${slots}.slot`);
  return sql`${rawSql(slots)}(slot) as (
    ${found}${low}${high}
    union all
    select (${found} and ${slot} ${beyond} ${last}${order === 'desc' ? low : high})
    from ${rawSql(slots)} where ${last} is not null
  )`;
}

/** A slot may lie in two days. */
function slotsOfDay(day: number): number[] {
  const [first, last] = [slotOf(dayStart(day)), slotOf(dayStart(day + 1) - 1)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Which slot a span is in; on Postgres also in which partitions that is. */
export const slotIs = (slot: Sql | number): Sql =>
  typeof slot === 'number'
    ? sql`${rawSql(slotColumn('s'))} = ${slot}${betweenStarts('s.started_at', slotStart(slot), slotStart(slot + 1))}`
    : sql`${rawSql(slotColumn('s'))} = ${slot}${onPostgres(
        sql` and s.started_at >= ${slot} * ${SLOT} and s.started_at < (${slot} + 1) * ${SLOT}`,
      )}`;

const SLOT = rawSql(String(slotStart(1)));
