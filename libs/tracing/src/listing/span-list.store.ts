import { Injectable, Optional } from '@nestjs/common';
import { COUNT_MAX, type ListSpans, type SpanOutline, type SpanSortKey, type SpanFilters } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  DayPartitions,
  fillPage,
  startOf,
  Storage,
  type Page,
  type Position,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { outlineOf, spanOutline, type OutlinedSpan } from '../outline/span-outline.js';
import { SpanOutlineStore } from '../outline/span-outline.store.js';
import { MetadataIndex } from '../metadata/metadata-index.store.js';
import { rangeTooLarge } from '../reading/bounded-scan.js';
import { ColdTexts } from '../reading/cold-texts.js';
import { ReadStorePort } from '../reading/read-store-port.js';
import { ScoresPort } from '../reading/scores-port.js';
import type { SpanRow, StoredSpan } from '../span.entity.js';
import { SpanStore } from '../span.store.js';
import { FoundSpans, type FindingParts, type PlannedList } from './find-spans.js';
import { LIST_LIMITS, type ListLimits, type SpanForm } from './list-request.sql.js';
import { ofProject } from './span-filter.sql.js';

type Sorted = Pick<Sorting, 'column' | 'type' | 'nullable'>;

const SORTED: Record<SpanSortKey, Sorted & { property: keyof SpanRow }> = {
  started_at: { column: 's.started_at', property: 'startedAt', type: 'integer', nullable: false },
  duration: { column: 's.duration_ms', property: 'durationMs', type: 'integer', nullable: true },
  tokens: { column: 's.total_tokens', property: 'totalTokens', type: 'integer', nullable: true },
  cost: { column: 's.cost', property: 'cost', type: 'number', nullable: true },
  name: { column: 's.name', property: 'name', type: 'text', nullable: false },
};

/** By the value of a score, which no property of a span has. */
const BY_SCORE = { column: 'c.value', idColumn: 'c.span_id', property: 'id', type: 'number', nullable: false } as const;

/** `GET /api/spans` (docs/spec/spans.md#listing-spans), in keyset pages; one of large payloads ends early. */
@Injectable()
export class SpanListStore {
  private readonly finding: FindingParts;
  private readonly outlines: SpanOutlineStore;

  constructor(
    storage: Storage,
    private readonly spans: SpanStore,
    @Optional() limits: ListLimits = LIST_LIMITS,
    @Optional() partitions?: DayPartitions,
    @Optional() scores?: ScoresPort,
    @Optional() private readonly metadata?: MetadataIndex,
    @Optional() readStore?: ReadStorePort,
  ) {
    this.finding = { storage, spans, limits, partitions, scores, readStore };
    this.outlines = new SpanOutlineStore(storage, readStore && new ColdTexts(readStore));
  }

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListSpans): Promise<Page<StoredSpan>> {
    const whole: SpanForm<StoredSpan> = {
      load: (...asked) => this.spans.loadSome(...asked),
      ofWhole: (span) => span,
      textLength: ({ input, output }) => (input?.length ?? 0) + (output?.length ?? 0),
    };
    return this.page(scope, query, whole);
  }

  /**
   * The list without texts (docs/spec/outlines.md#the-view).
   * @param preview code points of each preview.
   * @throws Invalid `invalid_cursor`.
   */
  async listOutlines(scope: Scope, query: ListSpans, preview: number): Promise<Page<SpanOutline>> {
    const outlined: SpanForm<OutlinedSpan> = {
      load: (of, ids) => this.outlines.loadSome(of, ids, preview),
      ofWhole: (span) => outlineOf(span, preview),
      textLength: ({ kind, error }) => kind.length + (error?.length ?? 0),
    };
    const { items, nextCursor } = await this.page(scope, query, outlined);
    return { items: items.map(spanOutline), nextCursor };
  }

  /** How many spans all filters take, up to one more than `max` (docs/spec/spans.md#counting-spans). */
  async count(scope: Scope, filters: SpanFilters, max: number): Promise<number> {
    const found = await this.foundBy(scope, filters, max + 1);
    if (!found) return 0;
    if (found.where === null) return (await found.fetch('valued', undefined, max + 1, COUNTED)).rows.length;
    const stored = await found.countStored(max + 1);
    if (stored !== undefined) return stored;
    let count = 0;
    for await (const planned of found.plans()) {
      count += await countOf(planned, max + 1 - count);
      if (count > max) break;
    }
    return count;
  }

  /**
   * The condition on `span s` that filters come to; spans that a search for texts takes are looked up first.
   * @returns `undefined` when nothing can match. @throws DomainError `range_too_large` when a search finds too many.
   */
  async conditionOf(scope: Scope, filters: SpanFilters): Promise<Sql | undefined> {
    const found = await this.foundBy(scope, filters, COUNT_MAX);
    if (!found || found.where) return found?.where ?? undefined;
    const { rows, cut } = await found.fetch('valued', undefined, COUNT_MAX + 1, COUNTED);
    if (cut || rows.length > COUNT_MAX)
      throw rangeTooLarge(`has more than ${COUNT_MAX} spans with this text or metadata`);
    return ofProject('s', scope, rows);
  }

  /** Sums of all spans that the filters take, where the read store makes them: see {@link FoundSpans.sumStored}. */
  async sumStored(
    scope: Scope,
    filters: SpanFilters,
    ...asked: Parameters<FoundSpans['sumStored']>
  ): ReturnType<FoundSpans['sumStored']> {
    if (!this.finding.readStore?.registered) return undefined;
    return (await this.foundBy(scope, filters, COUNT_MAX))?.sumStored(...asked);
  }

  /** Ids of the spans that all filters take, newest first, up to `max`. */
  async ids(scope: Scope, filters: SpanFilters, max: number): Promise<string[]> {
    const found = await this.foundBy(scope, filters, max);
    return found ? (await found.fetch('valued', undefined, max, COUNTED)).rows : [];
  }

  private foundBy(scope: Scope, filters: SpanFilters, limit: number): Promise<FoundSpans | undefined> {
    const query = this.split({ ...filters, sort_by: 'started_at', sort_order: 'desc', limit });
    return FoundSpans.of(this.finding, scope, query, COUNT_SORTING);
  }

  private split(query: ListSpans): ListSpans {
    return this.metadata?.split(query) ?? query;
  }

  private async page<Row extends SpanRow>(scope: Scope, query: ListSpans, form: SpanForm<Row>): Promise<Page<Row>> {
    const { sort_by: sortBy, sort_order: order } = query;
    const { property, ...sorted } = Object.hasOwn(SORTED, sortBy) ? SORTED[sortBy as SpanSortKey] : BY_SCORE;
    const sorting: Sorting = { list: `spans:${sortBy}:${order}`, idColumn: 's.id', order, ...sorted };
    const from = startOf(sorting, query.cursor);
    const found = await FoundSpans.of(this.finding, scope, this.split(query), sorting);
    if (!found) return { items: [], nextCursor: null };
    return fillPage(
      sorting,
      from,
      query.limit,
      (part, start, count) => found.fetch(part, start, count, form),
      (span): Position => found.positions.get(span.id) ?? { value: span[property], id: span.id },
    );
  }
}

/** The order in which most filters have an index; a count does not depend on it. */
const COUNT_SORTING: Sorting = {
  list: 'count',
  column: 's.started_at',
  idColumn: 's.id',
  type: 'integer',
  nullable: false,
  order: 'desc',
};

/** Spans that are counted: nothing of them is loaded or kept. */
const COUNTED: SpanForm<string> = {
  load: (_scope, ids) => Promise.resolve([...ids]),
  ofWhole: ({ id }) => id,
  textLength: () => 0,
};

const countOf = async ({ list, found }: PlannedList, max: number): Promise<number> =>
  found.where ? list.count(found.where, max) : (await found.candidates('valued', undefined, max)).length;
