import { Injectable, Optional } from '@nestjs/common';
import { isStorableText, type ListSpans, type SpanResource, type SpanSortKey } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  DayPartitions,
  fillPage,
  joinSql,
  jsonContains,
  mayContainJson,
  orderBy,
  sql,
  startOf,
  Storage,
  upTo,
  type DaySize,
  type Fetched,
  type LongReadOptions,
  type Page,
  type Part,
  type Position,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import {
  FEW_LIMITS,
  positionColumns,
  type FewLimits,
  type SpanPlan,
  type SpanRead,
  type StartRange,
  type Walk,
} from './span-candidates.store.js';
import { scanAllDays, scanDays } from './day-scan.store.js';
import { scanPayloads } from './payload-scan.store.js';
import { placesOfSpans, startsOfTraces } from './span-places.store.js';
import { filteredValues } from './span-filter.store.js';
import { planSpans } from './span-plan.store.js';
import { spanResource } from '../span-resource.js';
import { PAYLOAD_OF_SPAN, SpanStore } from '../span.store.js';
import type { StoredSpan } from '../span.entity.js';
import { PARTITIONS_MIN, startWindows } from './start-windows.js';
import { ofMatchingTraces, type OfTraces } from './trace-filter.store.js';

type Sorted = Pick<Sorting, 'column' | 'type' | 'nullable'>;

const SORTED: Record<SpanSortKey, Sorted & { property: keyof StoredSpan }> = {
  started_at: { column: 's.started_at', property: 'startedAt', type: 'integer', nullable: false },
  duration: { column: 's.duration_ms', property: 'durationMs', type: 'integer', nullable: true },
  tokens: { column: 's.total_tokens', property: 'totalTokens', type: 'integer', nullable: true },
  cost: { column: 's.cost', property: 'cost', type: 'number', nullable: true },
  name: { column: 's.name', property: 'name', type: 'text', nullable: false },
};

/** Candidates of a text search looked at in one go: few at first, since most searches find soon. */
const SLICE_MIN = 1_000;
const SLICE_MAX = 16_000;
/** Found spans loaded in one go, payloads and all. */
const LOADED_AT_ONCE = 50;
/** Found text, in UTF-16 units, at which a page ends before its limit. */
const FOUND_BYTES = 32 * 1024 * 1024;

interface Search extends SpanRead {
  plan: SpanPlan;
  positionOf: (span: StoredSpan) => Position;
}

/** Plans a list, limited to a range of starts where there is one; `null` when nothing can match. */
type Plans = (window?: StartRange) => Promise<Search | null>;
/** The ranges to look in behind a position, in list order. */
type Windows = (start: Position | undefined) => readonly StartRange[];
type Fetch = (part: Part, start: Position | undefined, count: number) => Promise<Fetched<StoredSpan>>;
const NONE: Promise<Fetched<StoredSpan>> = Promise.resolve({ rows: [] });

/** Looks through payloads as they lie. */
interface Scan {
  /** How many candidates are looked at in list order before. */
  behind: number;
  /** @returns `undefined` when it cannot be done after all. */
  next: (part: Part, from: Position | undefined) => Promise<Slice | undefined>;
}

/** Some candidates whose payload may contain what is searched, in order, and where they end; at the end `undefined`. */
interface Slice {
  maybes: string[];
  end: Position | undefined;
}

/**
 * `GET /api/spans` (docs/spec/spans.md#listing-spans), in keyset pages found as {@link planSpans} has it, off the main
 * thread. Payloads are loaded for the rows of the page only; a page of large ones ends early.
 */
@Injectable()
export class SpanListStore {
  constructor(
    private readonly storage: Storage,
    private readonly spans: SpanStore,
    @Optional() private readonly limits: FewLimits = FEW_LIMITS,
    @Optional() private readonly partitions?: DayPartitions,
  ) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListSpans, given: LongReadOptions = {}): Promise<Page<SpanResource>> {
    const { sort_by: sortBy, sort_order: order } = query;
    const { property, ...sorted } = SORTED[sortBy];
    const sorting: Sorting = { list: `spans:${sortBy}:${order}`, idColumn: 's.id', order, ...sorted };
    const from = startOf(sorting, query.cursor);
    const searchesText = payloadConditions(query).length > 0;
    const options = searchesText ? { ...given, patient: true } : given;
    const ofTraces = await ofMatchingTraces(this.storage, scope, query, options);
    if (ofTraces === null) return { items: [], nextCursor: null };
    const { limits } = this;
    const positionOf = (span: StoredSpan): Position => ({ value: span[property], id: span.id });
    const plans: Plans = async (window) => {
      const within = { ...query, ...(window && { within: window }), ...(days && { days }) };
      const read = {
        storage: this.storage,
        scope,
        query: within,
        sorting,
        options,
        ofTraces: ofTraces?.condition,
        limits,
      };
      const plan = await planSpans(read, ofTraces);
      return plan === null ? null : { ...read, plan, positionOf };
    };
    const days = await this.manyDays(query);
    const windows = await this.windows(scope, query, ofTraces, options);
    const fetch = windows ? this.inWindows(plans, windows) : this.inOne(await plans());
    const page = await fillPage(sorting, from, query.limit, fetch, positionOf);
    return { items: page.items.map(spanResource), nextCursor: page.nextCursor };
  }

  /**
   * In which ranges of starts spans are looked for, one after the other; `undefined` all at once. Of a list in start
   * order, and of spans of few traces, Postgres is thus asked about the partitions that matter.
   */
  private async windows(
    scope: Scope,
    query: ListSpans,
    ofTraces: OfTraces | undefined,
    options: LongReadOptions,
  ): Promise<Windows | undefined> {
    if (this.storage.dialect === 'sqlite') return undefined;
    const traceIds = query.trace_id === undefined ? ofTraces?.ids : [query.trace_id];
    if (traceIds && traceIds.every(isStorableText)) {
      const starts = await startsOfTraces((read) => this.storage.readLong(read, options), scope, traceIds);
      return () => [starts];
    }
    if (query.sort_by !== 'started_at') return undefined;
    const days = [...((await this.partitions?.known()) ?? [])];
    if (days.length < PARTITIONS_MIN) return undefined;
    const ends = { oldest: Math.min(...days), newest: Math.max(...days) };
    return (start) => startWindows(query, start, ends);
  }

  /**
   * The days that have partitions, of a list by a number, where they are many; as they are now, or spans were missed.
   */
  private async manyDays(query: ListSpans): Promise<readonly number[] | undefined> {
    const byNumber = filteredValues(query).length > 0 || (query.sort_by !== 'started_at' && query.sort_by !== 'name');
    const days = byNumber ? await this.partitions?.days() : undefined;
    return days && days.length >= PARTITIONS_MIN ? days : undefined;
  }

  private inOne(search: Search | null): Fetch {
    return (part, start, count) => (search ? this.found(search, part, start, count) : NONE);
  }

  private inWindows(plans: Plans, windows: Windows): Fetch {
    return async (part, start, count) => {
      const rows: StoredSpan[] = [];
      for (const window of windows(start)) {
        const search = await plans(window);
        if (!search) continue;
        const fetched = await this.found(search, part, start, count - rows.length);
        rows.push(...fetched.rows);
        if (fetched.cut) return { rows, cut: true };
        if (rows.length >= count) break;
      }
      return { rows };
    };
  }

  private found(search: Search, part: Part, start: Position | undefined, count: number): Promise<Fetched<StoredSpan>> {
    const searchesText = payloadConditions(search.query).length > 0;
    return searchesText ? this.search(search, part, start, count) : this.rows(search, part, start, count);
  }

  private async rows(
    { plan, scope, options }: Search,
    part: Part,
    start: Position | undefined,
    count: number,
  ): Promise<Fetched<StoredSpan>> {
    const ids = (await plan.candidates(part, start, count)).map(({ id }) => id);
    const rows = await this.spans.loadSome(scope, ids, options);
    return { rows, cut: rows.length < ids.length };
  }

  /** Looks through the candidates slice by slice until enough are found; memory stays bounded. */
  private async search(
    search: Search,
    part: Part,
    start: Position | undefined,
    count: number,
  ): Promise<Fetched<StoredSpan>> {
    const found: StoredSpan[] = [];
    let bytes = 0;
    let from = start;
    let looked = 0;
    let scan = this.scanOf(search);
    for (let size = SLICE_MIN; ; looked += size, size = Math.min(size * 2, SLICE_MAX)) {
      const scanned = scan && looked >= scan.behind ? await scan.next(part, from) : undefined;
      if (scan && looked >= scan.behind && !scanned) scan = undefined;
      const { maybes, end } = scanned ?? (await this.nextSlice(search, part, from, size));
      for await (const loaded of this.loaded(search, maybes)) {
        for (const span of loaded.filter((candidate) => matchesText(candidate, search.query))) {
          found.push(span);
          bytes += (span.input?.length ?? 0) + (span.output?.length ?? 0);
        }
        if (found.length >= count) return { rows: found.slice(0, count) };
        if (bytes > FOUND_BYTES) return { rows: found, cut: true };
      }
      if (!end) return { rows: found };
      from = end;
    }
  }

  /** Whole spans in the order of their ids, a few at a time. */
  private async *loaded({ scope, options }: Search, ids: readonly string[]): AsyncGenerator<StoredSpan[]> {
    for (let at = 0; at < ids.length;) {
      const wanted = ids.slice(at, at + LOADED_AT_ONCE);
      const spans = await this.spans.loadSome(scope, wanted, options);
      // A span deleted meanwhile is passed over.
      at += Math.max(1, wanted.indexOf(spans.at(-1)?.id ?? '') + 1);
      yield spans;
    }
  }

  /** How payloads are looked through as they lie; `undefined` where the candidates are few among them. */
  private scanOf(search: Search): Scan | undefined {
    const { query, ofTraces, plan } = search;
    if (ofTraces || query.trace_id !== undefined) return undefined;
    const conditions = payloadConditions(query);
    const { searched } = this.limits;
    if (this.storage.dialect === 'sqlite') {
      if (query.since !== undefined || query.until !== undefined) return undefined;
      return {
        behind: searched,
        next: async (part, from) => {
          const maybes = await scanPayloads(search, conditions, part, from);
          return maybes && { maybes, end: undefined };
        },
      };
    }
    if (plan.walk?.sorting.unindexed) return undefined;
    let sizes: Promise<readonly DaySize[]> | undefined;
    const days = (): Promise<readonly DaySize[]> => (sizes ??= this.partitions?.sizes() ?? Promise.resolve([]));
    if (query.sort_by !== 'started_at') {
      return {
        behind: searched,
        next: async (part, from) => scanAllDays(search, conditions, await days(), part, from),
      };
    }
    let turn = 0;
    return {
      behind: Math.min(searched, SLICE_MIN),
      next: async (part, from) => scanDays(search, conditions, await days(), part, from, turn++),
    };
  }

  private nextSlice(search: Search, part: Part, from: Position | undefined, size: number): Promise<Slice> {
    const { walk } = search.plan;
    // A join is planned without knowing where the slice lies: on Postgres it reads all payloads of the partitions.
    return walk && this.storage.dialect === 'sqlite'
      ? this.walkedSlice(search, walk, part, from, size)
      : this.slice(search, part, from, size);
  }

  /** Where one statement finds the candidates, another one finds a slice's end, so that none of them need be read. */
  private async walkedSlice(
    { query, options }: Search,
    { where, sorting }: Walk,
    part: Part,
    from: Position | undefined,
    size: number,
  ): Promise<Slice> {
    const order = orderBy(sorting, part);
    const [end] = await this.storage.readLong<Position>(
      sql`select ${positionColumns(sorting)} from span s where ${where} and ${behind(sorting, part, from)}
        order by ${order} limit 1 offset ${size - 1}`,
      options,
    );
    const slice = end
      ? sql`${behind(sorting, part, from)} and ${upTo(sorting, part, end)}`
      : behind(sorting, part, from);
    const rows = await this.storage.readLong<{ id: string }>(
      sql`select s.id as id from span s join span_payload p on ${PAYLOAD_OF_SPAN}
        where ${where} and ${slice} and ${joinSql(payloadConditions(query), ' and ')} order by ${order}`,
      options,
    );
    return { maybes: rows.map(({ id }) => id), end };
  }

  private async slice(
    { plan, scope, query, options }: Search,
    part: Part,
    from: Position | undefined,
    size: number,
  ): Promise<Slice> {
    const candidates = await plan.candidates(part, from, size);
    const ids = candidates.map(({ id }) => id);
    const { within } = await placesOfSpans(
      this.storage.dialect,
      (read) => this.storage.readLong(read, options),
      scope,
      ids,
    );
    const rows = await this.storage.readLong<{ id: string }>(
      sql`select p.span_id as id from span_payload p
        where p.project_id = ${scope.projectId} and ${anyOf('p.span_id', ids)}${within('p')}
        and ${joinSql(payloadConditions(query), ' and ')}`,
      options,
    );
    const maybes = new Set(rows.map(({ id }) => id));
    return { maybes: ids.filter((id) => maybes.has(id)), end: ids.length < size ? undefined : candidates.at(-1) };
  }
}

function payloadConditions(query: ListSpans): Sql[] {
  const conditions: Sql[] = [];
  const { text_contains: text, input_contains: input, output_contains: output } = query;
  if (text !== undefined)
    conditions.push(sql`(${mayContainJson('p.input', text)} or ${mayContainJson('p.output', text)})`);
  if (input !== undefined) conditions.push(mayContainJson('p.input', input));
  if (output !== undefined) conditions.push(mayContainJson('p.output', output));
  return conditions;
}

function matchesText(span: StoredSpan, query: ListSpans): boolean {
  const { text_contains: text, input_contains: input, output_contains: output } = query;
  if (text !== undefined && !jsonContains(span.input, text) && !jsonContains(span.output, text)) return false;
  if (input !== undefined && !jsonContains(span.input, input)) return false;
  return output === undefined || jsonContains(span.output, output);
}
