import type { ListSpans, SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { rawSql, sql, type Sql } from '@spandrel/storage';
import { slotColumn, slotOf } from './span.entity.js';
import { VALUES, type ValueName } from './span-filter.store.js';

/**
 * The slots with spans that have a value, one step in its index each: a CTE `slots(slot)`, made as far as it is read.
 * @param from where to begin: a slot.
 */
export function slotsWith(
  scope: Scope,
  query: ListSpans,
  name: ValueName,
  order: SortOrder,
  from: number | undefined,
): Sql {
  const slot = rawSql(slotColumn('v'));
  const [next, beyond] = order === 'desc' ? [rawSql('max'), rawSql('<')] : [rawSql('min'), rawSql('>')];
  const lowest = query.since === undefined ? [] : [slotOf(query.since)];
  const highest = query.until === undefined ? [] : [slotOf(query.until)];
  if (from !== undefined) (order === 'desc' ? highest : lowest).push(from);
  const low = lowest.length === 0 ? rawSql('') : sql` and ${slot} >= ${Math.max(...lowest)}`;
  const high = highest.length === 0 ? rawSql('') : sql` and ${slot} <= ${Math.min(...highest)}`;
  const found = sql`select ${next}(${slot}) from span v
    where v.project_id = ${scope.projectId} and ${rawSql(`v.${VALUES[name].column}`)} is not null`;
  return sql`with recursive slots(slot) as (
    ${found}${low}${high}
    union all
    select (${found} and ${slot} ${beyond} slots.slot${order === 'desc' ? low : high})
    from slots where slots.slot is not null
  )`;
}

/** Which slot a span is in. */
export const slotIs = (slot: Sql | number): Sql => sql`${rawSql(slotColumn('s'))} = ${slot}`;
