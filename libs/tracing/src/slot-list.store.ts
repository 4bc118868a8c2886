import type { SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { betweenStarts, onPostgres, rawSql, sql, type Sql } from '@spandrel/storage';
import { slotColumn, slotOf, slotStart } from './span.entity.js';
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
  const slot = rawSql(slotColumn('v'));
  const [next, beyond] = order === 'desc' ? [rawSql('max'), rawSql('<')] : [rawSql('min'), rawSql('>')];
  const beyondSlot = onPostgres(
    order === 'desc'
      ? sql` and v.started_at < slots.slot * ${SLOT}`
      : sql` and v.started_at >= (slots.slot + 1) * ${SLOT}`,
  );
  const lowest = query.since === undefined ? [] : [slotOf(query.since)];
  const highest = query.until === undefined ? [] : [slotOf(query.until)];
  if (from !== undefined) (order === 'desc' ? highest : lowest).push(from);
  const low = lowest.length === 0 ? rawSql('') : sql` and ${slot} >= ${Math.max(...lowest)}`;
  const high = highest.length === 0 ? rawSql('') : sql` and ${slot} <= ${Math.min(...highest)}`;
  const { within } = query;
  const found = sql`select ${next}(${slot}) from span v
    where v.project_id = ${scope.projectId}${betweenStarts('v.started_at', within?.from, within?.until)} and ${rawSql(`v.${VALUES[name].column}`)} is not null`;
  return sql`with recursive slots(slot) as (
    ${found}${low}${high}
    union all
    select (${found} and ${slot} ${beyond} slots.slot${beyondSlot}${order === 'desc' ? low : high})
    from slots where slots.slot is not null
  )`;
}

/** Which slot a span is in; on Postgres also in which partitions that is. */
export const slotIs = (slot: Sql | number): Sql =>
  typeof slot === 'number'
    ? sql`${rawSql(slotColumn('s'))} = ${slot}${betweenStarts('s.started_at', slotStart(slot), slotStart(slot + 1))}`
    : sql`${rawSql(slotColumn('s'))} = ${slot}${onPostgres(
        sql` and s.started_at >= ${slot} * ${SLOT} and s.started_at < (${slot} + 1) * ${SLOT}`,
      )}`;

const SLOT = rawSql(String(slotStart(1)));
