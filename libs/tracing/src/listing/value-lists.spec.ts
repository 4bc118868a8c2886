import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { listSpansSchema, type ListSpans } from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { renderSql, type Position, type Sql, type Storage } from '@spandrel/storage';
import { bucketStart } from '../span.entity.js';
import { LIST_LIMITS, ListRequest } from './list-request.sql.js';
import { valueOrder } from './value-lists.sql.js';

const HEADS = Array.from({ length: 100 }, (_, bucket) => ({ bucket, value: 1_000 - bucket, id: `h${bucket}` }));

/** A list by duration. */
function requestOf(readLong: Storage['readLong'], query: ListSpans, order: 'asc' | 'desc' = 'desc'): ListRequest {
  const sorting = { list: 's', column: 's.duration_ms', idColumn: 's.id', type: 'integer', nullable: true } as const;
  const storage = { dialect: 'sqlite', readLong } as const;
  return new ListRequest(storage, LOCAL_SCOPE, query, { ...sorting, order }, undefined, LIST_LIMITS);
}

/** The candidates of a list by duration, longest first, of which the database answers `answers`, one statement after the other. */
async function listed(count: number, ...answers: Position[][]) {
  const arms: number[] = [];
  const readLong = (read: Sql): Promise<unknown[]> => {
    const { text } = renderSql(read, 'sqlite');
    if (text.includes('with recursive')) return Promise.resolve(HEADS);
    arms.push(text.split('union all').length);
    return Promise.resolve(answers.shift() ?? []);
  };
  const query = listSpansSchema.parse({ sort_by: 'duration' });
  const list = requestOf(readLong as Storage['readLong'], query);
  const found = (await valueOrder.find(list))!;
  return { page: await found.candidates('valued', undefined, count), arms };
}

const positions = (count: number): Position[] => HEADS.slice(0, count).map(({ value, id }) => ({ value, id }));

describe('spans by a number', () => {
  it('are read by one statement, no further than as many heads of buckets as there are spans on the page', async () => {
    expect(await listed(51, positions(51))).toEqual({ page: positions(51), arms: [64] });
  });

  it('are read further where heads were deleted meanwhile', async () => {
    const { page, arms } = await listed(51, positions(50), positions(51));
    expect(page).toEqual(positions(51));
    expect(arms).toEqual([64, 4, 64]);
  });
});

describe('spans by a number on SQLite', () => {
  const POSITION = { value: 500, id: 's-100' };
  /** Buckets of which some are next to each other; in one of them all spans are short, in another one all are long. */
  const BUCKETS = [-3, 0, 1, 2, 5, 6, 7, 20];
  const spans = BUCKETS.flatMap((bucket, at) =>
    Array.from({ length: 40 }, (_, n) => ({
      id: `s-${(n * 31) % 200}-${at}`,
      startedAt: bucketStart(bucket) + n,
      duration: bucket === 2 ? n : bucket === 6 ? 900 + n : n * 25,
    })),
  );

  /** A page of spans by duration, and how SQLite found it: the plans of the statements, and the statements themselves. */
  async function found(order: 'asc' | 'desc', from: Position | undefined, filters: object = {}) {
    const db = new DatabaseSync(':memory:');
    db.exec(`create table span (project_id text not null, id text not null, model text, duration_ms bigint, started_at bigint not null,
      primary key (project_id, id));
      create index span_duration on span (project_id, (started_at >> 23), duration_ms, id) where duration_ms is not null`);
    const insert = db.prepare('insert into span values (?, ?, ?, ?, ?)');
    for (const { id, startedAt, duration } of spans) insert.run(LOCAL_SCOPE.projectId, id, 'm', duration, startedAt);
    const plans: string[] = [];
    const texts: string[] = [];
    const readLong = (read: Sql): Promise<unknown[]> => {
      const { text, params } = renderSql(read, 'sqlite');
      texts.push(text);
      const plan = db.prepare(`explain query plan ${text}`).all(...(params as string[])) as { detail: string }[];
      plans.push(...plan.map(({ detail }) => detail));
      return Promise.resolve(db.prepare(text).all(...(params as string[])));
    };
    const query = listSpansSchema.parse({ sort_by: 'duration', ...filters });
    const list = requestOf(readLong as Storage['readLong'], query, order);
    const page = await (await valueOrder.find(list))!.candidates('valued', from, 60);
    db.close();
    return { page, plans };
  }

  const compare = (a: Position, b: Position): number => Number(a.value) - Number(b.value) || (a.id < b.id ? -1 : 1);
  const expected = (order: 'asc' | 'desc', from?: Position, since = -Infinity): Position[] => {
    const sign = order === 'asc' ? 1 : -1;
    return spans
      .filter(({ startedAt }) => startedAt >= since)
      .map(({ id, duration }): Position => ({ value: duration, id }))
      .filter((span) => from === undefined || sign * compare(span, from) > 0)
      .toSorted((a, b) => sign * compare(a, b))
      .slice(0, 60);
  };
  const WAYS = (['asc', 'desc'] as const).flatMap((order) =>
    [undefined, POSITION].map((from) => ({ order, from: from && (POSITION as Position) })),
  );

  it.each(WAYS)(
    'are found by the index on the number, whatever lies in their buckets ($order, $from)',
    async ({ order, from }) => {
      const { page, plans } = await found(order, from);
      expect(page).toEqual(expected(order, from));
      expect(plans.some((detail) => detail.includes('INDEX span_duration'))).toBe(true);
    },
  );

  it.each(WAYS)('are the same where a filter reads the spans ($order, $from)', async ({ order, from }) => {
    const since = new Date(bucketStart(1)).toISOString();
    expect((await found(order, from, { model: 'm' })).page).toEqual(expected(order, from));
    expect((await found(order, from, { since })).page).toEqual(expected(order, from, bucketStart(1)));
    expect((await found(order, from, { model: 'none' })).page).toEqual([]);
  });
});
