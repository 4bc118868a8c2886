import { Injectable } from '@nestjs/common';
import type { ListSpans, SpanResource, SpanSortKey } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  behind,
  fillPage,
  joinSql,
  jsonContains,
  mayContainJson,
  orderBy,
  rawSql,
  sql,
  startOf,
  Storage,
  upTo,
  type Fetched,
  type LongReadOptions,
  type Page,
  type Part,
  type Position,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { spanConditions } from './span-filter.store.js';
import { spanResource } from './span-resource.js';
import { SpanStore } from './span.store.js';
import type { StoredSpan } from './span.entity.js';
import { ofMatchingTraces } from './trace-filter.store.js';

const SORTED: Record<SpanSortKey, Pick<Sorting, 'column' | 'type' | 'nullable'> & { property: keyof StoredSpan }> = {
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

interface Search {
  scope: Scope;
  where: Sql;
  sorting: Sorting;
  positionOf: (span: StoredSpan) => Position;
  query: ListSpans;
  options: LongReadOptions;
}

/**
 * `GET /api/spans` (contract.md "Spans"). Keyset pages: by start through `span_started_at`, of a trace through
 * `span_trace`, of a model through `span_model`, running or failed through `span_unfinished`; the rest scans the narrow
 * table off the main thread. Payloads are loaded for the rows of the page only; a page of large ones ends early.
 */
@Injectable()
export class SpanListStore {
  constructor(
    private readonly storage: Storage,
    private readonly spans: SpanStore,
  ) {}

  /** @throws Invalid `invalid_cursor`. */
  async list(scope: Scope, query: ListSpans, options: LongReadOptions = {}): Promise<Page<SpanResource>> {
    const { sort_by: sortBy, sort_order: order } = query;
    const { property, ...sorted } = SORTED[sortBy];
    const sorting: Sorting = { list: `spans:${sortBy}:${order}`, idColumn: 's.id', order, ...sorted };
    const from = startOf(sorting, query.cursor);
    const conditions = spanConditions(scope, query);
    const ofTraces = conditions && (await ofMatchingTraces(this.storage, scope, query, options));
    if (conditions === null || ofTraces === null) return { items: [], nextCursor: null };
    if (ofTraces) conditions.push(ofTraces.condition);
    sorting.unindexed = ofTraces?.few ?? false;
    const search: Search = {
      scope,
      where: joinSql(conditions, ' and '),
      sorting,
      positionOf: (span) => ({ value: span[property], id: span.id }),
      query,
      options,
    };
    const searchesText = [query.text_contains, query.input_contains, query.output_contains].some(
      (n) => n !== undefined,
    );
    const page = await fillPage(
      sorting,
      from,
      query.limit,
      (part, start, count) =>
        searchesText
          ? this.search(search, part, start, count)
          : this.rows(search, part, behind(sorting, part, start), count),
      search.positionOf,
    );
    return { items: page.items.map(spanResource), nextCursor: page.nextCursor };
  }

  private async rows(search: Search, part: Part, within: Sql, count: number): Promise<Fetched<StoredSpan>> {
    const { scope, where, sorting, options } = search;
    const found = await this.storage.readLong<{ id: string }>(
      sql`select s.id as id from span s where ${where} and ${within} order by ${orderBy(sorting, part)} limit ${count}`,
      options,
    );
    const ids = found.map(({ id }) => id);
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
    for (let size = SLICE_MIN; ; size = Math.min(size * 2, SLICE_MAX)) {
      const end = await this.sliceEnd(search, part, from, size);
      for await (const loaded of this.loaded(search, await this.maybes(search, part, from, end))) {
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

  /** Where a slice of the candidates ends; `undefined` when it is the last one. */
  private async sliceEnd(
    { where, sorting, options }: Search,
    part: Part,
    from: Position | undefined,
    size: number,
  ): Promise<Position | undefined> {
    const [end] = await this.storage.readLong<Position>(
      sql`select ${rawSql(sorting.column)} as value, s.id as id from span s
        where ${where} and ${behind(sorting, part, from)}
        order by ${orderBy(sorting, part)} limit 1 offset ${size - 1}`,
      options,
    );
    return end;
  }

  /** Ids of the candidates of a slice whose payload may contain what is searched, in order. */
  private async maybes(
    { where, sorting, query, options }: Search,
    part: Part,
    from: Position | undefined,
    end: Position | undefined,
  ): Promise<string[]> {
    const slice = end
      ? sql`${behind(sorting, part, from)} and ${upTo(sorting, part, end)}`
      : behind(sorting, part, from);
    const rows = await this.storage.readLong<{ id: string }>(
      sql`select s.id as id from span s join span_payload p on p.project_id = s.project_id and p.span_id = s.id
        where ${where} and ${slice} and ${joinSql(payloadConditions(query), ' and ')}
        order by ${orderBy(sorting, part)}`,
      options,
    );
    return rows.map(({ id }) => id);
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
