import type { Scope } from '@spandrel/kernel';
import { anyOf, betweenStarts, joinedInOrder, joinSql, rawSql, sql, type Position, type Sql } from '@spandrel/storage';
import { inOrder, type Candidates, type SpanQuery, type SpanRead } from './span-candidates.store.js';
import { slotOf, slotStart } from '../span.entity.js';
import { spanConditions, valueRange, type ValueName } from './span-filter.store.js';
import { slotIs, slotsWith } from './slot-list.store.js';

interface Match {
  slot: number;
  id: string;
}

/**
 * Spans that a filter on a number takes, in start order, from an index that is sorted by the number within a slot of time:
 * slot after slot in list order. Few matches are looked up one by one; a slot with many is walked in start order.
 */
export function byValueRange(read: SpanRead, name: ValueName): Candidates {
  const { scope, query, sorting, storage, options, ofTraces, limits } = read;
  const { order } = sorting;
  const whereOf = (indexed: readonly ('since' | 'until')[], ...more: Sql[]): Sql =>
    joinSql([...(spanConditions(scope, query, indexed) ?? []), ...(ofTraces ? [ofTraces] : []), ...more], ' and ');
  const few = (ids: readonly string[], from: Position | undefined, count: number): Promise<Position[]> =>
    ids.length === 0
      ? Promise.resolve([])
      : storage.readLong<Position>(
          inOrder({ ...sorting, unindexed: true }, whereOf([], anyOf('s.id', ids)), 'valued', from, count),
          options,
        );
  const many = (slot: number, from: Position | undefined, count: number): Promise<Position[]> => {
    const within = sql`s.started_at >= ${slotStart(slot)} and s.started_at < ${slotStart(slot + 1)}`;
    return storage.readLong<Position>(inOrder(sorting, whereOf([], within), 'valued', from, count), options);
  };

  return async (_part, from, count) => {
    const found: Position[] = [];
    let slot = from === undefined ? undefined : slotOf(Number(from.value));
    for (;;) {
      const matches = await storage.readLong<Match>(
        matchesOf(scope, query, name, order, slot, limits.inSlots + 1),
        options,
      );
      const last = matches.length > limits.inSlots ? matches.at(-1)!.slot : undefined;
      const whole = matches.filter((match) => match.slot !== last).map(({ id }) => id);
      found.push(...(await few(whole, from, count - found.length)));
      if (found.length === count || last === undefined) return found;
      slot = last;
      if (whole.length > 0) continue;
      found.push(...(await many(last, from, count - found.length)));
      if (found.length === count) return found;
      slot = order === 'desc' ? last - 1 : last + 1;
    }
  };
}

/** Up to `count` spans that a filter on a number takes, in no order; the other filters are not looked at. */
export const inValueRange = (scope: Scope, query: SpanQuery, name: ValueName, count: number): Sql =>
  matchesOf(scope, query, name, 'desc', undefined, count);

/** Those of a slot come together, the slots in list order. */
const matchesOf = (
  scope: Scope,
  query: SpanQuery,
  name: ValueName,
  order: 'asc' | 'desc',
  from: number | undefined,
  count: number,
): Sql => sql`${slotsWith(scope, query, name, order, from)}
  select slots.slot as slot, s.id as id from ${joinedInOrder({
    outer: 'slots',
    inner: 'span',
    alias: 's',
    columns: 's.id',
    where: sql`s.project_id = ${scope.projectId}${betweenStarts('s.started_at', query.within?.from, query.within?.until)}
      and ${slotIs(rawSql('slots.slot'))} and ${valueRange(query, name)}`,
    limit: count,
  })}
  limit ${count}`;
