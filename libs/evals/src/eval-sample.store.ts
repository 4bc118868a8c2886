import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  deleteRows,
  integer,
  nullable,
  shapeOf,
  sql,
  Storage,
  takeFittingIds,
  text,
  type LongReadOptions,
  type Query,
  type WriteTx,
} from '@spandrel/storage';
import type { EvalRunRow, EvalSampleRow } from './eval-run.entity.js';
import type { SampleOfItem } from './execution/item-of-samples.js';
import type { SampleKey } from './running-items.js';
import { evalSampleTable } from './tables.js';

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

/** Text of samples that one read brings into memory, about. */
const READ_BYTES = 16 * 1024 * 1024;

/** Samples of runs that try each datapoint several times. */
@Injectable()
export class EvalSampleStore {
  constructor(private readonly storage: Storage) {}

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
      SIZED.query`select s.datapoint_id as id, sum(coalesce(octet_length(s.output), 0)
            + coalesce(octet_length(s.score_reason), 0) + coalesce(octet_length(s.scores), 0)
            + coalesce(octet_length(s.metadata), 0)) as bytes
        from eval_sample s where s.project_id = ${scope.projectId} and s.run_id = ${run.id}
          and ${anyOf('s.datapoint_id', datapointIds)} group by s.datapoint_id`,
      options,
    );
    const taken = takeFittingIds(datapointIds, sizes, READ_BYTES);
    const rows = await this.storage.readLong(
      COLUMNS.query`select ${COLUMNS} from eval_sample s where s.project_id = ${scope.projectId} and s.run_id = ${run.id}
        and ${anyOf('s.datapoint_id', taken)} order by s.datapoint_id, s.repeat`,
      options,
    );
    return { samples: Map.groupBy(rows, ({ datapointId }) => datapointId), read: taken.length };
  }

  /** Which samples of some datapoints are processed. */
  async processed({ projectId }: Scope, runId: string, datapointIds: readonly string[]): Promise<SampleKey[]> {
    return this.storage.readLong(processedAmong(projectId, runId, datapointIds));
  }

  /** Which samples of some datapoints are processed, read within the transaction that has locked the run. */
  async processedForWrite(
    tx: WriteTx,
    { projectId }: Scope,
    runId: string,
    datapointIds: readonly string[],
  ): Promise<SampleKey[]> {
    return tx.all(processedAmong(projectId, runId, datapointIds));
  }

  /** All samples of some datapoints, in order, as their items are made of them; the run is locked. */
  async ofItems(
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

  /** Deletes all samples of a locked run. */
  async deleteOf(tx: WriteTx, { projectId }: Scope, runId: string): Promise<void> {
    await deleteRows(tx, 'eval_sample', sql`project_id = ${projectId} and run_id = ${runId}`);
  }
}

const processedAmong = (projectId: string, runId: string, datapointIds: readonly string[]): Query<SampleKey> =>
  KEY.query`select ${KEY} from eval_sample s where s.project_id = ${projectId} and s.run_id = ${runId}
    and ${anyOf('s.datapoint_id', datapointIds)}`;
