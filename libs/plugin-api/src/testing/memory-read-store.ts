import { getOrMake } from '@spandrel/contract';
import {
  isKeyOfTrace,
  READ_STORE_KEYS,
  READ_STORE_MEASURES,
  READ_STORE_SORTS,
  READ_STORE_TRACE_SORTS,
  type ReadStore,
  type ReadStoreBatch,
  type ReadStoreFilters,
  type ReadStoreGiven,
  type ReadStoreKey,
  textsDigest,
  type ReadStoreDigest,
  type ReadStoreListQuery,
  type ReadStoreMeasures,
  type ReadStorePosition,
  type ReadStoreQuery,
  type ReadStoreQueryOf,
  type ReadStoreRank,
  type ReadStoreSpan,
  type ReadStoreState,
  type ReadStoreSumQuery,
  type ReadStoreSums,
  type ReadStoreTrace,
  type ReadStoreTraceListQuery,
  type ReadStoreTraceQuery,
  type ReadStoreRange,
  type ReadStoreTexts,
  type ReadStoreTextsQuery,
} from '../read-store.js';

interface Kept<Row = ReadStoreSpan> {
  projectId: string;
  row: Row;
  batch: number;
  /** It went with this batch: an earlier one that comes late does not bring it back. */
  isGone: boolean;
}

type Part = Pick<ReadStoreListQuery, 'sort_order' | 'part' | 'behind' | 'limit'>;

/** A read store in memory, as plain as can be: what others are compared with. */
export class MemoryReadStore implements ReadStore {
  readonly capabilities: ReadStore['capabilities'] = {
    filters: [
      ...(['kind', 'model', 'provider', 'status', 'since', 'until', 'name_contains'] as const),
      ...(['duration_min', 'duration_max', 'tokens_min', 'cost_min'] as const),
      ...(['text_contains', 'input_contains', 'output_contains', 'error_contains'] as const),
      ...(['session_id', 'user_id', 'tag'] as const),
    ],
    sorts: ['started_at', 'duration', 'tokens', 'cost', 'name'],
    traceFilters: [
      ...(['session_id', 'user_id', 'tag', 'model', 'status', 'since', 'until', 'name_contains'] as const),
      ...(['duration_min', 'duration_max', 'tokens_min', 'cost_min'] as const),
    ],
    traceSorts: ['started_at', 'duration', 'tokens', 'cost', 'spans'],
    sums: true,
    percentiles: true,
    byId: true,
  };
  has: ReadStoreState | null = null;
  /** Spans and traces by project and id. */
  readonly kept = new Map<string, Kept>();
  readonly traces = new Map<string, Kept<ReadStoreTrace>>();

  async open(): Promise<void> {}

  async state(): Promise<ReadStoreState | null> {
    return this.has;
  }

  async begin(content: string): Promise<void> {
    this.kept.clear();
    this.traces.clear();
    this.has = { content, batch: 0 };
  }

  async apply({ content, batch, removed, spans, traces }: ReadStoreBatch): Promise<void> {
    for (const { projectId, spans: ids, traces: traceIds } of removed) {
      const [gone, ofTraces] = [new Set(ids), new Set(traceIds)];
      for (const kept of this.kept.values()) {
        const goes = kept.projectId === projectId && (gone.has(kept.row.id) || ofTraces.has(kept.row.trace_id));
        if (goes && kept.batch < batch) Object.assign(kept, { batch, isGone: true });
      }
      for (const kept of this.traces.values()) {
        const goes = kept.projectId === projectId && ofTraces.has(kept.row.id);
        if (goes && kept.batch < batch) Object.assign(kept, { batch, isGone: true });
      }
    }
    const keep = <Row extends { id: string }>(to: Map<string, Kept<Row>>, projectId: string, row: Row): void => {
      const key = `${projectId} ${row.id}`;
      if ((to.get(key)?.batch ?? 0) <= batch) to.set(key, { projectId, row, batch, isGone: false });
    };
    for (const { projectId, span } of spans) keep(this.kept, projectId, span);
    for (const { projectId, trace } of traces) keep(this.traces, projectId, trace);
    const known = this.has?.content === content ? this.has.batch : 0;
    this.has = { content, batch: Math.max(known, batch) };
  }

  async clear(projectId: string): Promise<void> {
    for (const kept of [this.kept, this.traces])
      for (const [key, one] of kept) if (one.projectId === projectId) kept.delete(key);
  }

  async list(query: ReadStoreListQuery): Promise<ReadStorePosition[]> {
    return listed(this.matching(query), READ_STORE_SORTS[query.sort_by], query);
  }

  async count(query: ReadStoreQuery): Promise<number> {
    return Math.min(query.limit, this.matching(query).length);
  }

  async texts({ projectId, has, spans }: ReadStoreTextsQuery): Promise<ReadStoreTexts[]> {
    this.assertHas(has);
    return spans.flatMap(({ id }) => {
      const kept = this.kept.get(`${projectId} ${id}`);
      return kept && !kept.isGone ? { id, input: kept.row.input, output: kept.row.output } : [];
    });
  }

  async digest({ projectId, has, since, until }: ReadStoreRange): Promise<ReadStoreDigest> {
    this.assertHas(has);
    const spans = [...this.kept.values()].filter(
      ({ projectId: of, row: span, isGone }) =>
        !isGone && of === projectId && span.started_at >= since && span.started_at < until,
    );
    return {
      count: spans.length,
      sum: String(spans.reduce((sum, { row: span }) => sum + BigInt(textsDigest(span)), 0n)),
    };
  }

  async listTraces(query: ReadStoreTraceListQuery): Promise<ReadStorePosition[]> {
    return listed(this.matchingTraces(query), READ_STORE_TRACE_SORTS[query.sort_by], query);
  }

  async countTraces(query: ReadStoreTraceQuery): Promise<number> {
    return Math.min(query.limit, this.matchingTraces(query).length);
  }

  async sum(query: ReadStoreSumQuery): Promise<ReadStoreSums[]> {
    const { keys, top, rank, has_none: hasNone } = query;
    const traces = new Map(this.tracesOf(query).map((trace) => [trace.id, trace]));
    /** The groups that something counts for. */
    const groupsOf = (given: ReadStoreGiven): (string | null)[][] => {
      const [first = [null], second = [null]] = keys.map((key) => valuesOf(key, given, traces.get(given.trace_id)));
      return first.flatMap((one) => second.map((two) => [one, two].slice(0, keys.length)));
    };
    const all = [...this.matching(query).map(givenOf), ...query.given];
    const ranked = new Map<string, { group: (string | null)[]; sums: ReadStoreMeasures }>();
    for (const given of keys.length === 0 ? [] : all) {
      for (const group of groupsOf(given)) {
        if (!hasNone && group.includes(null)) continue;
        const { sums } = getOrMake(ranked, JSON.stringify(group), () => ({ group, sums: noSums() }));
        add(sums, given);
      }
    }
    const order = [...ranked].toSorted(([, a], [, b]) => {
      const [left, right] = [rankOf(rank, a.sums), rankOf(rank, b.sums)];
      if (left !== right) return left === null ? 1 : right === null ? -1 : right - left;
      return (
        b.sums.spans - a.sums.spans ||
        compareKeys(a.group[0]!, b.group[0]!) ||
        compareKeys(a.group[1] ?? null, b.group[1] ?? null)
      );
    });
    const places = new Map(order.slice(0, top).map(([key], at) => [key, at + 1]));
    const rows = new Map<string, ReadStoreSums>();
    const isOfTraces = keys.some(isKeyOfTrace);
    for (const given of all) {
      const start = query.bucket
        ? Math.floor((given.started_at - query.bucket.origin) / query.bucket.width) * query.bucket.width +
          query.bucket.origin
        : 0;
      const into = (part: ReadStoreSums['part'], place: number | null, group: readonly (string | null)[]): void => {
        const row = getOrMake(rows, `${start} ${part} ${place}`, () => ({
          ...{ bucket: start, part, place, keys: group, ...noSums(), latencies: [], first_tokens: [] },
        }));
        add(row, given);
        if (query.latencies) row.latencies = counted(row.latencies, given.latency, query.steps);
        if (query.first_tokens) row.first_tokens = counted(row.first_tokens, given.first_token, query.steps);
      };
      const nothing = keys.map(() => null);
      if (isOfTraces || keys.length === 0) into(0, null, nothing);
      if (keys.length === 0) continue;
      const chosen = groupsOf(given).filter((group) => places.has(JSON.stringify(group)));
      const part = isOfTraces ? 1 : 2;
      for (const group of chosen) into(part, places.get(JSON.stringify(group))!, group);
      if (chosen.length === 0) into(part, null, nothing);
    }
    const place = (row: ReadStoreSums): number => row.place ?? Infinity;
    return [...rows.values()]
      .toSorted((a, b) => a.bucket - b.bucket || a.part - b.part || (place(a) < place(b) ? -1 : 1))
      .slice(0, query.limit);
  }

  async close(): Promise<void> {}

  /** @throws Error when the store has not what it must. */
  private assertHas(has: ReadStoreState): void {
    if (this.has?.content !== has.content || this.has.batch < has.batch) throw new Error('is behind');
  }

  /** @throws Error when the store has not what the query says. */
  private matching(query: ReadStoreQuery): ReadStoreSpan[] {
    const { projectId, filters, except } = query;
    const [spans, traces] = [new Set(except.spans), new Set(except.traces)];
    const { session_id, user_id, tag } = filters;
    const isOfSome = session_id !== undefined || user_id !== undefined || tag !== undefined;
    const known = new Map(this.tracesOf(query).map((trace) => [trace.id, trace]));
    return [...this.kept.values()].flatMap(({ projectId: of, row: span, isGone }) => {
      const trace = known.get(span.trace_id);
      const isTaken =
        !isGone &&
        of === projectId &&
        !spans.has(span.id) &&
        !traces.has(span.trace_id) &&
        (!isOfSome || (trace !== undefined && isOf(trace, filters))) &&
        (['kind', 'model', 'provider', 'status'] as const).every(
          (name) => filters[name] === undefined || span[name] === filters[name],
        ) &&
        hasValues(span, filters) &&
        (contains(span.input, filters.text_contains) || contains(span.output, filters.text_contains)) &&
        contains(span.input, filters.input_contains) &&
        contains(span.output, filters.output_contains) &&
        contains(span.error, filters.error_contains);
      return isTaken ? span : [];
    });
  }

  private matchingTraces(query: ReadStoreTraceQuery): ReadStoreTrace[] {
    const { model, status } = query.filters;
    return this.tracesOf(query).filter(
      (trace) =>
        isOf(trace, query.filters) &&
        (model === undefined || trace.models.includes(model)) &&
        (status === undefined || trace.status === status) &&
        hasValues(trace, query.filters),
    );
  }

  /** The traces of a project as they are. @throws Error when the store has not what the query says. */
  private tracesOf({ projectId, instead, has }: ReadStoreQueryOf<unknown>): ReadStoreTrace[] {
    this.assertHas(has);
    const other = new Set([...instead.gone, ...instead.traces.map(({ id }) => id)]);
    const own = [...this.traces.values()].filter(
      ({ projectId: of, isGone, row }) => of === projectId && !isGone && !other.has(row.id),
    );
    return [...own.map(({ row }) => row), ...instead.traces];
  }
}

/** A part of a list. */
function listed<Row extends { id: string }>(rows: readonly Row[], member: keyof Row, query: Part): ReadStorePosition[] {
  const { behind, sort_order: order, part, limit } = query;
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: ReadStorePosition, b: ReadStorePosition): number =>
    sign * (compareValues(a.value, b.value) || compareValues(a.id, b.id));
  return rows
    .map((row) => ({ value: row[member] as ReadStorePosition['value'], id: row.id }))
    .filter(({ value }) => (value === null) === (part === 'valueless'))
    .filter((position) => behind === undefined || compare(position, behind) > 0)
    .sort(compare)
    .slice(0, limit);
}

const isOf = (trace: ReadStoreTrace, { session_id, user_id, tag = [] }: ReadStoreFilters): boolean =>
  (session_id === undefined || trace.session_id === session_id) &&
  (user_id === undefined || trace.user_id === user_id) &&
  tag.every((one) => trace.tags.includes(one));

const contains = (text: string | null, needle: string | undefined): boolean =>
  needle === undefined || (text !== null && fold(text).includes(fold(needle)));

/** Whether a span or trace passes the filters on its start, its numbers and its name. */
function hasValues(
  row: Pick<ReadStoreTrace, 'name' | 'started_at' | 'duration_ms' | 'cost'> & { total_tokens: number | null },
  filters: ReadStoreFilters,
): boolean {
  const from = (value: number | null, least: number | undefined): boolean =>
    least === undefined || (value !== null && value >= least);
  return (
    from(row.started_at, filters.since) &&
    (filters.until === undefined || row.started_at < filters.until) &&
    contains(row.name, filters.name_contains) &&
    from(row.duration_ms, filters.duration_min) &&
    (filters.duration_max === undefined || (row.duration_ms !== null && row.duration_ms <= filters.duration_max)) &&
    from(row.total_tokens, filters.tokens_min) &&
    from(row.cost, filters.cost_min)
  );
}

const STATUSES = ['running', 'completed', 'failed'];

/** What a span has for a key; several tags, and otherwise one value or `null`. */
function valuesOf(key: ReadStoreKey, given: ReadStoreGiven, trace: ReadStoreTrace | undefined): (string | null)[] {
  if (key.startsWith('metadata.')) return [trace?.metadata[key.slice('metadata.'.length)] ?? null];
  if (key === 'tag') return trace?.tags.length ? [...trace.tags] : [null];
  if (key === 'status') return [given.status === null ? null : String(STATUSES.indexOf(given.status))];
  const member = READ_STORE_KEYS[key as keyof typeof READ_STORE_KEYS];
  if (isKeyOfTrace(key)) return [(trace?.[member as 'name'] ?? null) as string | null];
  return [given[member as 'model']];
}

/** A span as sums of it alone. */
function givenOf(span: ReadStoreSpan): ReadStoreGiven {
  const isFinished = span.status !== 'running';
  const cost = Math.min(span.cost ?? 0, 1e9);
  const pico = Math.round((cost - Math.floor(cost)) * 1e12);
  return {
    ...span,
    ...{ latency: span.duration_ms, first_token: span.first_token_ms, duration_ms: span.duration_ms ?? 0, spans: 1 },
    ...{ tokens: span.total_tokens ?? 0, input_tokens: span.input_tokens ?? 0, cached_tokens: span.cached_tokens ?? 0 },
    ...{ finished: Number(isFinished), errors: Number(span.status === 'failed'), priced: Number(span.cost !== null) },
    unpriced: Number(span.cost === null && (span.total_tokens ?? 0) > 0 && isFinished),
    ...{ usd: Math.floor(cost), micro: Math.floor(pico / 1e6), pico: pico % 1e6, scores: 0, score_sum: 0 },
  };
}

const noSums = () => Object.fromEntries(READ_STORE_MEASURES.map((name) => [name, 0])) as ReadStoreMeasures;

function add(to: ReadStoreMeasures, more: ReadStoreMeasures): void {
  for (const name of READ_STORE_MEASURES) to[name] += more[name];
}

function rankOf(rank: ReadStoreRank, sums: ReadStoreMeasures): number | null {
  const { spans, tokens, input_tokens, finished, errors, scores } = sums;
  if (rank === 'count') return spans;
  if (rank === 'cost') return sums.usd * 1_000_000 + sums.micro + sums.pico / 1_000_000;
  if (rank === 'output_tokens') return tokens - input_tokens;
  if (rank === 'avg_latency') return finished === 0 ? null : sums.duration_ms / finished;
  if (rank === 'error_rate') return finished === 0 ? null : errors / finished;
  if (rank === 'score_mean') return scores === 0 ? null : sums.score_sum / scores;
  return sums[rank];
}

/** Steps and how many are of each, with one more. */
function counted(
  counts: ReadStoreSums['latencies'],
  value: number | null,
  steps: readonly number[],
): ReadStoreSums['latencies'] {
  if (value === null) return counts;
  const all = new Map(counts);
  const step = steps.findLast((one) => one <= value)!;
  return [...all.set(step, (all.get(step) ?? 0) + 1)].toSorted(([a], [b]) => a - b);
}

const compareKeys = (a: string | null, b: string | null): number =>
  a === null || b === null ? Number(b === null) - Number(a === null) : compareValues(a, b);

/** By their bytes, where they are texts. */
function compareValues(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a! < b! ? -1 : 1;
}

const fold = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
