import type { AnalyticsSummary, BucketWidth, SpanResource, TimeBucket } from '@spandrel/contract';
import { addCost, costOf, toCostSum } from '@spandrel/tracing';

/** What analytics count of a span, from its resource alone. */
interface Facts {
  startedAt: number;
  type: string;
  model: string | null;
  provider: string | null;
  tokens: number;
  cost: number | null;
  /** Milliseconds; `null` while it runs. */
  latency: number | null;
  failed: boolean;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const factsOf = ({ kind, started_at, ended_at, status }: SpanResource): Facts => ({
  startedAt: Date.parse(started_at),
  type: kind.type,
  model: textOrNull(kind['model']),
  provider: textOrNull(kind['provider']),
  tokens: (numberOrNull(kind['input_tokens']) ?? 0) + (numberOrNull(kind['output_tokens']) ?? 0),
  cost: numberOrNull(kind['cost']),
  latency: ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at),
  failed: typeof status === 'object',
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const tokensOf = (spans: readonly Facts[]): number => sum(spans.map(({ tokens }) => tokens));
const costSumOf = (spans: readonly Facts[]): number =>
  costOf(
    spans
      .flatMap(({ cost }) => (cost === null ? [] : [toCostSum(cost)]))
      .reduce((total, cost) => addCost(total, cost), { usd: 0, pico: 0 }),
  );
/** Spans with tokens that have ended without a cost. */
const unpricedOf = (spans: readonly Facts[]): number =>
  spans.filter(({ tokens, cost, latency }) => tokens > 0 && cost === null && latency !== null).length;
/** `null` when all there is of costs is missing. */
const knownCostOf = (spans: readonly Facts[]): number | null =>
  unpricedOf(spans) > 0 && spans.every(({ cost }) => cost === null) ? null : costSumOf(spans);
const latencyOf = (spans: readonly Facts[]): number | null => {
  const finished = spans.flatMap(({ latency }) => (latency === null ? [] : [latency]));
  return finished.length === 0 ? null : sum(finished) / finished.length;
};

/** `GET /api/analytics/summary`, as simply as it can be said. */
export function naiveSummary(traceCount: number, resources: readonly SpanResource[]): AnalyticsSummary {
  const spans = resources.map(factsOf);
  const finished = spans.filter(({ latency }) => latency !== null);
  const calls = spans.filter(({ type }) => type === 'llm_call');
  const models = [...new Set(calls.map(({ model }) => model!))].map((name) => {
    const ofModel = calls.filter(({ model }) => model === name);
    return [
      name,
      {
        count: ofModel.length,
        cost: knownCostOf(ofModel),
        tokens: tokensOf(ofModel),
        unpriced_count: unpricedOf(ofModel),
      },
    ] as const;
  });
  return {
    total_traces: traceCount,
    total_spans: spans.length,
    total_cost: knownCostOf(spans),
    unpriced_count: unpricedOf(spans),
    total_tokens: tokensOf(spans),
    avg_latency_ms: latencyOf(spans),
    error_rate: finished.length === 0 ? 0 : finished.filter(({ failed }) => failed).length / finished.length,
    models: Object.fromEntries(models),
  };
}

/** What `POST /api/analytics` is asked. */
export interface SeriesQuestion {
  since?: string | undefined;
  until?: string | undefined;
  group_by?: BucketWidth | undefined;
  model?: string | undefined;
  provider?: string | undefined;
}

/** `POST /api/analytics` without `fill`, as simply as it can be said. */
export function naiveSeries(question: SeriesQuestion, resources: readonly SpanResource[]): TimeBucket[] {
  const { since, until, group_by: width = 'day', model, provider } = question;
  const spans = resources
    .map(factsOf)
    .filter((span) => since === undefined || span.startedAt >= Date.parse(since))
    .filter((span) => until === undefined || span.startedAt < Date.parse(until))
    .filter((span) => model === undefined || span.model === model)
    .filter((span) => provider === undefined || span.provider === provider);
  const starts = [...new Set(spans.map(({ startedAt }) => startOf(startedAt, width)))].toSorted((a, b) => a - b);
  return starts.map((start) => {
    const within = spans.filter(({ startedAt }) => startOf(startedAt, width) === start);
    return {
      timestamp: new Date(start).toISOString(),
      span_count: within.length,
      cost: knownCostOf(within),
      unpriced_count: unpricedOf(within),
      tokens: tokensOf(within),
      avg_latency_ms: latencyOf(within),
      error_count: within.filter(({ failed }) => failed).length,
    };
  });
}

/** By the calendar, not by arithmetic. */
function startOf(epochMs: number, width: BucketWidth): number {
  const date = new Date(epochMs);
  if (width === 'hour') return date.setUTCMinutes(0, 0, 0);
  date.setUTCHours(0, 0, 0, 0);
  if (width === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.getTime();
}
