import type { AnalyticsSummary } from '@spandrel/contract';
import { addCost, costOf, STATUS, type CostSum } from '@spandrel/tracing';
import { isUnknownCost } from './sums.js';
import type { AllTimeRow } from './summary.store.js';

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
