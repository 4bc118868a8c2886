import { Injectable } from '@nestjs/common';
import type { SpanFilters } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { ReadStoreGiven, ReadStoreKey, ReadStoreSums } from '@spandrel/plugin-api';
import { integer, joinSql, nullable, number, rawSql, shapeOf, sql, Storage, text, type Sql } from '@spandrel/storage';
import { BoundedScan, scoresInRange, spansInRange, SpanListStore, statusName } from '@spandrel/tracing';
import { LLM_CALL } from './rollup-deltas.js';
import { binOf, FIRSTS } from './latency-histogram.js';
import { BUCKET } from './plan-range.js';
import { bucketOf, finite, OF_SPAN } from './span-sums.sql.js';
import { isKept, type SeriesQuery, type SplitKey, type SumsRow } from './time-series.store.js';

const MEASURES = shapeOf({
  ...{ spans: integer(), tokens: number(), input_tokens: number(), cached_tokens: number(), finished: integer() },
  ...{ duration_ms: number(), errors: integer(), priced: integer(), unpriced: integer(), usd: integer() },
  ...{ micro: integer(), pico: integer(), scores: integer(), score_sum: number() },
});
const GIVEN = shapeOf({
  ...{ started_at: integer(), trace_id: text(), name: nullable(text()), kind: nullable(text()) },
  ...{ model: nullable(text()), provider: nullable(text()), status: nullable(integer()) },
  ...{ latency: nullable(integer()), first_token: nullable(integer()) },
}).and(MEASURES);

/** What a read store would be asked for; nothing where a condition stands for it, or it is not about spans. */
function storedFilters({ of, model, provider, trace = {}, where }: SeriesQuery): SpanFilters | undefined {
  const { name, userId: user_id, sessionId: session_id, tag } = trace;
  if (where || of === 'traces' || name !== undefined) return undefined;
  const kind = of === 'llm_calls' ? LLM_CALL : undefined;
  return { kind, model, provider, user_id, session_id, tag: tag === undefined ? undefined : [tag] };
}

/** Rows that are sent with a question; with more of them the database answers. */
const GIVEN_MAX = 50_000;

const OWN = { name: 'name', kind: 'kind_type', model: 'model', provider: 'provider', status: 'status' } as const;

/**
 * Sums that the read store makes: of the spans that it has, and of those, and of the scores, that it is sent along with the
 * question. So ranks and percentiles are those of all spans.
 */
@Injectable()
export class StoredSums {
  constructor(
    private readonly lists: SpanListStore,
    private readonly storage: Storage,
    private readonly scans: BoundedScan,
  ) {}

  /** Sums of a time series that would be made by reading all spans; `undefined` where the database is to answer. */
  async ofSeries(scope: Scope, query: SeriesQuery): Promise<SumsRow[] | undefined> {
    const filters = isKept(query) ? undefined : storedFilters(query);
    return filters && this.sums(scope, query, filters);
  }

  /** @returns `undefined` where the database is to answer. @throws DomainError `range_too_large` when there are too many scores. */
  async sums(scope: Scope, query: SeriesQuery, given: SpanFilters): Promise<SumsRow[] | undefined> {
    const { range, width, split, percentiles, firstTokens = false, rowsMax } = query;
    const since = Number.isFinite(range.from) ? range.from : undefined;
    const until = Number.isFinite(range.until) ? range.until : undefined;
    const bucket = width === 'whole' ? null : { width: BUCKET[width].widthMs, origin: BUCKET[width].originMs };
    const keys = (split?.by ?? []) as readonly ReadStoreKey[];
    const asked = {
      ...{ bucket, keys, top: split?.top ?? 0, rank: split?.rank ?? ('cost' as const), limit: rowsMax + 1 },
      ...{ has_none: split?.withNone ?? false, steps: FIRSTS, latencies: percentiles, first_tokens: firstTokens },
    };
    const rows = await this.lists.sumStored(scope, { ...given, since, until }, asked, async (pending, all) => {
      const scores = query.scores ? await this.scoresOf(scope, query, query.scores, all) : [];
      if (scores.length > GIVEN_MAX) return undefined;
      return [...(pending ? await this.spansOf(scope, query, pending) : []), ...scores].map(
        ({ status, ...row }): ReadStoreGiven => ({ ...row, status: status === null ? null : statusName(status) }),
      );
    });
    return rows?.map(rowOf);
  }

  private spansOf(scope: Scope, { range, firstTokens = false }: SeriesQuery, where: Sql) {
    const { values } = spansInRange(scope, finite(range), { where, firstTokens });
    return this.storage.readLong(
      GIVEN.query`select started_at, trace_id, name, kind_type as kind, model, provider, status, duration_ms as latency,
        first_token_ms as first_token, ${OF_SPAN} from (${values}) priced`,
      scope,
    );
  }

  private scoresOf(scope: Scope, { width, split }: SeriesQuery, scores: Sql, where: Sql) {
    const by: readonly SplitKey[] = split?.by ?? [];
    const isOwn = (column: string): boolean => by.some((key) => key === column);
    const isKeyed = by.some((key) => !Object.hasOwn(OWN, key));
    const { rows, values } = scoresInRange(scores, where);
    const columns = Object.entries(OWN).map(
      ([name, column]) => sql`${rawSql(isOwn(name) ? column : 'null')} as ${rawSql(name)}`,
    );
    const grouping = [
      sql`1`,
      ...(width === 'whole' ? [] : [bucketOf('started_at', width)]),
      ...(isKeyed ? [sql`trace_id`] : []),
      ...Object.entries(OWN).flatMap(([name, column]) => (isOwn(name) ? [rawSql(column)] : [])),
    ].slice(1);
    return this.scans.read(
      rows,
      GIVEN.query`select min(started_at) as started_at, ${rawSql(isKeyed ? 'trace_id' : `''`)} as trace_id, ${joinSql(columns, ', ')},
        null as latency, null as first_token, 0 as spans, 0 as tokens, 0 as input_tokens, 0 as cached_tokens, 0 as finished,
        0 as duration_ms, 0 as errors, 0 as priced, 0 as unpriced, 0 as usd, 0 as micro, 0 as pico, count(*) as scores,
        sum(value) as score_sum
        from (${values}) scored ${grouping.length > 0 ? sql`group by ${joinSql(grouping, ', ')}` : rawSql('')}
        having count(*) > 0 limit ${GIVEN_MAX + 1}`,
      scope,
    );
  }
}

const histogramText = (counts: ReadStoreSums['latencies']): string =>
  counts.map(([step, count]) => `${binOf(step)}:${count} `).join('');

function rowOf({
  keys,
  latencies,
  first_tokens,
  input_tokens,
  cached_tokens,
  duration_ms,
  score_sum,
  ...row
}: ReadStoreSums): SumsRow {
  const keyAt = (at: number): string | null => {
    const key = keys[at];
    if (row.place === null || key === undefined) return null;
    return key === null ? '' : `=${key}`;
  };
  return {
    ...{
      ...row,
      key1: keyAt(0),
      key2: keyAt(1),
      latencies: histogramText(latencies),
      firsts: histogramText(first_tokens),
    },
    ...{ inputTokens: input_tokens, cachedTokens: cached_tokens, durationMs: duration_ms, scoreSum: score_sum },
  };
}
