/** Numbers of spans that decide how a list is found. Measured: see ADR 0021. */
export interface ListLimits {
  /** Up to so many spans of one filter are looked up and sorted rather than found in list order. */
  ofFilter: number;
  /** Like `ofFilter`, for lists in another than start order: no index has a filter and their order, so more are sorted. */
  toSort: number;
  /** Spans of a filter on a number read by whole time buckets; a bucket that has more is walked in start order. */
  inBuckets: number;
  /** Candidates that a text search looks through in list order before it looks through all payloads as they lie. */
  searched: number;
  /** Hits among payloads that one statement brings, or that are sorted; on Postgres. */
  hits: number;
}

export const LIST_LIMITS: ListLimits = {
  ofFilter: 2_000,
  toSort: 20_000,
  inBuckets: 1_000,
  searched: 30_000,
  hits: 10_000,
};
