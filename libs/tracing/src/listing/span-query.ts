import type { ListSpans } from '@spandrel/contract';

/** Whole days, in milliseconds since the epoch; `until` is not in it. Open where there is none. */
export interface StartRange {
  from?: number | undefined;
  until?: number | undefined;
}

/** A list's filters, and a range of starts to which one look at the database is limited, on Postgres. */
export type SpanQuery = ListSpans & {
  within?: StartRange;
  /** The days that have partitions, where these are many; the spans of others lie in the default partition. */
  days?: readonly number[];
};
