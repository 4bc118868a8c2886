import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  deleteRows,
  integer,
  shapeOf,
  sql,
  Storage,
  takeFittingIds,
  text,
  type LongReadOptions,
  type WriteTx,
} from '@spandrel/storage';
import type { EvalRunRow, EvalSampleRow } from './eval-run.entity.js';
import { evalSampleTable } from './tables.js';

const COLUMNS = evalSampleTable.select('s');
const SIZED = shapeOf({ id: text(), bytes: integer() });
const KEY = evalSampleTable.select('s', ['datapointId', 'repeat']);

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
  async processed(
    { projectId }: Scope,
    runId: string,
    datapointIds: readonly string[],
  ): Promise<Pick<EvalSampleRow, 'datapointId' | 'repeat'>[]> {
    if (datapointIds.length === 0) return [];
    return this.storage.readLong(
      KEY.query`select ${KEY} from eval_sample s where s.project_id = ${projectId} and s.run_id = ${runId}
        and ${anyOf('s.datapoint_id', datapointIds)}`,
    );
  }

  /** All samples of some datapoints, in order, read within the transaction that has locked the run. */
  async forWrite(
    tx: WriteTx,
    { projectId }: Scope,
    runId: string,
    datapointIds: readonly string[],
  ): Promise<EvalSampleRow[]> {
    if (datapointIds.length === 0) return [];
    return tx.all(
      COLUMNS.query`select ${COLUMNS} from eval_sample s where s.project_id = ${projectId} and s.run_id = ${runId}
        and ${anyOf('s.datapoint_id', datapointIds)} order by s.datapoint_id, s.repeat`,
    );
  }

  insert(tx: WriteTx, rows: readonly EvalSampleRow[]): Promise<void> {
    return tx.insert(evalSampleTable, rows);
  }

  /** Deletes all samples of a locked run. */
  async deleteOf(tx: WriteTx, { projectId }: Scope, runId: string): Promise<void> {
    await deleteRows(tx, 'eval_sample', sql`project_id = ${projectId} and run_id = ${runId}`);
  }
}
