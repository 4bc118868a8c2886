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

export type SeriesQuestion = NonNullable<NonNullable<Parameters<typeof api.queryAnalytics>[0]>['body']>;

/** The ends that an address says; a range that is open to the future ends now. */
export function knownEnds(search: AnalyticsSearch, now: number): { since?: string; until?: string } {
  const { since, until } = endsOf(search, now);
  return {
    ...(since !== undefined && { since }),
    ...(until === undefined ? since !== undefined && { until: new Date(now).toISOString() } : { until }),
  };
}

/** What the API is asked for, but for what figures want of it. Buckets are those that suit the range unless chosen. */
export function askedOf(search: AnalyticsSearch, now: number): SeriesQuestion {
  const { model, user_id, of } = search;
  return {
    ...knownEnds(search, now),
    group_by: search.group_by ?? 'auto',
    ...(of && { of }),
    ...(model !== undefined && { model }),
    ...(user_id !== undefined && { user_id }),
  };
}
