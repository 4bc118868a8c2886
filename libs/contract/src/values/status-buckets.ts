export interface StatusBucket {
  /** Milliseconds since 1970: begins then, and ends where the next one begins. */
  from: number;
  to: number;
  running: number;
  completed: number;
  failed: number;
}

export interface TimedTrace {
  at: number;
  status: 'running' | 'completed' | 'failed';
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const WIDTHS = [
  ...[1, 2, 5, 10, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 8, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];

const BUCKETS_MAX = 60;

/** The smallest width by which a range has no more than {@link BUCKETS_MAX} buckets. */
export function bucketWidth(from: number, to: number): number {
  return WIDTHS.find((width) => (to - from) / width <= BUCKETS_MAX - 1) ?? Math.ceil((to - from) / (BUCKETS_MAX - 1));
}

/** Counts traces by time and status, in sixty buckets at most. @param range of all traces when left out. */
export function bucketsOf(traces: readonly TimedTrace[], range: { from?: number; to?: number } = {}): StatusBucket[] {
  if (traces.length === 0) return [];
  const from = range.from ?? traces.reduce((least, { at }) => Math.min(least, at), Infinity);
  const last = traces.reduce((most, { at }) => Math.max(most, at), from);
  const to = Math.max(range.to ?? 0, last + 1);
  const width = bucketWidth(from, to);
  const start = Math.floor(from / width) * width;
  const buckets = Array.from({ length: Math.ceil((to - start) / width) }, (_, place): StatusBucket => {
    const begin = start + place * width;
    return { from: begin, to: begin + width, running: 0, completed: 0, failed: 0 };
  });
  for (const { at, status } of traces) {
    const bucket = buckets[Math.floor((at - start) / width)];
    if (bucket !== undefined) bucket[status]++;
  }
  return buckets;
}
