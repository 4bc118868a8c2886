import { Injectable } from '@nestjs/common';
import {
  BUCKETS_MAX,
  formatTimestamp,
  getOrMake,
  MINUTES_RANGE_MAX_MS,
  PERCENTILE_BUCKETS_MAX,
  PERCENTILE_ERROR,
  TOP_DEFAULT,
  type BucketSeries,
  type BucketWidth,
  type CountedThing,
  type RangeTotals,
  type TimeBucket,
  type TimeSeriesAnswer,
  type TimeSeriesQuery,
} from '@spandrel/contract';
import { invalidRequest, Turn, type Scope } from '@spandrel/kernel';
import { type TimeRange, BUCKET, bucketStart, DAY_MS, HOUR_MS } from './plan-range.js';
import { keyOfRow, readRows, RowSums, type RowHistograms } from './row-sums.js';
import { StoredSums } from './stored-sums.js';
import {
  isOfBucket,
  isOfKey,
  TimeSeriesStore,
  type SeriesQuery,
  type SplitKey,
  type SumsRow,
} from './time-series.store.js';

interface BucketForm {
  of: CountedThing;
  split: SplitKey | undefined;
  percentiles: boolean;
}

class BucketParts {
  private readonly sums = new RowSums();
  private readonly series: BucketSeries[] = [];

  constructor(private readonly form: BucketForm) {}

  /** @param row of the bucket; keys in the order of their rank. */
  add(row: SumsRow, histograms: RowHistograms): void {
    if (isOfBucket(row)) this.sums.add(row, histograms);
    if (!isOfKey(row) || this.form.split === undefined) return;
    const own = new RowSums();
    own.add(row, histograms);
    this.series.push({ key: keyOfRow(this.form.split, row.key1), ...own.toBucket(this.form) });
  }

  toWire(): Omit<TimeBucket, 'timestamp'> {
    return { ...this.sums.toBucket(this.form), ...(this.form.split !== undefined && { series: this.series }) };
  }
}

/** `POST /api/analytics` (docs/spec/analytics.md#time-series). */
@Injectable()
export class TimeSeries {
  constructor(
    private readonly store: TimeSeriesStore,
    private readonly stored: StoredSums,
  ) {}

  /**
   * @throws Invalid when there are too many buckets, or a range by minute is too long; DomainError `range_too_large`.
   */
  async answer(scope: Scope, question: TimeSeriesQuery): Promise<TimeSeriesAnswer> {
    const { width, range } = await this.fit(scope, question);
    const percentiles = question.percentiles === true;
    const query = {
      ...{ range, width, percentiles, of: question.of ?? 'spans' },
      ...{ model: question.model ?? undefined, provider: question.provider ?? undefined },
      trace: { userId: question.user_id ?? undefined },
      split: question.split_by ? { by: [question.split_by], top: question.top ?? TOP_DEFAULT } : undefined,
      rowsMax: percentiles ? PERCENTILE_BUCKETS_MAX : BUCKETS_MAX,
    };
    const isEmpty = range.from >= range.until;
    const buckets = isEmpty ? [] : await this.buckets(scope, query, question.fill === true);
    const { split: _split, ...whole } = query;
    const before = { from: 2 * range.from - range.until, until: range.from };
    return {
      buckets,
      ...(question.group_by === 'auto' && { group_by: width }),
      ...(question.totals && {
        totals: await this.totals(scope, query),
        previous_totals:
          Number.isFinite(before.from) && !isEmpty
            ? await this.totals(scope, { ...whole, split: undefined, range: before })
            : null,
      }),
      ...(percentiles && { percentile_error: PERCENTILE_ERROR }),
    };
  }

  private async buckets(
    scope: Scope,
    query: SeriesQuery & { width: BucketWidth },
    fill: boolean,
  ): Promise<TimeBucket[]> {
    const { range, width, rowsMax } = query;
    if (width === 'minute') assertShort(range);
    if (fill) assertCount(bucketsBetween(range.from, range.until - 1, width), rowsMax);
    const rows = await this.sums(scope, query);
    assertCount(rows.length, rowsMax);
    const form = formOf(query);
    const found = await bucketsOfRows(rows, form);
    const starts = [...found.keys()];
    const buckets: TimeBucket[] = [];
    const turn = new Turn();
    for (const start of fill ? startsBetween(starts, range, width, rowsMax) : starts) {
      const parts = found.get(start) ?? new BucketParts(form);
      buckets.push({ timestamp: formatTimestamp(start), ...parts.toWire() });
      if (turn.isOver()) await turn.next();
    }
    return buckets;
  }

  private async sums(scope: Scope, query: SeriesQuery): Promise<SumsRow[]> {
    return (await this.stored.ofSeries(scope, query)) ?? this.store.sums(scope, query);
  }

  /** The sums of a range as one bucket. @throws DomainError `range_too_large`. */
  async totals(scope: Scope, query: Omit<SeriesQuery, 'width'>): Promise<RangeTotals> {
    const { from, until } = query.range;
    const rows = from < until ? await this.sums(scope, { ...query, width: 'whole' }) : [];
    const form = formOf(query);
    return ((await bucketsOfRows(rows, form)).get(0) ?? new BucketParts(form)).toWire();
  }

  /** The width of buckets and the range; for `auto` what suits it, whose open ends are those of what is there. */
  async fit(scope: Scope, { group_by, since, until }: Pick<TimeSeriesQuery, 'group_by' | 'since' | 'until'>) {
    const range: TimeRange = { from: since ?? -Infinity, until: until ?? Infinity };
    if (group_by !== 'auto') return { width: group_by ?? 'day', range };
    const isOpen = !Number.isFinite(range.until - range.from);
    const ends = isOpen ? await this.store.ends(scope) : range;
    const closed = { from: Math.max(range.from, ends.from), until: Math.min(range.until, ends.until) };
    const width = fittingWidth(closed);
    return { width, range: width === 'minute' ? closed : range };
  }
}

/** The longest range that has buckets of each width of its own accord. */
const WIDTHS = [
  { upToMs: 3 * HOUR_MS, width: 'minute' },
  { upToMs: 3 * DAY_MS, width: 'hour' },
  { upToMs: 200 * DAY_MS, width: 'day' },
] as const;

/** The width of buckets that a reader can take in. */
const fittingWidth = ({ from, until }: TimeRange): BucketWidth =>
  WIDTHS.find(({ upToMs }) => until - from <= upToMs)?.width ?? 'week';

const formOf = ({ of, split, percentiles }: Omit<SeriesQuery, 'width'>): BucketForm => ({
  of,
  split: split?.by[0],
  percentiles,
});

async function bucketsOfRows(rows: readonly SumsRow[], form: BucketForm): Promise<Map<number, BucketParts>> {
  const buckets = new Map<number, BucketParts>();
  await readRows(rows, (row, histograms) =>
    getOrMake(buckets, row.bucket, () => new BucketParts(form)).add(row, histograms),
  );
  return buckets;
}

/** The starts of all buckets of a range; where it is open, from the first or to the last one with spans. */
function startsBetween(found: readonly number[], range: TimeRange, width: BucketWidth, rowsMax: number): number[] {
  const first = Number.isFinite(range.from) ? bucketStart(range.from, width) : found[0];
  const last = Number.isFinite(range.until) ? bucketStart(range.until - 1, width) : found.at(-1);
  if (first === undefined || last === undefined) return [];
  const count = bucketsBetween(first, last, width);
  assertCount(count, rowsMax);
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * BUCKET[width].widthMs);
}

/** How many buckets two moments and what is between them fall into; `NaN` or infinite for an open range. */
const bucketsBetween = (from: number, to: number, width: BucketWidth): number =>
  (bucketStart(to, width) - bucketStart(from, width)) / BUCKET[width].widthMs + 1;

export function assertCount(count: number, most: number, path = 'group_by'): void {
  if (!Number.isFinite(count) || count <= most) return;
  const message = `must not give more than ${most} buckets; ask for a shorter range or wider buckets`;
  throw invalidRequest([{ path, message }]);
}

export function assertShort({ from, until }: TimeRange, path = 'group_by'): void {
  if (until - from <= MINUTES_RANGE_MAX_MS) return;
  const message = 'by minute needs since and until, no more than 24 hours apart; ask for a shorter range or for hours';
  throw invalidRequest([{ path, message }]);
}
