import { Injectable } from '@nestjs/common';
import {
  ANALYTICS_GROUPS_DEFAULT,
  BUCKETS_MAX,
  formatTimestamp,
  getOrMake,
  PERCENTILE_BUCKETS_MAX,
  PERCENTILE_ERROR,
  type BucketWidth,
  type GroupsAnswer,
  type GroupsQuery,
  type SpanFilters,
  type TimedSums,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { SpanAggregates, type AggregateQuery } from './span-aggregates.js';
import { keyOfRow, readRows, RowSums, type RowHistograms } from './row-sums.js';
import { assertCount, assertShort, TimeSeries } from './time-series.js';
import { isOfBucket, isOfKey, type SumsRow } from './time-series.store.js';

type Asked = Parameters<RowSums['toGroup']>[0];

class TimedRows {
  private readonly all = new RowSums();
  private readonly buckets = new Map<number, RowSums>();

  add(row: SumsRow, histograms: RowHistograms): void {
    this.all.add(row, histograms);
    getOrMake(this.buckets, row.bucket, () => new RowSums()).add(row, histograms);
  }

  toWire(asked: Asked, width: BucketWidth | 'whole'): TimedSums {
    const sums = this.all.toGroup(asked);
    if (width === 'whole') return sums;
    const buckets = [...this.buckets].map(([start, own]) => ({
      timestamp: formatTimestamp(start),
      ...own.toGroup(asked),
    }));
    return { ...sums, buckets };
  }
}

/** `POST /api/analytics/query` (docs/spec/analytics.md#groups). */
@Injectable()
export class QueryGroups {
  constructor(
    private readonly aggregates: SpanAggregates,
    private readonly series: TimeSeries,
  ) {}

  /** @throws Invalid when there are too many buckets; DomainError `range_too_large`. */
  async answer(scope: Scope, question: GroupsQuery): Promise<GroupsAnswer> {
    const filters: SpanFilters = question.filters ?? {};
    const { width, range } = await this.fit(scope, question.bucket ?? null, filters);
    const asked = {
      percentiles: question.percentiles === true,
      firstTokens: question.first_token === true,
      score: question.score != null,
    };
    const hasPercentiles = asked.percentiles || asked.firstTokens;
    const keys = question.group_by ?? [];
    const query: AggregateQuery = {
      ...{
        filters,
        range,
        width,
        keys,
        top: question.top ?? ANALYTICS_GROUPS_DEFAULT,
        rank: question.order_by ?? 'cost',
      },
      ...{ percentiles: asked.percentiles, firstTokens: asked.firstTokens, score: question.score ?? undefined },
      rowsMax: hasPercentiles ? PERCENTILE_BUCKETS_MAX : BUCKETS_MAX,
    };
    const isEmpty = range.from >= range.until;
    const { rows, source } = isEmpty ? NOTHING : await this.aggregates.read(scope, query);
    assertCount(rows.length, query.rowsMax, 'bucket');
    const total = new TimedRows();
    const other = new TimedRows();
    const groups = new Map<number, { keys: (string | null)[]; rows: TimedRows }>();
    let hasOther = false;
    await readRows(rows, (row, histograms) => {
      if (isOfBucket(row)) total.add(row, histograms);
      if (keys.length === 0 || !isOfKey(row)) return;
      if (row.place === null) {
        hasOther = true;
        other.add(row, histograms);
        return;
      }
      const group = getOrMake(groups, row.place, () => ({
        keys: keys.map((by, at) => keyOfRow(by, at === 0 ? row.key1 : row.key2)),
        rows: new TimedRows(),
      }));
      group.rows.add(row, histograms);
    });
    return {
      groups: [...groups]
        .toSorted(([a], [b]) => a - b)
        .map(([, group]) => ({ keys: group.keys, ...group.rows.toWire(asked, width) })),
      other: hasOther ? other.toWire(asked, width) : null,
      total: total.toWire(asked, width),
      ...(width !== 'whole' && { bucket: width }),
      source,
      ...(hasPercentiles && { percentile_error: PERCENTILE_ERROR }),
    };
  }

  private async fit(scope: Scope, bucket: BucketWidth | 'auto' | null, { since, until }: SpanFilters) {
    const ends = { since: since ?? null, until: until ?? null };
    const fitting = await this.series.fit(scope, { ...ends, group_by: bucket });
    if (bucket === null) return { ...fitting, width: 'whole' as const };
    if (fitting.width === 'minute') assertShort(fitting.range, 'bucket');
    return fitting;
  }
}

const NOTHING = { rows: [], source: 'sums' } as const;
