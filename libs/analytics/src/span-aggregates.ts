import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  type GroupKey,
  type GroupsAnswer,
  type RankMeasure,
  type SpanFilters,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { ScoresPort, SpanListStore } from '@spandrel/tracing';
import { StoredSums } from './stored-sums.js';
import type { TimeRange } from './plan-range.js';
import { LLM_CALL } from './rollup-deltas.js';
import { finite } from './span-sums.sql.js';
import { isKept, TimeSeriesStore, type SeriesQuery, type SumsRow } from './time-series.store.js';

export interface AggregateQuery extends Pick<
  SeriesQuery,
  'range' | 'width' | 'percentiles' | 'firstTokens' | 'rowsMax'
> {
  filters: SpanFilters;
  keys: readonly GroupKey[];
  /** How many groups are distinguished: those with most of `rank`. */
  top: number;
  rank: RankMeasure;
  score: string | undefined;
}

/** Sums of spans by their keys: kept ones, those of the read store, or those of a bounded scan. */
@Injectable()
export class SpanAggregates {
  constructor(
    private readonly store: TimeSeriesStore,
    private readonly lists: SpanListStore,
    private readonly scores: ScoresPort,
    private readonly stored: StoredSums,
  ) {}

  /**
   * @returns rows of groups by time, in the order of time and rank, and of all spans; from sums that are kept where these do.
   * @throws DomainError `range_too_large`.
   */
  async read(scope: Scope, query: AggregateQuery): Promise<{ rows: SumsRow[]; source: GroupsAnswer['source'] }> {
    const { filters, keys, top, rank, score, ...how } = query;
    const { since: _since, until: _until, model, provider, kind, ...others } = filters;
    const isSimple = Object.values(others).every((filter) => filter === undefined) && (kind ?? LLM_CALL) === LLM_CALL;
    const series: SeriesQuery = {
      ...{ ...how, model, provider, of: kind === undefined ? 'spans' : 'llm_calls' },
      split: keys.length === 0 ? undefined : { by: keys, top, rank, withNone: true },
      scores: this.valuesOf(scope, score, query.range),
    };
    if (isSimple && isKept(series)) return { rows: await this.store.sums(scope, series), source: 'sums' };
    const stored = await this.stored.sums(scope, series, filters);
    if (stored) return { rows: stored, source: 'spans' };
    const where = await this.lists.conditionOf(scope, filters);
    const rows = where && (await this.store.sums(scope, { ...series, of: 'spans', where }));
    return { rows: rows ?? [], source: 'spans' };
  }

  private valuesOf(scope: Scope, score: string | undefined, range: TimeRange) {
    if (score === undefined || !isStorableText(score)) return undefined;
    return this.scores.registered?.valuesOf(scope, score, finite(range));
  }
}
