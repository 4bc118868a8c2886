import { Injectable } from '@nestjs/common';
import type { ItemSortKey, ListEvalItems, SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  integer,
  joinSql,
  orderBy,
  positionShape,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type LongReadOptions,
  type Part,
  type Position,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { RESULT_STATUS } from './status.js';

const ID = shapeOf({ id: text() });
const COUNT = shapeOf({ count: integer() });

type ValueKey = Exclude<ItemSortKey, 'order'>;

/** The columns of `eval_result e` by which items are sorted. */
const COLUMN: Readonly<Record<ValueKey, { column: string; type: Sorting['type'] }>> = {
  score: { column: 'e.score', type: 'number' },
  latency: { column: 'e.latency_ms', type: 'integer' },
  cost: { column: 'e.cost', type: 'number' },
};

/** How the items of a run are sorted; those without the value come last. */
export const itemSorting = (sortBy: ItemSortKey, order: SortOrder): Sorting => ({
  list: `eval-items:${sortBy}:${order}`,
  ...(sortBy === 'order' ? { column: 'e.datapoint_id', type: 'text' } : COLUMN[sortBy]),
  idColumn: 'e.datapoint_id',
  nullable: sortBy !== 'order',
  order,
});

/** Filters that processed items alone can meet. */
export type ProcessedFilters = Pick<ListEvalItems, 'score_max' | 'status'>;

/** The order of the processed items of a run by what became of them. */
@Injectable()
export class ItemOrderStore {
  constructor(private readonly storage: Storage) {}

  /** Processed items that match, in order: up to `count` of a part behind a position. Fewer only at the end. */
  positions(
    scope: Scope,
    runId: string,
    filters: ProcessedFilters,
    sorting: Sorting,
    part: Part,
    from: Position | undefined,
    count: number,
    options: LongReadOptions,
  ): Promise<Position[]> {
    return this.storage.readLong(
      positionShape(sorting).query`select ${rawSql(sorting.column)} as value, e.datapoint_id as id from eval_result e
        where ${ofRun(scope, runId)} and ${conditionsOf(filters)} and ${behind(sorting, part, from)}
        order by ${orderBy(sorting, part)} limit ${count}`,
      options,
    );
  }

  /** How many items of a run have the value that a list is sorted by. */
  async countValued(scope: Scope, runId: string, { column }: Sorting, options: LongReadOptions): Promise<number> {
    const [row] = await this.storage.readLong(
      COUNT.query`select count(${rawSql(column)}) as count from eval_result e where ${ofRun(scope, runId)}`,
      options,
    );
    return row!.count;
  }

  /** Which of the datapoints have the value that a list is sorted by. */
  async valued(
    scope: Scope,
    runId: string,
    ids: readonly string[],
    { column }: Sorting,
    options: LongReadOptions,
  ): Promise<Set<string>> {
    const rows = await this.storage.readLong(
      ID.query`select e.datapoint_id as id from eval_result e
        where ${ofRun(scope, runId)} and ${anyOf('e.datapoint_id', ids)} and ${rawSql(column)} is not null`,
      options,
    );
    return new Set(rows.map(({ id }) => id));
  }
}

const ofRun = ({ projectId }: Scope, runId: string): Sql => sql`e.project_id = ${projectId} and e.run_id = ${runId}`;

function conditionsOf({ status, score_max: scoreMax }: ProcessedFilters): Sql {
  const conditions = [sql`1 = 1`];
  if (status !== undefined) conditions.push(sql`e.status = ${RESULT_STATUS[status]}`);
  if (scoreMax !== undefined) conditions.push(sql`e.score <= ${scoreMax}`);
  return joinSql(conditions, ' and ');
}
