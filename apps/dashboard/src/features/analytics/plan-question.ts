import type { BucketWidth } from '@spandrel/contract';
import type { api } from '../../api/api.js';
import { endsOf } from '../filters/time-range.js';
import type { AnalyticsSearch } from './analytics-search.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const WIDTH_MS: Readonly<Record<BucketWidth, number>> = {
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
};

/** The longest range that has buckets of each width of its own accord. */
const WIDTHS = [
  { upTo: 3 * HOUR, width: 'minute' },
  { upTo: 7 * DAY, width: 'hour' },
  { upTo: 400 * DAY, width: 'day' },
] as const;

/** The width of buckets that a reader can take in. @param lengthMs of the range. */
const fittingWidth = (lengthMs: number): BucketWidth => WIDTHS.find(({ upTo }) => lengthMs <= upTo)?.width ?? 'week';

/** What is shown: ends in milliseconds, and what is asked for. */
export interface Plan {
  width: BucketWidth;
  /** What all questions have in common. */
  range: { since?: string; until?: string; model?: string };
}

/** What a time series is asked for. */
export type SeriesQuestion = NonNullable<NonNullable<Parameters<typeof api.queryAnalytics>[0]>['body']>;

/** The ends that an address says; a range that is open to the future ends now. */
export function knownEnds(search: AnalyticsSearch, now: number): { since?: string; until?: string } {
  const { since, until } = endsOf(search, now);
  return {
    ...(since !== undefined && { since }),
    ...(until === undefined ? since !== undefined && { until: new Date(now).toISOString() } : { until }),
  };
}

/**
 * What the API is asked for.
 * @param edges when the first and the last span started, in milliseconds, for ends that the address leaves open.
 */
export function planQuestion(
  search: AnalyticsSearch,
  now: number,
  edges: { first: number | null; last: number | null },
): Plan {
  const ends = knownEnds(search, now);
  const from = ends.since === undefined ? (edges.first ?? now) : Date.parse(ends.since);
  const until = ends.until === undefined ? (edges.last ?? now) + 1 : Date.parse(ends.until);
  const width = search.group_by ?? fittingWidth(until - from);
  const model = search.model !== undefined && { model: search.model };
  // Buckets of minutes need both ends.
  const open = { since: new Date(from).toISOString(), until: new Date(until).toISOString() };
  return { width, range: { ...(width === 'minute' ? open : ends), ...model } };
}
