import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { integer, shapeOf, sql, type LongReadOptions, type RowOfShape, type Sql } from '@spandrel/storage';
import { GRAIN, type RollupRow, rollupTable } from './rollup.entity.js';
import { WeighedRead } from './weighed-read.sql.js';
import type { AnalyticsSummary } from '@spandrel/contract';
import { addCost, costOf, STATUS, type CostSum } from '@spandrel/tracing';
import { isUnknownCost } from './sums.js';

/** A row of the grain `all`; no span, no row. */
export type AllTimeRow = Pick<
  RollupRow,
  | 'model'
  | 'status'
  | 'llm'
  | 'spanCount'
  | 'tokens'
  | 'durationMs'
  | 'costUsd'
  | 'costPico'
  | 'costCount'
  | 'unpricedCount'
>;

const COLUMNS = rollupTable
  .select('r', [
    'model',
    'status',
    'llm',
    'spanCount',
    'tokens',
    'durationMs',
    'costUsd',
    'costPico',
    'costCount',
    'unpricedCount',
  ])
  .orNull();
const TRACE_COUNT = shapeOf({ traceCount: integer() });
const ALL_TIME = TRACE_COUNT.and(COLUMNS);
const COUNTS = TRACE_COUNT.and(shapeOf({ spanCount: integer() }));

/** A project without spans gives one row of the join, with nothing of the roll-up in it. */
const isThere = <Row extends RowOfShape<typeof ALL_TIME>>(row: Row): row is Row & AllTimeRow => row.spanCount !== null;

/** What the roll-ups say of all time. */
@Injectable()
export class SummaryStore {
  constructor(private readonly reads: WeighedRead) {}

  /** The rows of the grain `all` and the number of traces, of one moment. */
  async all(scope: Scope, options: LongReadOptions): Promise<{ traceCount: number; rows: AllTimeRow[] }> {
    const rows = await this.reads.read(
      allTimeRows(scope),
      ALL_TIME.query`select totals.trace_count as "traceCount", ${COLUMNS} from (${totals(scope)}) totals
        left join analytics_rollup r on r.project_id = ${scope.projectId} and r.grain = ${GRAIN.all}`,
      options,
    );
    return { traceCount: rows[0]!.traceCount, rows: rows.filter(isThere) };
  }

  /** How many traces and spans there are at one moment. */
  async counts(scope: Scope, options: LongReadOptions): Promise<{ traceCount: number; spanCount: number }> {
    const [counts] = await this.reads.read(
      allTimeRows(scope),
      COUNTS.query`select totals.trace_count as "traceCount",
          (select coalesce(sum(r.span_count), 0) from analytics_rollup r
            where r.project_id = ${scope.projectId} and r.grain = ${GRAIN.all}) as "spanCount"
        from (${totals(scope)}) totals`,
      options,
    );
    return counts!;
  }
}

const allTimeRows = ({ projectId }: Scope): Sql =>
  sql`select 1 as one from analytics_rollup where project_id = ${projectId} and grain = ${GRAIN.all}`;

/** One row, also for a project without traces. */
const totals = ({ projectId }: Scope): Sql =>
  sql`select coalesce((select trace_count from analytics_total where project_id = ${projectId}), 0) as trace_count`;

const NO_COST: CostSum = { usd: 0, pico: 0 };

class Total {
  spans = 0;
  tokens = 0;
  finished = 0;
  failed = 0;
  durationMs = 0;
  priced = 0;
  unpriced = 0;
  private cost = NO_COST;

  add(row: AllTimeRow): void {
    this.spans += row.spanCount;
    this.tokens += row.tokens;
    this.durationMs += row.durationMs;
    if (row.status !== STATUS.running) this.finished += row.spanCount;
    if (row.status === STATUS.failed) this.failed += row.spanCount;
    this.priced += row.costCount;
    this.unpriced += row.unpricedCount;
    this.cost = addCost(this.cost, { usd: row.costUsd, pico: row.costPico });
  }

  /** 0 for nothing that costs; `null` when the cost is not known. */
  get dollars(): number | null {
    return isUnknownCost(this) ? null : costOf(this.cost);
  }
}

/** `GET /api/analytics/summary` (docs/spec/analytics.md#summary). */
export function summaryOf(traceCount: number, rows: readonly AllTimeRow[]): AnalyticsSummary {
  const all = new Total();
  const byModel = new Map<string, Total>();
  for (const row of rows) {
    all.add(row);
    if (row.llm === 0 || row.model === '') continue;
    const model = row.model.slice(1);
    const total = byModel.get(model) ?? new Total();
    total.add(row);
    byModel.set(model, total);
  }
  return {
    total_traces: traceCount,
    total_spans: all.spans,
    total_cost: all.dollars,
    unpriced_count: all.unpriced,
    total_tokens: all.tokens,
    avg_latency_ms: all.finished === 0 ? null : all.durationMs / all.finished,
    error_rate: all.finished === 0 ? 0 : all.failed / all.finished,
    // Own members whatever a model is called, `__proto__` too.
    models: Object.fromEntries(
      [...byModel].map(([model, { spans, dollars, tokens, unpriced }]) => [
        model,
        { count: spans, cost: dollars, tokens, unpriced_count: unpriced },
      ]),
    ),
  };
}
