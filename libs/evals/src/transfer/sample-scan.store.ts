import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  PairOrder,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type LongReadOptions,
  type Selection,
  type Sql,
} from '@spandrel/storage';
import type { EvalSampleRow } from '../eval-run.entity.js';
import { evalSampleTable } from '../tables.js';

const COLUMNS = evalSampleTable.select('s');
const ID = shapeOf({ id: text() });
const IN_ORDER = new PairOrder<number>('s.datapoint_id', 's.repeat', 'number');

/** Text of samples that one read brings into memory, about. */
const READ_BYTES = 16 * 1024 * 1024;
const SIZE = rawSql(
  `coalesce(octet_length(s.output), 0) + coalesce(octet_length(s.score_reason), 0) + coalesce(octet_length(s.scores), 0)
    + coalesce(octet_length(s.metadata), 0)`,
);

/** All samples of a project, read from the first to the last. */
@Injectable()
export class SampleScanStore {
  constructor(private readonly storage: Storage) {}

  /** Ids of runs that try each datapoint several times, in order, behind one of them; none at the end. */
  async runsAfter(scope: Scope, after = '', limit: number, options: LongReadOptions): Promise<string[]> {
    const rows = await this.storage.readLong(
      ID.query`select r.id as id from eval_run r where r.project_id = ${scope.projectId} and r.repeats > 1
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
      size: SIZE,
      bytesMax: READ_BYTES,
      select: <Row>(columns: Selection<Row>, rest: Sql) =>
        columns.query`select ${columns} from eval_sample s where ${ofRun} and ${rest}`,
    };
    return IN_ORDER.fitting(this.storage, samples, after && [after.datapointId, after.repeat], limit, options);
  }
}
