import type { AnalyticsSummary, TimeBucket } from '@spandrel/contract';

/** Sums over spans; `cost` and `averageMs` are `null` where they are not known. */
export interface Totals {
  spans: number;
  cost: number | null;
  unpriced: number;
  tokens: number;
  errors: number;
  finished: number;
  averageMs: number | null;
}

/** A model and what its calls come to; `null` for all that are not distinguished. */
export interface ModelSums {
  model: string | null;
  calls: number;
  tokens: number;
  cost: number | null;
}

/** How many models a question distinguishes. */
export const MODELS_MAX = 20;

/** Costs come in trillionths of a dollar: adding doubles leaves a dust behind them. */
const DUST = 1e12;
export const addCosts = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.round((a + b) * DUST) / DUST;

/** The sums of all buckets. @param buckets split by status. */
export function totalsOf(buckets: readonly TimeBucket[]): Totals {
  const totals: Totals = { spans: 0, cost: null, unpriced: 0, tokens: 0, errors: 0, finished: 0, averageMs: null };
  let durationMs = 0;
  for (const bucket of buckets) {
    totals.spans += bucket.span_count;
    totals.cost = addCosts(totals.cost, bucket.cost);
    totals.unpriced += bucket.unpriced_count;
    totals.tokens += bucket.tokens;
    totals.errors += bucket.error_count;
    for (const { key, span_count: count, avg_latency_ms: latency } of bucket.series ?? []) {
      if (key === 'running' || latency === null) continue;
      totals.finished += count;
      durationMs += latency * count;
    }
  }
  if (totals.finished > 0) totals.averageMs = durationMs / totals.finished;
  return totals;
}

/** The sums of each key over all buckets, those that cost most first, all others together last. */
export function sumsByKey(buckets: readonly TimeBucket[]): ModelSums[] {
  const sums = new Map<string | null, ModelSums>();
  for (const { key: model, span_count: calls, tokens, cost } of buckets.flatMap(({ series }) => series ?? [])) {
    const before = sums.get(model) ?? { calls: 0, tokens: 0, cost: null };
    sums.set(model, {
      ...{ model, calls: before.calls + calls, tokens: before.tokens + tokens },
      cost: addCosts(before.cost, cost),
    });
  }
  return [...sums.values()].toSorted(byCost);
}

/** The models of a range. What is not distinguished are spans without a model unless there are too many models. */
export function modelsOf(buckets: readonly TimeBucket[]): ModelSums[] {
  const sums = sumsByKey(buckets);
  return sums.length > MODELS_MAX ? sums : sums.filter(({ model }) => model !== null);
}

/** The models of all time. */
export function modelsOfSummary({ models }: AnalyticsSummary): ModelSums[] {
  return Object.entries(models)
    .map(([model, { count, tokens, cost }]) => ({ model, calls: count, tokens, cost }))
    .toSorted(byCost);
}

const byCost = (a: ModelSums, b: ModelSums): number =>
  Number(a.model === null) - Number(b.model === null) ||
  (b.cost ?? 0) - (a.cost ?? 0) ||
  b.calls - a.calls ||
  (a.model! < b.model! ? -1 : 1);
