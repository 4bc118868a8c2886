import { Injectable } from '@nestjs/common';
import type { ItemSortKey, ListEvalItems, SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  fromJsonText,
  integer,
  nullable,
  PairOrder,
  rawSql,
  shapeOf,
  Storage,
  limitIdsBySize,
  text,
  behind,
  joinSql,
  orderBy,
  positionShape,
  sql,
  type LongReadOptions,
  type Selection,
  type Sql,
  type WriteTx,
  type Part,
  type Position,
  type Sorting,
} from '@spandrel/storage';
import { evalResultTable, outcomeSize, READ_BYTES, type EvalResultRow } from './eval-run.entity.js';
import { RESULT_STATUS } from './eval-run.js';

const COLUMNS = evalResultTable.select('e');
const JUDGED = evalResultTable.select('e', ['judgeModel', 'judgePromptHash', 'scores']);
const ID = shapeOf({ id: text() });
const ERROR_COUNT = shapeOf({ error: nullable(text()), count: integer() });
const SIZED = ID.and(shapeOf({ bytes: integer() }));

const ERRORS_MAX = 1_000;

const IN_ORDER = new PairOrder<string>('e.run_id', 'e.datapoint_id', 'text');

const SIZE = outcomeSize('e');

/** An error of items, and how many items have it. */
export interface ErrorCount {
  error: string;
  count: number;
}

/** Items of runs that are processed: what became of them, and their order by it. */
@Injectable()
export class EvalResultStore {
  constructor(private readonly storage: Storage) {}

  /**
   * Results of a run for some of its datapoints.
   * @param datapointIds in order.
   * @returns by datapoint id; and `read`, how many of the ids were looked at: as many as fit into memory.
   */
  async some(
    scope: Scope,
    runId: string,
    datapointIds: readonly string[],
    options: LongReadOptions = {},
  ): Promise<{ results: Map<string, EvalResultRow>; read: number }> {
    if (datapointIds.length === 0) return { results: new Map(), read: 0 };
    const sizes = await this.storage.readLong(
      SIZED.query`select e.datapoint_id as id, ${SIZE} as bytes from eval_result e
        where ${ofRun(scope, runId)} and ${anyOf('e.datapoint_id', datapointIds)}`,
      options,
    );
    const taken = limitIdsBySize(datapointIds, sizes, READ_BYTES);
    const rows = await this.storage.readLong(
      COLUMNS.query`select ${COLUMNS} from eval_result e
        where ${ofRun(scope, runId)} and ${anyOf('e.datapoint_id', taken)}`,
      options,
    );
    return { results: new Map(rows.map((row) => [row.datapointId, row])), read: taken.length };
  }

  /** What a judge said of an item of a run, the first one in order that it has seen; `undefined`: there is none. */
  async firstJudged({ projectId }: Scope, runId: string, options: LongReadOptions) {
    const [item] = await this.storage.readLong(
      JUDGED.query`select ${JUDGED} from eval_result e where e.project_id = ${projectId} and e.run_id = ${runId}
        and e.judge_model is not null order by e.datapoint_id limit 1`,
      options,
    );
    return item;
  }

  /** Results of all runs of a project, in the order of run and datapoint, behind one of them; none at the end. */
  after(
    scope: Scope,
    after: EvalResultRow | undefined,
    limit: number,
    options: LongReadOptions,
  ): Promise<EvalResultRow[]> {
    const results = {
      columns: COLUMNS,
      size: SIZE,
      bytesMax: READ_BYTES,
      select: <Row>(columns: Selection<Row>, rest: Sql) =>
        columns.query`select ${columns} from eval_result e where e.project_id = ${scope.projectId} and ${rest}`,
    };
    return IN_ORDER.fitting(this.storage, results, after && [after.runId, after.datapointId], limit, options);
  }

  /** Which of the datapoints are processed in a run. @param tx the transaction to read in, which has locked the run. */
  async processed(
    { projectId }: Scope,
    runId: string,
    datapointIds: readonly string[],
    tx?: WriteTx,
  ): Promise<Set<string>> {
    const query = ID.query`select datapoint_id as id from eval_result
      where project_id = ${projectId} and run_id = ${runId} and ${anyOf('datapoint_id', datapointIds)}`;
    const rows = await (tx ? tx.all(query) : this.storage.readLong(query));
    return new Set(rows.map(({ id }) => id));
  }

  /** The errors of a run's failed items, the commonest first, read within the transaction that has locked the run. */
  async errorsForWrite(tx: WriteTx, scope: Scope, runId: string): Promise<ErrorCount[]> {
    const rows = await tx.all(
      ERROR_COUNT.query`select error, count(*) as count from eval_result
        where project_id = ${scope.projectId} and run_id = ${runId} and status = ${RESULT_STATUS.failed}
        group by error order by count(*) desc, error limit ${ERRORS_MAX}`,
    );
    return rows.map(({ error, count }) => ({ error: String(fromJsonText(error)), count }));
  }

  insert(tx: WriteTx, rows: readonly EvalResultRow[]): Promise<void> {
    return tx.insert(evalResultTable, rows);
  }

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
        where ${ofRun(scope, runId)} and ${buildConditions(filters)} and ${behind(sorting, part, from)}
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

const COUNT = shapeOf({ count: integer() });

const COLUMN: Readonly<Record<Exclude<ItemSortKey, 'order'>, { column: string; type: Sorting['type'] }>> = {
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
type ProcessedFilters = Pick<ListEvalItems, 'score_max' | 'status'>;

const ofRun = ({ projectId }: Scope, runId: string): Sql => sql`e.project_id = ${projectId} and e.run_id = ${runId}`;

function buildConditions({ status, score_max: scoreMax }: ProcessedFilters): Sql {
  const conditions = [sql`1 = 1`];
  if (status !== undefined) conditions.push(sql`e.status = ${RESULT_STATUS[status]}`);
  if (scoreMax !== undefined) conditions.push(sql`e.score <= ${scoreMax}`);
  return joinSql(conditions, ' and ');
}
