import { Injectable } from '@nestjs/common';
import type { ListTraces } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { ReadStoreGiven, ReadStoreSumQuery, ReadStoreSums } from '@spandrel/plugin-api';
import { compareTexts, type Part, type Position, type Sorting, type WriteTx } from '@spandrel/storage';
import type { SpanQuery } from '../listing/span-filter.sql.js';
import type { StoredSpan } from '../span.entity.js';

/** The read store cannot be used just now: the database answers alone. */
export class ReadStoreAway extends Error {}

export interface StoredList {
  /** Spans or traces in list order, behind a position. @throws ReadStoreAway */
  find(part: Part, from: Position | undefined, count: number): Promise<Position[]>;
  /** How many there are, up to a number. @throws ReadStoreAway */
  count(max: number): Promise<number>;
}

/** What the database gives away of a span once the store has it. */
export type SpanTexts = Pick<StoredSpan, 'input' | 'output'>;

/** Spans that a read store answers for: all but those that are pending, for which the database does. */
export interface StoredSpanList extends StoredList {
  readonly pending: readonly string[];
}

export type StoredSumQuery = Pick<
  ReadStoreSumQuery,
  'bucket' | 'keys' | 'top' | 'rank' | 'has_none' | 'steps' | 'latencies' | 'first_tokens' | 'limit'
>;

/** Sums of spans, pending ones as they are given. */
export interface StoredSpanSums extends Pick<StoredSpanList, 'pending'> {
  /** @throws ReadStoreAway */
  add(given: readonly ReadStoreGiven[]): Promise<ReadStoreSums[]>;
}

/** What the feature `read-store` does for lists, sums and payloads; `undefined` where the database is to answer alone. */
export interface StoredSpans {
  listOf(scope: Scope, query: SpanQuery): Promise<StoredSpanList | undefined>;
  /** Pending traces are in the list, too. */
  tracesOf(scope: Scope, query: Omit<ListTraces, 'limit'>): Promise<StoredList | undefined>;
  sumsOf(scope: Scope, query: SpanQuery, sums: StoredSumQuery): Promise<StoredSpanSums | undefined>;
  /** Input and output of spans, by their ids; those that are not there are left out. @throws ReadStoreAway */
  textsOf(
    scope: Scope,
    spans: readonly Pick<StoredSpan, 'id' | 'traceId' | 'startedAt'>[],
  ): Promise<Map<string, SpanTexts>>;
  /** Called in the transaction that brings payloads of spans back into the database. */
  broughtBack(tx: WriteTx, scope: Scope, starts: readonly number[]): Promise<void>;
}

/** Where the feature `read-store` registers itself, where a store is configured. */
@Injectable()
export class ReadStorePort {
  registered: StoredSpans | undefined;
}

/** What a read store says; nothing where it cannot be used just now. */
export async function unlessAway<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ReadStoreAway)) throw error;
    return undefined;
  }
}

/** Two lists that are in the same order as one. */
export function mergedPositions(
  { type, order }: Pick<Sorting, 'type' | 'order'>,
  lists: readonly Position[][],
): Position[] {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: Position, b: Position): number => {
    const byValue =
      type === 'text' ? compareTexts(String(a.value), String(b.value)) : Number(a.value) - Number(b.value);
    return sign * (byValue || compareTexts(a.id, b.id));
  };
  return lists.flat().sort(compare);
}
