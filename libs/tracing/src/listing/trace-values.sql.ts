import type { TraceFilters, TraceSortKey } from '@spandrel/contract';
import { rawSql, sql, type Sorting, type Sql } from '@spandrel/storage';
import type { TraceRow } from '../trace.entity.js';

/** Integer columns end here on both databases. */
const INTEGER_MAX = 9_000_000_000_000_000_000;

/** A number by which traces are sorted and filtered: what its roll-up says, as the wire shows it. */
interface TraceValue extends Pick<Sorting, 'column' | 'type' | 'nullable'> {
  /** The value of a row, which is what `column` is for the database. */
  of(trace: TraceRow): number | null;
}

const LENGTH = 't.last_ended_at - t.started_at';

/** The columns are expressions without an index: the traces of a project are few beside its spans. */
export const TRACE_VALUES: Record<Exclude<TraceSortKey, 'started_at'>, TraceValue> = {
  duration: {
    column: `case when t.span_count > 0 and t.running_count = 0 then case when ${LENGTH} > 0 then ${LENGTH} else 0 end end`,
    type: 'integer',
    nullable: true,
    of: ({ spanCount, runningCount, lastEndedAt, startedAt }) =>
      spanCount === 0 || runningCount > 0 || lastEndedAt === null ? null : Math.max(0, lastEndedAt - startedAt),
  },
  cost: {
    column: `case when t.cost_count > 0 then
      cast(t.cost_usd as double precision) + cast(t.cost_pico as double precision) / cast(1000000000000 as double precision) end`,
    type: 'number',
    nullable: true,
    of: ({ costCount, costUsd, costPico }) => (costCount === 0 ? null : costUsd + costPico / 1e12),
  },
  tokens: { column: 't.total_tokens', type: 'integer', nullable: false, of: ({ totalTokens }) => totalTokens },
  spans: { column: 't.span_count', type: 'integer', nullable: false, of: ({ spanCount }) => spanCount },
};

/** The conditions of the filters on numbers, from `trace t` (docs/spec/traces.md#listing-traces). */
export function valueConditions(filters: TraceFilters): Sql[] {
  const { duration_min: shortest, duration_max: longest, cost_min: cheapest, tokens_min: fewest } = filters;
  const { duration, cost, tokens } = TRACE_VALUES;
  const conditions: Sql[] = [];
  if (shortest !== undefined) conditions.push(sql`${rawSql(duration.column)} >= ${integer(Math.ceil(shortest))}`);
  if (longest !== undefined) conditions.push(sql`${rawSql(duration.column)} <= ${integer(Math.floor(longest))}`);
  if (cheapest !== undefined) conditions.push(sql`${rawSql(cost.column)} >= ${cheapest}`);
  if (fewest !== undefined) conditions.push(sql`${rawSql(tokens.column)} >= ${integer(Math.ceil(fewest))}`);
  return conditions;
}

const integer = (value: number): number => Math.max(-INTEGER_MAX, Math.min(INTEGER_MAX, value));
