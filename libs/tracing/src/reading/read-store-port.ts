import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { compareTexts, type Part, type Position, type Sorting } from '@spandrel/storage';
import type { SpanQuery } from '../listing/span-filter.sql.js';

/** The read store cannot be used just now: the database answers alone. */
export class ReadStoreAway extends Error {}

/** A list of spans as a read store has it: all but those that are pending, for which the database answers. */
export interface StoredList {
  readonly pending: readonly string[];
  /** Spans in list order, behind a position. @throws ReadStoreAway */
  find(part: Part, from: Position | undefined, count: number): Promise<Position[]>;
  /** How many there are, up to a number. @throws ReadStoreAway */
  count(max: number): Promise<number>;
}

/** What the feature `read-store` does for lists. */
export interface StoredSpans {
  /** @returns `undefined` where the database is to answer alone. */
  listOf(scope: Scope, query: SpanQuery): Promise<StoredList | undefined>;
}

/** Where the feature `read-store` registers itself, where a store is configured. */
@Injectable()
export class ReadStorePort {
  registered: StoredSpans | undefined;
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
