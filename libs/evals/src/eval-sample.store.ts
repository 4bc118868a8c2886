import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  nullable,
  shapeOf,
  sql,
  Storage,
  limitIdsBySize,
  text,
  PairOrder,
  type LongReadOptions,
  type WriteTx,
  type Selection,
  type Sql,
  type RowOfShape,
} from '@spandrel/storage';
import { sampleName, type SampleKey } from './eval-item.js';
import { EvalResultStore } from './eval-result.store.js';
import {
  evalSampleTable,
  evalResultTable,
  outcomeSize,
  READ_BYTES,
  type EvalRunRow,
  type EvalSampleRow,
} from './eval-run.entity.js';
import type { SampleOfItem } from './execution/sample-result.js';

type LongText = 'output' | 'metadata' | 'resultHash';
const LONG_TEXTS: readonly string[] = ['output', 'metadata', 'resultHash'] satisfies LongText[];

const COLUMNS = evalSampleTable.select('s');
const SIZED = shapeOf({ id: text(), bytes: integer() });
const KEY = evalSampleTable.select('s', ['datapointId', 'repeat']);
const WITHOUT_OUTPUT = evalSampleTable.select(
  's',
  evalSampleTable.properties.filter((name): name is Exclude<typeof name, LongText> => !LONG_TEXTS.includes(name)),
);
const OF_ITEM = WITHOUT_OUTPUT.and(shapeOf({ hasOutput: integer(), output: nullable(text()) }));

const RUN_ID = shapeOf({ id: text() });
const IN_ORDER = new PairOrder<number>('s.datapoint_id', 's.repeat', 'number');
const SAMPLE_SIZE = outcomeSize('s');

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
    options: LongReadOptions = {},
  ): Promise<{ samples: Map<string, EvalSampleRow[]>; read: number }> {
    if (run.repeats === 1 || datapointIds.length === 0) return { samples: new Map(), read: datapointIds.length };
    const sizes = await this.storage.readLong(
      SIZED.query`select s.datapoint_id as id, sum(${SAMPLE_SIZE}) as bytes
        from eval_sample s where s.project_id = ${scope.projectId} and s.run_id = ${run.id}
          and ${anyOf('s.datapoint_id', datapointIds)} group by s.datapoint_id`,
      options,
    );
    const taken = limitIdsBySize(datapointIds, sizes, READ_BYTES);
    const rows = await this.storage.readLong(
      COLUMNS.query`select ${COLUMNS} from eval_sample s where s.project_id = ${scope.projectId} and s.run_id = ${run.id}
        and ${anyOf('s.datapoint_id', taken)} order by s.datapoint_id, s.repeat`,
      options,
    );
    return { samples: Map.groupBy(rows, ({ datapointId }) => datapointId), read: taken.length };
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

  /** Ids of runs that try each datapoint several times, in order, behind one of them; none at the end. */
  async findRunsAfter(scope: Scope, after = '', limit: number, options: LongReadOptions): Promise<string[]> {
    const rows = await this.storage.readLong(
      RUN_ID.query`select r.id as id from eval_run r where r.project_id = ${scope.projectId} and r.repeats > 1
        and r.id > ${after} order by r.id limit ${limit}`,
      options,
    );
    return rows.map(({ id }) => id);
  }

  /** Samples of a run in the order of datapoint and repeat, behind one of them; none at the end. */
  after(
    { projectId }: Scope,
    runId: string,
    after: EvalSampleRow | undefined,
    limit: number,
    options: LongReadOptions,
  ): Promise<EvalSampleRow[]> {
    const ofRun = sql`s.project_id = ${projectId} and s.run_id = ${runId}`;
    const samples = {
      columns: COLUMNS,
      size: SAMPLE_SIZE,
      bytesMax: READ_BYTES,
      select: <Row>(columns: Selection<Row>, rest: Sql) =>
        columns.query`select ${columns} from eval_sample s where ${ofRun} and ${rest}`,
    };
    return IN_ORDER.fitting(this.storage, samples, after && [after.datapointId, after.repeat], limit, options);
  }
}
