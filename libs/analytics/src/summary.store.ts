import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { integer, shapeOf, sql, type RowOfShape, type Sql } from '@spandrel/storage';
import { GRAIN, type RollupRow, rollupTable } from './rollup.entity.js';
import { WeighedRead } from './weighed-read.sql.js';
import { getOrMake, type AnalyticsSummary } from '@spandrel/contract';
import { STATUS } from '@spandrel/tracing';
import { addSums, costOfSums, latencyOfSums, noSums, splitPico, type Sums } from './sums.js';

const ALL_TIME_COLUMNS = [
  ...(['model', 'status', 'llm', 'spanCount', 'tokens', 'inputTokens', 'cachedTokens', 'durationMs'] as const),
  ...(['costUsd', 'costPico', 'costCount', 'unpricedCount'] as const),
];

/** A row of the grain `all`; no span, no row. */
export type AllTimeRow = Pick<RollupRow, (typeof ALL_TIME_COLUMNS)[number]>;

const COLUMNS = rollupTable.select('r', ALL_TIME_COLUMNS).orNull();
const ALL_TIME = shapeOf({ traceCount: integer() }).and(COLUMNS);

/** A project without spans gives one row of the join, with nothing of the roll-up in it. */
const isThere = <Row extends RowOfShape<typeof ALL_TIME>>(row: Row): row is Row & AllTimeRow => row.spanCount !== null;

@Injectable()
export class SummaryStore {
  constructor(private readonly reads: WeighedRead) {}

  /** The rows of the grain `all` and the number of traces, of one moment. */
  async all(scope: Scope): Promise<{ traceCount: number; rows: AllTimeRow[] }> {
    const rows = await this.reads.read(
      allTimeRows(scope),
      ALL_TIME.query`select totals.trace_count as "traceCount", ${COLUMNS} from (${totals(scope)}) totals
        left join analytics_rollup r on r.project_id = ${scope.projectId} and r.grain = ${GRAIN.all}`,
      scope,
    );
    return { traceCount: rows[0]!.traceCount, rows: rows.filter(isThere) };
  }
}

const allTimeRows = ({ projectId }: Scope): Sql =>
  sql`select 1 as one from analytics_rollup where project_id = ${projectId} and grain = ${GRAIN.all}`;

/** One row, also for a project without traces. */
const totals = ({ projectId }: Scope): Sql =>
  sql`select coalesce((select trace_count from analytics_total where project_id = ${projectId}), 0) as trace_count`;

const toSums = (row: AllTimeRow): Sums => ({
  spans: row.spanCount,
  tokens: row.tokens,
  inputTokens: row.inputTokens,
  cachedTokens: row.cachedTokens,
  finished: row.status === STATUS.running ? 0 : row.spanCount,
  durationMs: row.durationMs,
  errors: row.status === STATUS.failed ? row.spanCount : 0,
  priced: row.costCount,
  unpriced: row.unpricedCount,
  usd: row.costUsd,
  ...splitPico(row.costPico),
});

/** `GET /api/analytics/summary` (docs/spec/analytics.md#summary). */
export function summaryOf(traceCount: number, rows: readonly AllTimeRow[]): AnalyticsSummary {
  const all = noSums();
  const byModel = new Map<string, Sums>();
  for (const row of rows) {
    addSums(all, toSums(row));
    if (row.llm === 1 && row.model !== '') addSums(getOrMake(byModel, row.model.slice(1), noSums), toSums(row));
  }
  return {
    total_traces: traceCount,
    total_spans: all.spans,
    total_cost: costOfSums(all),
    unpriced_count: all.unpriced,
    total_tokens: all.tokens,
    avg_latency_ms: latencyOfSums(all),
    error_rate: all.finished === 0 ? 0 : all.errors / all.finished,
    // Own members whatever a model is called, `__proto__` too.
    models: Object.fromEntries(
      [...byModel].map(([model, sums]) => [
        model,
        { count: sums.spans, cost: costOfSums(sums), tokens: sums.tokens, unpriced_count: sums.unpriced },
      ]),
    ),
  };
}
