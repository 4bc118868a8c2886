import { Injectable } from '@nestjs/common';
import type { RetryEval } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  limitIdsBySize,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type LongReadOptions,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import type { SampleKey } from './eval-item.js';
import {
  evalAttemptTable,
  evalResultTable,
  outcomeSize,
  READ_BYTES,
  type EvalAttemptRow,
  type EvalRunRow,
} from './eval-run.entity.js';
import { RESULT_STATUS } from './eval-run.js';

const COLUMNS = evalAttemptTable.select('a');
const KEY = shapeOf({ datapointId: text(), repeat: integer() });
const SIZED = shapeOf({ id: text(), bytes: integer() });
const SIZE = outcomeSize('a');

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
        ? KEY.query`select s.datapoint_id as "datapointId", 0 as repeat from eval_result s
            where ${ofRun} and s.datapoint_id > ${after.datapointId} order by s.datapoint_id limit ${limit}`
        : KEY.query`select s.datapoint_id as "datapointId", s.repeat from eval_sample s
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
      COLUMNS.query`select ${COLUMNS} from eval_attempt a where a.project_id = ${projectId} and a.run_id = ${id}
        and a.datapoint_id = ${sample.datapointId} and a.repeat = ${sample.repeat} order by a.attempt desc limit 1`,
    );
    return last;
  }

  /**
   * Former attempts of some datapoints of a run, in order; none where nothing was tried again.
   * @returns by datapoint id; and `read`, how many of the ids were looked at: as many as fit into memory.
   */
  async some(
    { projectId }: Scope,
    run: EvalRunRow,
    datapointIds: readonly string[],
    options: LongReadOptions = {},
  ): Promise<{ attempts: Map<string, EvalAttemptRow[]>; read: number }> {
    if (run.retriedSamples === 0) return { attempts: new Map(), read: datapointIds.length };
    const among = (ids: readonly string[]): Sql =>
      sql`a.project_id = ${projectId} and a.run_id = ${run.id} and ${anyOf('a.datapoint_id', ids)}`;
    const sizes = await this.storage.readLong(
      SIZED.query`select a.datapoint_id as id, cast(sum(${SIZE}) as bigint) as bytes from eval_attempt a
        where ${among(datapointIds)} group by a.datapoint_id`,
      options,
    );
    const taken = limitIdsBySize(datapointIds, sizes, READ_BYTES);
    const rows = await this.storage.readLong(
      COLUMNS.query`select ${COLUMNS} from eval_attempt a where ${among(taken)}
        order by a.datapoint_id, a.repeat, a.attempt`,
      options,
    );
    return { attempts: Map.groupBy(rows, ({ datapointId }) => datapointId), read: taken.length };
  }
}
