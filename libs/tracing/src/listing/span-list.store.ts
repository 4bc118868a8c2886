import { Injectable, Optional } from '@nestjs/common';
import { isStorableText, type ListSpans, type SpanResource, type SpanSortKey } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  DayPartitions,
  fillPage,
  startOf,
  Storage,
  type DaySize,
  type Fetched,
  type LongReadOptions,
  type Page,
  type Part,
  type Position,
  type Sorting,
} from '@spandrel/storage';
import type { StoredSpan } from '../span.entity.js';
import { startsOfTraces } from '../span-places.sql.js';
import { spanResource } from '../span-resource.js';
import { SpanStore } from '../span.store.js';
import { LIST_LIMITS, type ListLimits } from './list-limits.js';
import { ListRequest } from './list-request.sql.js';
import type { FoundList } from './list-strategy.js';
import { planList } from './plan-list.js';
import { filteredValues } from './span-filter.sql.js';
import type { StartRange } from './span-query.js';
import { PARTITIONS_MIN, startWindows } from './start-windows.js';
import { searchText } from './text/text-search.sql.js';
import { searchesText } from './text/text-filter.sql.js';
import { ofMatchingTraces, type OfTraces } from './trace-filter.sql.js';

type Sorted = Pick<Sorting, 'column' | 'type' | 'nullable'>;

const SORTED: Record<SpanSortKey, Sorted & { property: keyof StoredSpan }> = {
  started_at: { column: 's.started_at', property: 'startedAt', type: 'integer', nullable: false },
  duration: { column: 's.duration_ms', property: 'durationMs', type: 'integer', nullable: true },
  tokens: { column: 's.total_tokens', property: 'totalTokens', type: 'integer', nullable: true },
  cost: { column: 's.cost', property: 'cost', type: 'number', nullable: true },
  name: { column: 's.name', property: 'name', type: 'text', nullable: false },
};

/** A list as it is to be found. */
interface PlannedList {
  list: ListRequest;
  found: FoundList;
}

/** Plans a list, limited to a range of starts where there is one; `undefined` when nothing can match. */
type Plans = (window?: StartRange) => Promise<PlannedList | undefined>;
/** The ranges to look in behind a position, in list order. */
type Windows = (start: Position | undefined) => readonly StartRange[];
type Fetch = (part: Part, start: Position | undefined, count: number) => Promise<Fetched<StoredSpan>>;
const NONE: Promise<Fetched<StoredSpan>> = Promise.resolve({ rows: [] });

/**
 * `GET /api/spans` (docs/spec/spans.md#listing-spans), in keyset pages found as {@link planList} has it, off the main
 * thread. Payloads are loaded for the rows of the page only; a page of large ones ends early.
 */
@Injectable()
export class SpanListStore {
  constructor(
    private readonly storage: Storage,
    private readonly spans: SpanStore,
    @Optional() private readonly limits: ListLimits = LIST_LIMITS,
    @Optional() private readonly partitions?: DayPartitions,
  ) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListSpans, given: LongReadOptions = {}): Promise<Page<SpanResource>> {
    const { sort_by: sortBy, sort_order: order } = query;
    const { property, ...sorted } = SORTED[sortBy];
    const sorting: Sorting = { list: `spans:${sortBy}:${order}`, idColumn: 's.id', order, ...sorted };
    const from = startOf(sorting, query.cursor);
    const options = searchesText(query) ? { ...given, patient: true } : given;
    const ofTraces = await ofMatchingTraces(this.storage, scope, query, options);
    if (ofTraces === null) return { items: [], nextCursor: null };
    const { storage, limits } = this;
    const positionOf = (span: StoredSpan): Position => ({ value: span[property], id: span.id });
    const plans: Plans = async (window) => {
      const within = { ...query, ...(window && { within: window }), ...(days && { days }) };
      const list = new ListRequest({ storage, scope, query: within, sorting, options, ofTraces, limits });
      const found = await planList(list);
      return found && { list, found };
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

  private inOne(planned: PlannedList | undefined): Fetch {
    return (part, start, count) => (planned ? this.fetch(planned, part, start, count) : NONE);
  }

  private inWindows(plans: Plans, windows: Windows): Fetch {
    return async (part, start, count) => {
      const rows: StoredSpan[] = [];
      for (const window of windows(start)) {
        const planned = await plans(window);
        if (!planned) continue;
        const fetched = await this.fetch(planned, part, start, count - rows.length);
        rows.push(...fetched.rows);
        if (fetched.cut) return { rows, cut: true };
        if (rows.length >= count) break;
      }
      return { rows };
    };
  }

  private async fetch(
    { list, found }: PlannedList,
    part: Part,
    start: Position | undefined,
    count: number,
  ): Promise<Fetched<StoredSpan>> {
    if (searchesText(list.query)) {
      let sizes: Promise<readonly DaySize[]> | undefined;
      const daySizes = () => (sizes ??= this.partitions?.sizes() ?? Promise.resolve([]));
      const search = { list, found, daySizes };
      return searchText(search, this.spans, part, start, count);
    }
    const ids = (await found.candidates(part, start, count)).map(({ id }) => id);
    const rows = await this.spans.loadSome(list.scope, ids, list.options);
    return { rows, cut: rows.length < ids.length };
  }
}
