import { Injectable } from '@nestjs/common';
import type { SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  PairOrder,
  rawSql,
  sql,
  Storage,
  type Query,
  type RowOfShape,
  type Selection,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { sampleName, type SampleKey } from '../eval-item.js';
import { evalSubmissionTable, READ_BYTES, type EvalRunRow, type EvalSubmissionRow } from '../eval-run.entity.js';
import { RUN_STATUS } from '../eval-run.js';
import type { FinishedSample } from '../execution/sample-result.js';

const WAITING = evalSubmissionTable.select('w', ['datapointId', 'repeat', 'result', 'resultHash']);
const HASHED = evalSubmissionTable.select('w', ['datapointId', 'repeat', 'resultHash']);
const ID = evalSubmissionTable.select('w', ['datapointId']);

const IN_ORDER = new PairOrder('w.datapoint_id', 'w.repeat');

const SIZE = rawSql('octet_length(w.result)');

/** Whether results of a run wait for scorers that will look at them. */
export const hasWaiting = ({ status, unscored }: EvalRunRow): boolean => status < RUN_STATUS.completed && unscored > 0;

export type WaitingResult = RowOfShape<typeof WAITING>;

/** Which result of a sample is there. */
export type HashedSample = RowOfShape<typeof HASHED>;

/** Results of external runs that wait for scorers of the server. */
@Injectable()
export class SubmissionStore {
  constructor(private readonly storage: Storage) {}

  /** Results of a run behind one of them, in order: up to `limit`, as many as fit into memory; none at the end. */
  after(scope: Scope, runId: string, after: SampleKey | undefined, limit: number): Promise<WaitingResult[]> {
    const ofRun = {
      columns: WAITING,
      size: SIZE,
      bytesMax: READ_BYTES,
      select: <Row>(columns: Selection<Row>, rest: Sql) =>
        columns.query`select ${columns} from eval_submission w
          where w.project_id = ${scope.projectId} and w.run_id = ${runId} and ${rest}`,
    };
    const from = after && { first: after.datapointId, second: after.repeat };
    return IN_ORDER.fitting(this.storage, ofRun, from, limit, scope);
  }

  /** The samples of some datapoints whose results wait; none do in a run that is over. */
  async among(scope: Scope, run: EvalRunRow, datapointIds: readonly string[]): Promise<SampleKey[]> {
    if (!hasWaiting(run)) return [];
    return this.storage.readLong(hashedAmong(scope.projectId, run.id, datapointIds), scope);
  }

  /** Datapoints whose results wait, behind an id where it is given, in order. */
  async datapoints(
    scope: Scope,
    runId: string,
    { afterId, order, limit }: { afterId: string | undefined; order: SortOrder; limit: number },
  ): Promise<string[]> {
    const beyond = rawSql(order === 'asc' ? '>' : '<');
    const bound = afterId === undefined ? sql`1 = 1` : sql`w.datapoint_id ${beyond} ${afterId}`;
    const rows = await this.storage.readLong(
      ID.query`select distinct ${ID} from eval_submission w
        where w.project_id = ${scope.projectId} and w.run_id = ${runId} and ${bound}
        order by w.datapoint_id ${rawSql(order)} limit ${limit}`,
      scope,
    );
    return rows.map(({ datapointId }) => datapointId);
  }

  /** Which results of some datapoints wait, read within the transaction that has locked the run. */
  hashedForWrite(
    tx: WriteTx,
    { projectId }: Scope,
    runId: string,
    datapointIds: readonly string[],
  ): Promise<HashedSample[]> {
    return tx.all(hashedAmong(projectId, runId, datapointIds));
  }

  insert(tx: WriteTx, rows: readonly EvalSubmissionRow[]): Promise<void> {
    return tx.insert(evalSubmissionTable, rows);
  }

  /** Deletes the results of some samples that wait; the run is locked. */
  async delete(tx: WriteTx, { projectId }: Scope, runId: string, samples: readonly SampleKey[]): Promise<void> {
    for (const [repeat, ofRepeat] of Map.groupBy(samples, (sample) => sample.repeat)) {
      const ids = ofRepeat.map(({ datapointId }) => datapointId);
      await tx.run(
        sql`delete from eval_submission where project_id = ${projectId} and run_id = ${runId} and repeat = ${repeat}
          and ${anyOf('datapoint_id', ids)}`,
      );
    }
  }

  /**
   * Takes those that were scored out of the results that wait; the run is locked.
   * @param run the caller's copy, which is changed.
   * @returns the samples whose results still waited: another may have taken the place of one while it was scored.
   */
  async takeScored(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    scored: readonly FinishedSample[],
  ): Promise<FinishedSample[]> {
    if (scored.length === 0) return [];
    const ids = scored.map(({ datapointId }) => datapointId);
    const waiting = await this.hashedForWrite(tx, scope, run.id, ids);
    const hashes = new Map(waiting.map((sample) => [sampleName(sample), sample.resultHash]));
    const taken = scored.filter((sample) => {
      const name = sampleName(sample);
      // However often one is brought.
      return hashes.get(name) === sample.result.resultHash && hashes.delete(name);
    });
    await this.delete(tx, scope, run.id, taken);
    run.unscored -= taken.length;
    return taken;
  }
}

const hashedAmong = (projectId: string, runId: string, datapointIds: readonly string[]): Query<HashedSample> =>
  HASHED.query`select ${HASHED} from eval_submission w
    where w.project_id = ${projectId} and w.run_id = ${runId} and ${anyOf('w.datapoint_id', datapointIds)}`;
