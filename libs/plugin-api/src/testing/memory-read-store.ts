import {
  READ_STORE_SORTS,
  textsDigest,
  type ReadStore,
  type ReadStoreBatch,
  type ReadStoreDigest,
  type ReadStoreListQuery,
  type ReadStorePosition,
  type ReadStoreQuery,
  type ReadStoreRange,
  type ReadStoreSpan,
  type ReadStoreState,
  type ReadStoreTexts,
  type ReadStoreTextsQuery,
} from '../read-store.js';

interface Kept {
  projectId: string;
  span: ReadStoreSpan;
  batch: number;
  /** It went with this batch: an earlier one that comes late does not bring it back. */
  isGone: boolean;
}

/** A read store in memory, as plain as can be: what others are compared with. */
export class MemoryReadStore implements ReadStore {
  readonly capabilities: ReadStore['capabilities'] = {
    filters: [
      ...(['kind', 'model', 'provider', 'status', 'since', 'until', 'name_contains'] as const),
      ...(['duration_min', 'duration_max', 'tokens_min', 'cost_min'] as const),
      ...(['text_contains', 'input_contains', 'output_contains', 'error_contains'] as const),
    ],
    sorts: ['started_at', 'duration', 'tokens', 'cost', 'name'],
    byId: true,
  };
  has: ReadStoreState | null = null;
  /** Spans by project and id. */
  readonly kept = new Map<string, Kept>();

  async open(): Promise<void> {}

  async state(): Promise<ReadStoreState | null> {
    return this.has;
  }

  async begin(content: string): Promise<void> {
    this.kept.clear();
    this.has = { content, batch: 0 };
  }

  async apply({ content, batch, removed, spans }: ReadStoreBatch): Promise<void> {
    for (const { projectId, spans: ids, traces } of removed) {
      const [gone, ofTraces] = [new Set(ids), new Set(traces)];
      for (const kept of this.kept.values()) {
        const goes = kept.projectId === projectId && (gone.has(kept.span.id) || ofTraces.has(kept.span.trace_id));
        if (goes && kept.batch < batch) Object.assign(kept, { batch, isGone: true });
      }
    }
    for (const { projectId, span } of spans) {
      const key = `${projectId} ${span.id}`;
      if ((this.kept.get(key)?.batch ?? 0) <= batch) this.kept.set(key, { projectId, span, batch, isGone: false });
    }
    const known = this.has?.content === content ? this.has.batch : 0;
    this.has = { content, batch: Math.max(known, batch) };
  }

  async clear(projectId: string): Promise<void> {
    for (const [key, kept] of this.kept) if (kept.projectId === projectId) this.kept.delete(key);
  }

  async list(query: ReadStoreListQuery): Promise<ReadStorePosition[]> {
    const member = READ_STORE_SORTS[query.sort_by];
    const { behind } = query;
    const sign = query.sort_order === 'asc' ? 1 : -1;
    const compare = (a: ReadStorePosition, b: ReadStorePosition) =>
      sign * (compareValues(a.value, b.value) || compareValues(a.id, b.id));
    return this.matching(query)
      .map((span) => ({ value: span[member], id: span.id }))
      .filter(({ value }) => (value === null) === (query.part === 'valueless'))
      .filter((position) => behind === undefined || compare(position, behind) > 0)
      .sort(compare)
      .slice(0, query.limit);
  }

  async count(query: ReadStoreQuery): Promise<number> {
    return Math.min(query.limit, this.matching(query).length);
  }

  async texts({ projectId, has, spans }: ReadStoreTextsQuery): Promise<ReadStoreTexts[]> {
    this.assertHas(has);
    return spans.flatMap(({ id }) => {
      const kept = this.kept.get(`${projectId} ${id}`);
      return kept && !kept.isGone ? { id, input: kept.span.input, output: kept.span.output } : [];
    });
  }

  async digest({ projectId, has, since, until }: ReadStoreRange): Promise<ReadStoreDigest> {
    this.assertHas(has);
    const spans = [...this.kept.values()].filter(
      ({ projectId: of, span, isGone }) =>
        !isGone && of === projectId && span.started_at >= since && span.started_at < until,
    );
    return { count: spans.length, sum: String(spans.reduce((sum, { span }) => sum + BigInt(textsDigest(span)), 0n)) };
  }

  async close(): Promise<void> {}

  /** @throws Error when the store has not what it must. */
  private assertHas(has: ReadStoreState): void {
    if (this.has?.content !== has.content || this.has.batch < has.batch) throw new Error('is behind');
  }

  /** @throws Error when the store has not what the query says. */
  private matching({ projectId, filters, except, has }: ReadStoreQuery): ReadStoreSpan[] {
    this.assertHas(has);
    const [spans, traces] = [new Set(except.spans), new Set(except.traces)];
    const contains = (text: string | null, needle: string | undefined): boolean =>
      needle === undefined || (text !== null && fold(text).includes(fold(needle)));
    const from = (value: number | null, least: number | undefined): boolean =>
      least === undefined || (value !== null && value >= least);
    return [...this.kept.values()].flatMap(({ projectId: of, span, isGone }) => {
      const isTaken =
        !isGone &&
        of === projectId &&
        !spans.has(span.id) &&
        !traces.has(span.trace_id) &&
        (['kind', 'model', 'provider', 'status'] as const).every(
          (name) => filters[name] === undefined || span[name] === filters[name],
        ) &&
        from(span.started_at, filters.since) &&
        (filters.until === undefined || span.started_at < filters.until) &&
        contains(span.name, filters.name_contains) &&
        from(span.duration_ms, filters.duration_min) &&
        (filters.duration_max === undefined ||
          (span.duration_ms !== null && span.duration_ms <= filters.duration_max)) &&
        from(span.total_tokens, filters.tokens_min) &&
        from(span.cost, filters.cost_min) &&
        (contains(span.input, filters.text_contains) || contains(span.output, filters.text_contains)) &&
        contains(span.input, filters.input_contains) &&
        contains(span.output, filters.output_contains) &&
        contains(span.error, filters.error_contains);
      return isTaken ? span : [];
    });
  }
}

/** By their bytes, where they are texts. */
function compareValues(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a! < b! ? -1 : 1;
}

const fold = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
