import type { AnalyticsSummary, BucketSums, BucketWidth, SpanResource, Split, TimeBucket } from '@spandrel/contract';
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
  status: string;
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
  status: typeof status === 'object' ? 'failed' : status,
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
  split_by?: Split | undefined;
  top?: number | undefined;
  percentiles?: boolean | undefined;
}

/** The sums of spans, with exact percentiles where they are asked for. */
function sumsOf(spans: readonly Facts[], percentiles: boolean): BucketSums {
  const finished = spans.flatMap(({ latency }) => (latency === null ? [] : [latency])).toSorted((a, b) => a - b);
  const at = (percent: number): number | null => finished[Math.ceil((finished.length * percent) / 100) - 1] ?? null;
  return {
    span_count: spans.length,
    cost: knownCostOf(spans),
    unpriced_count: unpricedOf(spans),
    tokens: tokensOf(spans),
    avg_latency_ms: latencyOf(spans),
    error_count: spans.filter(({ failed }) => failed).length,
    ...(percentiles && { p50_ms: at(50), p95_ms: at(95), p99_ms: at(99) }),
  };
}

/** The keys that have sums of their own: those that cost most, then those with most spans. */
function topOf(spans: readonly Facts[], by: Split, top: number): string[] {
  const keys = [...new Set(spans.flatMap((span) => span[by] ?? []))];
  const rank = (key: string): [number, number] => {
    const own = spans.filter((span) => span[by] === key);
    return [costSumOf(own), own.length];
  };
  return keys.toSorted((a, b) => rank(b)[0] - rank(a)[0] || rank(b)[1] - rank(a)[1] || (a < b ? -1 : 1)).slice(0, top);
}

/** `POST /api/analytics` without `fill`, as simply as it can be said. */
export function naiveSeries(question: SeriesQuestion, resources: readonly SpanResource[]): TimeBucket[] {
  const {
    since,
    until,
    group_by: width = 'day',
    model,
    provider,
    split_by: by,
    top = 8,
    percentiles = false,
  } = question;
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
      ...sumsOf(within, percentiles),
      ...(by && { series: seriesOf(within, by, topOf(spans, by, top), percentiles) }),
    };
  });
}

function seriesOf(within: readonly Facts[], by: Split, top: readonly string[], percentiles: boolean) {
  const others = within.filter((span) => span[by] === null || !top.includes(span[by]));
  return [...top, null].flatMap((key) => {
    const own = key === null ? others : within.filter((span) => span[by] === key);
    return own.length === 0 ? [] : [{ key, ...sumsOf(own, percentiles) }];
  });
}

/** By the calendar, not by arithmetic. */
function startOf(epochMs: number, width: BucketWidth): number {
  const date = new Date(epochMs);
  if (width === 'minute') return date.setUTCSeconds(0, 0);
  if (width === 'hour') return date.setUTCMinutes(0, 0, 0);
  date.setUTCHours(0, 0, 0, 0);
  if (width === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.getTime();
}
