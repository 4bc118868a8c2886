import { describe, expect, it } from '@jest/globals';
import { listSpansSchema } from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { renderSql, type Position, type Sql, type Storage } from '@spandrel/storage';
import { LIST_LIMITS } from '../list-limits.js';
import { ListRequest } from '../list-request.sql.js';
import { valueOrder } from './value-order.sql.js';

const HEADS = Array.from({ length: 100 }, (_, bucket) => ({ bucket, value: 1_000 - bucket, id: `h${bucket}` }));

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
  const list = new ListRequest({
    storage: { dialect: 'sqlite', readLong: readLong as Storage['readLong'] },
    scope: LOCAL_SCOPE,
    query,
    sorting: { list: 's', column: 's.duration_ms', idColumn: 's.id', type: 'integer', nullable: true, order: 'desc' },
    ofTraces: undefined,
    options: {},
    limits: LIST_LIMITS,
  });
  const found = (await valueOrder.estimate(list))!.find();
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
