import { Injectable } from '@nestjs/common';
import type { ListSpans, SpanResource, SpanSortKey } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
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
  type LongReadOptions,
  type Page,
  type Part,
  type Position,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { spanConditions } from './span-filter.store.js';
import { spanResource } from './span-resource.js';
import { WHOLE_SPANS } from './span.store.js';
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

interface Search {
  where: Sql;
  sorting: Sorting;
  positionOf: (span: StoredSpan) => Position;
  query: ListSpans;
  options: LongReadOptions;
}

/**
 * `GET /api/spans` (contract.md "Spans"). Keyset pages: by start through `span_started_at`, of a trace through
 * `span_trace`, of a model through `span_model`, running or failed through `span_unfinished`; the rest scans the narrow
 * table off the main thread. Payloads are joined to the rows of the page only.
 */
@Injectable()
export class SpanListStore {
  constructor(private readonly storage: Storage) {}

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

  private rows({ where, sorting, options }: Search, part: Part, within: Sql, count: number): Promise<StoredSpan[]> {
    return this.storage.readLong<StoredSpan>(
      sql`with page as materialized (
          select s.project_id as project_id, s.id as id from span s where ${where} and ${within}
          order by ${orderBy(sorting, part)} limit ${count}
        )
        ${WHOLE_SPANS} join page on page.project_id = s.project_id and page.id = s.id
        order by ${orderBy(sorting, part)}`,
      options,
    );
  }

  /** Looks through the candidates slice by slice until enough are found; memory stays bounded. */
  private async search(search: Search, part: Part, start: Position | undefined, count: number): Promise<StoredSpan[]> {
    const found: StoredSpan[] = [];
    let from = start;
    for (let size = SLICE_MIN; ; size = Math.min(size * 2, SLICE_MAX)) {
      const end = await this.sliceEnd(search, part, from, size);
      for (const ids of chunks(await this.maybes(search, part, from, end), LOADED_AT_ONCE)) {
        const loaded = await this.rows(search, part, anyOf('s.id', ids), ids.length);
        found.push(...loaded.filter((span) => matchesText(span, search.query)));
        if (found.length >= count) return found.slice(0, count);
      }
      if (!end) return found;
      from = end;
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

function* chunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
