import { Injectable } from '@nestjs/common';
import type { ItemSortKey, ListEvalItems, SortOrder, RetryEval } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  fromJsonText,
  integer,
  nullable,
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
  type Sql,
  type WriteTx,
  type Part,
  type Position,
  type Sorting,
  type RowOfShape,
  type Table,
} from '@spandrel/storage';
import {
  evalResultTable,
  outcomeSize,
  READ_BYTES,
  type EvalResultRow,
  type EvalRunRow,
  evalSampleTable,
  type EvalSampleRow,
  evalAttemptTable,
  type EvalAttemptRow,
} from './eval-run.entity.js';
import { RESULT_STATUS } from './eval-run.js';
import { selectPass } from './statistics/sample-scores.store.js';
import { sampleName, type SampleKey } from './eval-item.js';
import type { SampleOfItem } from './execution/sample-result.js';

const JUDGED = evalResultTable.select('e', ['judgeModel', 'judgePromptHash', 'scores']);
const ID = shapeOf({ id: text() });
const ERROR_COUNT = shapeOf({ error: nullable(text()), count: integer() });
const SIZED = ID.and(shapeOf({ bytes: integer() }));

const ERRORS_MAX = 1_000;

const SIZE = outcomeSize('e');

/**
 * Rows of some datapoints of a run, in the order of their key.
 * @returns by datapoint id; and `read`, how many of the ids were looked at: as many as fit into memory.
 */
async function readSome<Row extends { datapointId: string }>(
  storage: Storage,
  table: Table<Row>,
  scope: Scope,
  runId: string,
  datapointIds: readonly string[],
): Promise<{ rows: Map<string, Row[]>; read: number }> {
  if (datapointIds.length === 0) return { rows: new Map(), read: 0 };
  const columns = table.select('e');
  const from = (ids: readonly string[]): Sql => sql`${rawSql(table.name)} e
    where e.project_id = ${scope.projectId} and e.run_id = ${runId} and ${anyOf('e.datapoint_id', ids)}`;
  const sizes = await storage.readLong(
    SIZED.query`select e.datapoint_id as id, cast(sum(${SIZE}) as bigint) as bytes from ${from(datapointIds)}
      group by e.datapoint_id`,
    scope,
  );
  const taken = limitIdsBySize(datapointIds, sizes, READ_BYTES);
  const key = rawSql(table.key.map((property) => `e.${table.column(property)}`).join(', '));
  const rows = await storage.readLong(columns.query`select ${columns} from ${from(taken)} order by ${key}`, scope);
  return { rows: Map.groupBy(rows, ({ datapointId }) => datapointId), read: taken.length };
}

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
  ): Promise<{ results: Map<string, EvalResultRow>; read: number }> {
    const { rows, read } = await readSome(this.storage, evalResultTable, scope, runId, datapointIds);
    return { results: new Map(rows.entries().map(([id, [row]]) => [id, row!])), read };
  }

  /** What a judge said of an item of a run, the first one in order that it has seen; `undefined`: there is none. */
  async firstJudged(scope: Scope, runId: string) {
    const [item] = await this.storage.readLong(
      JUDGED.query`select ${JUDGED} from eval_result e where e.project_id = ${scope.projectId} and e.run_id = ${runId}
        and e.judge_model is not null order by e.datapoint_id limit 1`,
      scope,
    );
    return item;
  }

  /**
   * Results, samples or former attempts of a run in the order of their keys, behind one of them; none only at the end.
   * @param limit of datapoints.
   */
  async after<Row extends EvalResultRow>(
    scope: Scope,
    table: Table<Row>,
    runId: string,
    after: Row | undefined,
    limit: number,
  ): Promise<Row[]> {
    for (let from = after?.datapointId ?? ''; ;) {
      const found = await this.storage.readLong(
        ID.query`select distinct e.datapoint_id as id from ${rawSql(table.name)} e
          where ${ofRun(scope, runId)} and e.datapoint_id > ${from} order by e.datapoint_id limit ${limit}`,
        scope,
      );
      if (found.length === 0) return [];
      const ids = found.map(({ id }) => id);
      const { rows, read } = await readSome(this.storage, table, scope, runId, ids);
      // All of them were taken out meanwhile.
      if (rows.size > 0) return ids.flatMap((id) => rows.get(id) ?? []);
      from = ids[read - 1]!;
    }
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

  /** Adds results, samples or former attempts of a locked run, but for those that are there. */
  async insertMissing<Row extends EvalResultRow>(tx: WriteTx, table: Table<Row>, given: readonly Row[]): Promise<void> {
    const nameOf = (row: Pick<Row, keyof Row & string>): string => JSON.stringify(table.key.map((name) => row[name]));
    const rows = new Map(given.map((row) => [nameOf(row), row]));
    const { projectId, runId } = given[0]!;
    const ids = [...new Set(given.map(({ datapointId }) => datapointId))];
    const key = table.select('e', table.key);
    const there = await tx.all(
      key.query`select ${key} from ${rawSql(table.name)} e where e.project_id = ${projectId} and e.run_id = ${runId}
        and ${anyOf('e.datapoint_id', ids)}`,
    );
    for (const row of there) rows.delete(nameOf(row));
    await tx.insert(table, [...rows.values()]);
  }

  /** Processed items that match, in order: up to `count` of a part behind a position. Fewer only at the end. */
  positions(
    scope: Scope,
    run: EvalRunRow,
    filters: ProcessedFilters,
    sorting: Sorting,
    part: Part,
    from: Position | undefined,
    count: number,
  ): Promise<Position[]> {
    return this.storage.readLong(
      positionShape(sorting).query`select ${rawSql(sorting.column)} as value, e.datapoint_id as id from eval_result e
        where ${ofRun(scope, run.id)} and ${buildConditions(run, filters)} and ${behind(sorting, part, from)}
        order by ${orderBy(sorting, part)} limit ${count}`,
      scope,
    );
  }

  /** How many items of a run have the value that a list is sorted by. */
  async countValued(scope: Scope, runId: string, { column }: Sorting): Promise<number> {
    const [row] = await this.storage.readLong(
      COUNT.query`select count(${rawSql(column)}) as count from eval_result e where ${ofRun(scope, runId)}`,
      scope,
    );
    return row!.count;
  }

  /** Which of the datapoints have the value that a list is sorted by. */
  async valued(scope: Scope, runId: string, ids: readonly string[], { column }: Sorting): Promise<Set<string>> {
    const rows = await this.storage.readLong(
      ID.query`select e.datapoint_id as id from eval_result e
        where ${ofRun(scope, runId)} and ${anyOf('e.datapoint_id', ids)} and ${rawSql(column)} is not null`,
      scope,
    );
    return new Set(rows.map(({ id }) => id));
  }
}

const COUNT = shapeOf({ count: integer() });

const COLUMN: Readonly<Record<Exclude<ItemSortKey, 'order'>, { column: string; type: Sorting['type'] }>> = {
  score: { column: 'e.score', type: 'number' },
  latency: { column: 'e.latency_ms', type: 'integer' },
  cost: { column: 'coalesce(e.cost + coalesce(e.judge_cost, 0), e.judge_cost)', type: 'number' },
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
type ProcessedFilters = Pick<ListEvalItems, 'score_max' | 'status' | 'passed' | 'flaky'>;

const ofRun = ({ projectId }: Scope, runId: string): Sql => sql`e.project_id = ${projectId} and e.run_id = ${runId}`;

function buildConditions(run: EvalRunRow, { status, score_max: scoreMax, passed, flaky }: ProcessedFilters): Sql {
  const conditions = [sql`1 = 1`];
  if (status !== undefined) conditions.push(sql`e.status = ${RESULT_STATUS[status]}`);
  if (scoreMax !== undefined) conditions.push(sql`e.score <= ${scoreMax}`);
  const isFlaky = sql`${hasPass(run, 1)} and ${hasPass(run, 0)}`;
  if (flaky !== undefined) conditions.push(flaky ? isFlaky : sql`not (${isFlaky})`);
  if (passed === false) conditions.push(hasPass(run, 0));
  if (passed === true) conditions.push(sql`${hasPass(run, 1)} and not ${hasPass(run, 0)}`);
  return joinSql(conditions, ' and ');
}

/** Whether an item has a sample that passes, or one that does not. */
const hasPass = (run: EvalRunRow, pass: 0 | 1): Sql =>
  run.repeats === 1
    ? sql`coalesce(${selectPass(run, 'e')}, -1) = ${pass}`
    : sql`exists (select 1 from eval_sample s where s.project_id = e.project_id and s.run_id = e.run_id
        and s.datapoint_id = e.datapoint_id and ${selectPass(run, 's')} = ${pass})`;

type LongText = 'output' | 'metadata' | 'resultHash';
const LONG_TEXTS: readonly string[] = ['output', 'metadata', 'resultHash'] satisfies LongText[];

const KEY = evalSampleTable.select('s', ['datapointId', 'repeat']);
const WITHOUT_OUTPUT = evalSampleTable.select(
  's',
  evalSampleTable.properties.filter((name): name is Exclude<typeof name, LongText> => !LONG_TEXTS.includes(name)),
);
const OF_ITEM = WITHOUT_OUTPUT.and(shapeOf({ hasOutput: integer(), output: nullable(text()) }));

const KNOWN = [
  ...(['datapointId', 'status', 'score', 'tokens', 'cost'] as const),
  ...(['judgeTokens', 'judgeCost', 'resultHash', 'reusedRunId'] as const),
];
const ITEM = evalResultTable.select('e', KNOWN);
const SAMPLE = evalSampleTable.select('s', [...KNOWN, 'repeat']);

type KnownItem = RowOfShape<typeof ITEM>;
type KnownSample = RowOfShape<typeof SAMPLE>;

type Run = Pick<EvalRunRow, 'id' | 'repeats'>;

/** Samples of runs that try each datapoint several times. */
@Injectable()
export class EvalSampleStore {
  constructor(
    private readonly storage: Storage,
    private readonly results: EvalResultStore,
  ) {}

  /**
   * Samples of a run for some of its datapoints, in order; none where each is tried once.
   * @param datapointIds in order.
   * @returns by datapoint id; and `read`, how many of the ids were looked at: as many as fit into memory.
   */
  async some(
    scope: Scope,
    run: EvalRunRow,
    datapointIds: readonly string[],
  ): Promise<{ samples: Map<string, EvalSampleRow[]>; read: number }> {
    if (run.repeats === 1) return { samples: new Map(), read: datapointIds.length };
    const { rows, read } = await readSome(this.storage, evalSampleTable, scope, run.id, datapointIds);
    return { samples: rows, read };
  }

  /** Names of the processed samples of some datapoints. @param tx the transaction to read in, which has locked the run. */
  async processed(scope: Scope, run: Run, datapointIds: readonly string[], tx?: WriteTx): Promise<Set<string>> {
    if (run.repeats === 1) return this.results.processed(scope, run.id, datapointIds, tx);
    const query = KEY.query`select ${KEY} from eval_sample s where s.project_id = ${scope.projectId} and s.run_id = ${run.id}
      and ${anyOf('s.datapoint_id', datapointIds)}`;
    return new Set((await (tx ? tx.all(query) : this.storage.readLong(query))).map(sampleName));
  }

  /** All samples of some datapoints, in order, as their items are made of them; the run is locked. */
  async findSamplesOfItems(
    tx: WriteTx,
    { projectId }: Scope,
    runId: string,
    datapointIds: readonly string[],
  ): Promise<SampleOfItem[]> {
    if (datapointIds.length === 0) return [];
    const rows = await tx.all(
      OF_ITEM.query`select ${WITHOUT_OUTPUT}, case when s.output is null then 0 else 1 end as "hasOutput",
          case when not exists (select 1 from eval_sample f where f.project_id = s.project_id and f.run_id = s.run_id
            and f.datapoint_id = s.datapoint_id and f.repeat < s.repeat and f.output is not null) then s.output end as output
        from eval_sample s where s.project_id = ${projectId} and s.run_id = ${runId}
          and ${anyOf('s.datapoint_id', datapointIds)} order by s.datapoint_id, s.repeat`,
    );
    return rows.map((row) => ({ ...row, hasOutput: row.hasOutput === 1 }));
  }

  insert(tx: WriteTx, rows: readonly EvalSampleRow[]): Promise<void> {
    return tx.insert(evalSampleTable, rows);
  }

  /** The processed items of some datapoints of an external run, as those that replace them need them; the run is locked. */
  findItemsForUpdate(
    tx: WriteTx,
    { projectId }: Scope,
    run: Run,
    datapointIds: readonly string[],
  ): Promise<KnownItem[]> {
    return tx.all(
      ITEM.query`select ${ITEM} from eval_result e
        where e.project_id = ${projectId} and e.run_id = ${run.id} and ${anyOf('e.datapoint_id', datapointIds)}`,
    );
  }

  /** The processed samples of some datapoints; where each is tried once, these are the items. */
  async findForUpdate(tx: WriteTx, scope: Scope, run: Run, datapointIds: readonly string[]): Promise<KnownSample[]> {
    if (run.repeats === 1) {
      return (await this.findItemsForUpdate(tx, scope, run, datapointIds)).map((item) => ({ ...item, repeat: 0 }));
    }
    return tx.all(
      SAMPLE.query`select ${SAMPLE} from eval_sample s
        where s.project_id = ${scope.projectId} and s.run_id = ${run.id} and ${anyOf('s.datapoint_id', datapointIds)}`,
    );
  }

  async delete(tx: WriteTx, { projectId }: Scope, run: Run, samples: readonly SampleKey[]): Promise<void> {
    for (const [repeat, ofRepeat] of Map.groupBy(samples, (sample) => sample.repeat)) {
      const ids = ofRepeat.map(({ datapointId }) => datapointId);
      await tx.run(
        sql`delete from eval_sample where project_id = ${projectId} and run_id = ${run.id} and repeat = ${repeat}
          and ${anyOf('datapoint_id', ids)}`,
      );
    }
  }

  async deleteItems(tx: WriteTx, { projectId }: Scope, run: Run, datapointIds: readonly string[]): Promise<void> {
    await tx.run(
      sql`delete from eval_result
        where project_id = ${projectId} and run_id = ${run.id} and ${anyOf('datapoint_id', datapointIds)}`,
    );
  }
}

const ATTEMPT_COLUMNS = evalAttemptTable.select('a');
const SAMPLE_KEY = shapeOf({ datapointId: text(), repeat: integer() });
/** What rows of samples and of attempts have in common beside their keys. */
const OUTCOME = evalResultTable.notKey.map((property) => evalResultTable.column(property));

/** Samples that are to be tried again, from a result or sample `s`. */
const WANTED: Readonly<Record<Exclude<RetryEval['what'], 'pending'>, Sql>> = {
  failed: sql`s.status = ${RESULT_STATUS.failed}`,
  // Several scorers that have all been heard may say nothing because none of them counts.
  unscored: sql`s.output is not null and s.score is null and (s.status = ${RESULT_STATUS.failed} or s.scores is null)`,
};

/** Former attempts of samples that were tried again (docs/spec/evaluations.md#trying-again). */
@Injectable()
export class EvalAttemptStore {
  constructor(private readonly storage: Storage) {}

  /** Processed samples of a locked run that are to be tried again, behind one of them, in order; none at the end. */
  findWanted(
    tx: WriteTx,
    { projectId }: Scope,
    run: EvalRunRow,
    what: keyof typeof WANTED,
    after: SampleKey,
    limit: number,
  ): Promise<SampleKey[]> {
    const ofRun = sql`s.project_id = ${projectId} and s.run_id = ${run.id} and ${WANTED[what]}`;
    return tx.all(
      run.repeats === 1
        ? SAMPLE_KEY.query`select s.datapoint_id as "datapointId", 0 as repeat from eval_result s
            where ${ofRun} and s.datapoint_id > ${after.datapointId} order by s.datapoint_id limit ${limit}`
        : SAMPLE_KEY.query`select s.datapoint_id as "datapointId", s.repeat from eval_sample s
            where ${ofRun} and (s.datapoint_id, s.repeat) > (${after.datapointId}, ${after.repeat})
            order by s.datapoint_id, s.repeat limit ${limit}`,
    );
  }

  /**
   * Keeps what became of some samples of a locked run, before they are taken out of it.
   * @param isKept whether their outputs are to be scored again. @param now in ms.
   */
  async keep(
    tx: WriteTx,
    { projectId }: Scope,
    run: EvalRunRow,
    samples: readonly SampleKey[],
    { isKept, now }: { isKept: boolean; now: number },
  ): Promise<void> {
    for (const [repeat, ofRepeat] of Map.groupBy(samples, (sample) => sample.repeat)) {
      const ids = ofRepeat.map(({ datapointId }) => datapointId);
      const rows = run.repeats === 1 ? sql`eval_result s where 1 = 1` : sql`eval_sample s where s.repeat = ${repeat}`;
      await tx.run(
        sql`insert into eval_attempt (project_id, run_id, datapoint_id, repeat, attempt, is_kept, retried_at,
            ${rawSql(OUTCOME.join(', '))})
          select s.project_id, s.run_id, s.datapoint_id, cast(${repeat} as integer),
            (select count(*) from eval_attempt a where a.project_id = s.project_id and a.run_id = s.run_id
              and a.datapoint_id = s.datapoint_id and a.repeat = ${repeat}),
            cast(${Number(isKept)} as integer), cast(${now} as bigint), ${rawSql(OUTCOME.map((name) => `s.${name}`).join(', '))}
          from ${rows} and s.project_id = ${projectId} and s.run_id = ${run.id} and ${anyOf('s.datapoint_id', ids)}`,
      );
    }
  }

  /** The last attempt of a sample before it was tried again. */
  async findLast({ projectId, id }: EvalRunRow, sample: SampleKey): Promise<EvalAttemptRow | undefined> {
    const [last] = await this.storage.readLong(
      ATTEMPT_COLUMNS.query`select ${ATTEMPT_COLUMNS} from eval_attempt a where a.project_id = ${projectId} and a.run_id = ${id}
        and a.datapoint_id = ${sample.datapointId} and a.repeat = ${sample.repeat} order by a.attempt desc limit 1`,
    );
    return last;
  }

  /**
   * Former attempts of some datapoints of a run, in order; none where nothing was tried again.
   * @returns by datapoint id; and `read`, how many of the ids were looked at: as many as fit into memory.
   */
  async some(
    scope: Scope,
    run: EvalRunRow,
    datapointIds: readonly string[],
  ): Promise<{ attempts: Map<string, EvalAttemptRow[]>; read: number }> {
    if (run.retriedSamples === 0) return { attempts: new Map(), read: datapointIds.length };
    const { rows, read } = await readSome(this.storage, evalAttemptTable, scope, run.id, datapointIds);
    return { attempts: rows, read };
  }
}
