import type {
  AnalyticsSummary,
  BucketSums,
  BucketWidth,
  CountedThing,
  GroupKey,
  GroupsAnswer,
  GroupSums,
  RankMeasure,
  SpanResource,
  Split,
  TimedSums,
  TimeBucket,
  TraceListItem,
} from '@spandrel/contract';
import { compareTexts } from '@spandrel/storage';
import { addCost, costOf, toCostSum } from '@spandrel/tracing';

/** What analytics count of a span, from its resource alone. */
interface Facts {
  startedAt: number;
  type: string;
  model: string | null;
  provider: string | null;
  tokens: number;
  /** `null` of traces. */
  input: number | null;
  cached: number | null;
  /** Every cost that is known. */
  costs: readonly number[];
  unpriced: number;
  /** Milliseconds; `null` while it runs. */
  latency: number | null;
  failed: boolean;
  status: string;
  traceId: string;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const factsOf = ({ kind, started_at, ended_at, status, trace_id }: SpanResource): Facts => {
  const input = numberOrNull(kind['input_tokens']) ?? 0;
  const tokens = input + (numberOrNull(kind['output_tokens']) ?? 0);
  const cost = numberOrNull(kind['cost']);
  return {
    ...{ tokens, input, cached: numberOrNull(kind['cached_input_tokens']) ?? 0, traceId: trace_id },
    startedAt: Date.parse(started_at),
    type: kind.type,
    model: textOrNull(kind['model']),
    provider: textOrNull(kind['provider']),
    costs: cost === null ? [] : [cost],
    unpriced: tokens > 0 && cost === null && ended_at !== null ? 1 : 0,
    latency: ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at),
    failed: typeof status === 'object',
    status: typeof status === 'object' ? 'failed' : status,
  };
};

/** A trace is counted by its own start, with what all of its spans come to. */
function traceFacts({ id, started_at, status, duration_ms }: TraceListItem, spans: readonly Facts[]): Facts {
  const own = spans.filter(({ traceId }) => traceId === id);
  return {
    ...{ traceId: id, startedAt: Date.parse(started_at), type: 'trace', model: null, provider: null },
    ...{ tokens: tokensOf(own), input: null, cached: null, latency: duration_ms, status, failed: status === 'failed' },
    costs: own.flatMap(({ costs }) => costs),
    unpriced: unpricedOf(own),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const tokensOf = (spans: readonly Facts[]): number => sum(spans.map(({ tokens }) => tokens));
const costSumOf = (spans: readonly Facts[]): number =>
  costOf(
    spans
      .flatMap(({ costs }) => costs.map(toCostSum))
      .reduce((total, cost) => addCost(total, cost), { usd: 0, pico: 0 }),
  );
/** Spans with tokens that have ended without a cost. */
const unpricedOf = (spans: readonly Facts[]): number => sum(spans.map(({ unpriced }) => unpriced));
/** `null` when all there is of costs is missing. */
const knownCostOf = (spans: readonly Facts[]): number | null =>
  unpricedOf(spans) > 0 && spans.every(({ costs }) => costs.length === 0) ? null : costSumOf(spans);
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
  user_id?: string | undefined;
  of?: CountedThing | undefined;
  /** The whole range is one bucket. */
  isWhole?: boolean;
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
    ...partsOf(spans),
    finished_count: finished.length,
    avg_latency_ms: latencyOf(spans),
    error_count: spans.filter(({ failed }) => failed).length,
    ...(percentiles && { p50_ms: at(50), p95_ms: at(95), p99_ms: at(99) }),
  };
}

function partsOf(spans: readonly Facts[]) {
  if (spans.some(({ input }) => input === null)) {
    return { input_tokens: null, output_tokens: null, cached_input_tokens: null };
  }
  const input = sum(spans.map((span) => span.input!));
  const cached = sum(spans.map((span) => span.cached!));
  return { input_tokens: input, output_tokens: tokensOf(spans) - input, cached_input_tokens: cached };
}

type KeysOf = (facts: Facts) => readonly string[];

/** By which keys something counts: a trace for each of its tags, models and providers. */
function keysBy(by: Split, traces: ReadonlyMap<string, TraceListItem>, spans: readonly Facts[]): KeysOf {
  return (facts) => {
    const trace = traces.get(facts.traceId);
    const own = facts.type === 'trace' ? spans.filter(({ traceId }) => traceId === facts.traceId) : [facts];
    switch (by) {
      case 'model':
      case 'provider':
        return [...new Set(own.flatMap((span) => span[by] ?? []))];
      case 'status':
        return [facts.status];
      case 'tag':
        return [...new Set(trace?.tags)];
      case 'user':
        return trace?.user_id == null ? [] : [trace.user_id];
      case 'session':
        return trace?.session_id == null ? [] : [trace.session_id];
      case 'trace_name':
        return trace?.name == null ? [] : [trace.name];
      default: {
        const value = trace?.metadata[by.slice('metadata.'.length)] ?? null;
        return value === null ? [] : [typeof value === 'string' ? value : JSON.stringify(value)];
      }
    }
  };
}

/** The keys that have sums of their own: those that cost most, then those with most spans. */
function topOf(spans: readonly Facts[], keysOf: KeysOf, top: number): string[] {
  const keys = [...new Set(spans.flatMap(keysOf))];
  const rank = (key: string): [number, number] => {
    const own = spans.filter((span) => keysOf(span).includes(key));
    return [costSumOf(own), own.length];
  };
  return keys.toSorted((a, b) => rank(b)[0] - rank(a)[0] || rank(b)[1] - rank(a)[1] || (a < b ? -1 : 1)).slice(0, top);
}

/** `POST /api/analytics` without `fill`, as simply as it can be said. */
export function naiveSeries(
  question: SeriesQuestion,
  resources: readonly SpanResource[],
  traceItems: readonly TraceListItem[] = [],
): TimeBucket[] {
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
  const all = resources.map(factsOf);
  const traces = new Map(traceItems.map((trace) => [trace.id, trace]));
  const things = question.of === 'traces' ? traceItems.map((trace) => traceFacts(trace, all)) : all;
  const has = (facts: Facts, of: 'model' | 'provider', name: string | undefined): boolean =>
    name === undefined || keysBy(of, traces, all)(facts).includes(name);
  const spans = things
    .filter(({ type }) => question.of !== 'llm_calls' || type === 'llm_call')
    .filter(({ traceId }) => question.user_id === undefined || traces.get(traceId)?.user_id === question.user_id)
    .filter((span) => since === undefined || span.startedAt >= Date.parse(since))
    .filter((span) => until === undefined || span.startedAt < Date.parse(until))
    .filter((span) => has(span, 'model', model) && has(span, 'provider', provider));
  const keysOf = by && keysBy(by, traces, all);
  const startOf = (at: number): number => (question.isWhole ? 0 : bucketStart(at, width));
  const starts = [...new Set(spans.map(({ startedAt }) => startOf(startedAt)))].toSorted((a, b) => a - b);
  return starts.map((start) => {
    const within = spans.filter(({ startedAt }) => startOf(startedAt) === start);
    return {
      timestamp: new Date(start).toISOString(),
      ...sumsOf(within, percentiles),
      ...(keysOf && { series: seriesOf(within, keysOf, topOf(spans, keysOf, top), percentiles) }),
    };
  });
}

function seriesOf(within: readonly Facts[], keysOf: KeysOf, top: readonly string[], percentiles: boolean) {
  const others = within.filter((span) => !keysOf(span).some((key) => top.includes(key)));
  return [...top, null].flatMap((key) => {
    const own = key === null ? others : within.filter((span) => keysOf(span).includes(key));
    return own.length === 0 ? [] : [{ key, ...sumsOf(own, percentiles) }];
  });
}

/** In the order in which groups of the same rank come. */
const STATUSES = ['running', 'completed', 'failed'];

/** What `POST /api/analytics/query` is asked, beside filters. */
export interface GroupsQuestion {
  group_by?: GroupKey[] | undefined;
  bucket?: BucketWidth | undefined;
  order_by?: RankMeasure | undefined;
  top?: number | undefined;
  percentiles?: boolean | undefined;
}

/** `POST /api/analytics/query`, as simply as it can be said. @param resources the spans that match the filters. */
export function naiveGroups(
  { group_by: by = [], bucket, order_by: order = 'cost', top = 10, percentiles = false }: GroupsQuestion,
  resources: readonly SpanResource[],
  traceItems: readonly TraceListItem[],
): Pick<GroupsAnswer, 'groups' | 'other' | 'total'> {
  const traces = new Map(traceItems.map((trace) => [trace.id, trace]));
  const things = resources.map((resource) => ({ resource, facts: factsOf(resource) }));
  const valuesOf = ({ resource, facts }: (typeof things)[number], key: GroupKey): readonly (string | null)[] => {
    if (key === 'kind') return [facts.type];
    if (key === 'name') return [resource.name];
    const values = keysBy(key, traces, [])(facts);
    return values.length === 0 ? [null] : values;
  };
  const groupsOf = (thing: (typeof things)[number]): string[] =>
    by
      .reduce<(string | null)[][]>(
        (found, key) => found.flatMap((keys) => valuesOf(thing, key).map((value) => [...keys, value])),
        [[]],
      )
      .map((keys) => JSON.stringify(keys));
  const grouped = things.map((thing) => ({ facts: thing.facts, groups: by.length === 0 ? [] : groupsOf(thing) }));
  const ofGroup = (group: string): Facts[] =>
    grouped.flatMap(({ facts, groups }) => (groups.includes(group) ? [facts] : []));
  const timed = (spans: readonly Facts[]): TimedSums => {
    const sums = (own: readonly Facts[]): GroupSums => {
      const all = sumsOf(own, percentiles);
      return { ...all, error_rate: all.finished_count === 0 ? null : all.error_count / all.finished_count };
    };
    if (bucket === undefined) return sums(spans);
    const starts = [...new Set(spans.map(({ startedAt }) => bucketStart(startedAt, bucket)))].toSorted((a, b) => a - b);
    const buckets = starts.map((start) => ({
      timestamp: new Date(start).toISOString(),
      ...sums(spans.filter(({ startedAt }) => bucketStart(startedAt, bucket) === start)),
    }));
    return { ...sums(spans), buckets };
  };
  const measured = (group: string): [number, number, readonly string[]] => {
    const sums = timed(ofGroup(group));
    const values: Partial<Record<RankMeasure, number | null>> = {
      count: sums.span_count,
      cost: costSumOf(ofGroup(group)),
      tokens: sums.tokens,
      input_tokens: sums.input_tokens,
      output_tokens: sums.output_tokens,
      avg_latency: sums.avg_latency_ms,
      errors: sums.error_count,
      error_rate: sums.error_rate,
    };
    const keys = (JSON.parse(group) as (string | null)[]).map((key, at) =>
      by[at] === 'status' ? String(STATUSES.indexOf(key!)) : key === null ? '' : `=${key}`,
    );
    return [values[order] ?? -Infinity, sums.span_count, keys];
  };
  const ranked = [...new Set(grouped.flatMap(({ groups }) => groups))].map((group) => ({
    group,
    rank: measured(group),
  }));
  const sorted = ranked.toSorted(
    ({ rank: a }, { rank: b }) =>
      (a[0] === b[0] ? 0 : b[0] - a[0]) ||
      b[1] - a[1] ||
      compareTexts(a[2][0]!, b[2][0]!) ||
      compareTexts(a[2][1] ?? '', b[2][1] ?? ''),
  );
  const chosen = sorted.slice(0, top).map(({ group }) => group);
  const others = grouped.flatMap(({ facts, groups }) =>
    by.length > 0 && !groups.some((group) => chosen.includes(group)) ? [facts] : [],
  );
  return {
    groups: chosen.map((group) => ({ keys: JSON.parse(group) as (string | null)[], ...timed(ofGroup(group)) })),
    other: others.length === 0 ? null : timed(others),
    total: timed(grouped.map(({ facts }) => facts)),
  };
}

/** By the calendar, not by arithmetic. */
function bucketStart(epochMs: number, width: BucketWidth): number {
  const date = new Date(epochMs);
  if (width === 'minute') return date.setUTCSeconds(0, 0);
  if (width === 'hour') return date.setUTCMinutes(0, 0, 0);
  date.setUTCHours(0, 0, 0, 0);
  if (width === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.getTime();
}
