import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  integer,
  nullable,
  number,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type LongReadOptions,
  type Query,
  type RowOfShape,
  type Sql,
} from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import { scorersOf } from '../run-plan.js';
import { saidOf } from './said-scores.sql.js';

const ROW = shapeOf({
  datapointId: text(),
  repeat: integer(),
  status: integer(),
  score: nullable(number()),
  /** What `scores` says of each scorer, see {@link saidOf}; `null` where the columns have it. */
  said: nullable(text()),
  latencyMs: nullable(integer()),
  cost: nullable(number()),
});

/** A processed sample of a run, without its texts. */
export type SampleScoresRow = RowOfShape<typeof ROW>;

/** Samples of one read: taking them up holds up requests for some 2 ms. */
const SLICE = 500;

const COLUMNS = rawSql('s.datapoint_id as "datapointId", s.status, s.score, s.latency_ms as "latencyMs", s.cost');

/** The scores of the samples of runs. */
@Injectable()
export class SampleScoresStore {
  constructor(private readonly storage: Storage) {}

  /**
   * The processed samples of a run in slices, in the order of datapoint and repeat; samples of one datapoint may lie in two slices.
   * The next slice is read while one is taken up.
   */
  async *slices(
    { projectId }: Scope,
    run: EvalRunRow,
    options: LongReadOptions,
  ): AsyncGenerator<SampleScoresRow[], void, undefined> {
    const said = saidOf(scorersOf(run).map(({ name }) => name));
    const read = (last: { datapointId: string; repeat: number }): Promise<SampleScoresRow[]> => {
      const of = { projectId, runId: run.id, said, last };
      const rows = this.storage.readLong(run.repeats === 1 ? ofSingles(of) : ofRepeats(of), options);
      // Who stops in the middle awaits no more of them.
      rows.catch(() => undefined);
      return rows;
    };
    for (let next: Promise<SampleScoresRow[]> | undefined = read({ datapointId: '', repeat: -1 }); next;) {
      const rows: SampleScoresRow[] = await next;
      next = rows.length < SLICE ? undefined : read(rows.at(-1)!);
      if (rows.length > 0) yield rows;
    }
  }
}

interface SliceOf {
  projectId: string;
  runId: string;
  said: Sql;
  last: { datapointId: string; repeat: number };
}

const ofSingles = ({ projectId, runId, said, last }: SliceOf): Query<SampleScoresRow> =>
  ROW.query`select ${COLUMNS}, 0 as repeat, ${said} as said from eval_result s
    where s.project_id = ${projectId} and s.run_id = ${runId} and s.datapoint_id > ${last.datapointId}
    order by s.datapoint_id limit ${SLICE}`;

const ofRepeats = ({ projectId, runId, said, last }: SliceOf): Query<SampleScoresRow> =>
  ROW.query`select ${COLUMNS}, s.repeat, ${said} as said from eval_sample s
    where s.project_id = ${projectId} and s.run_id = ${runId}
      and ${sql`(s.datapoint_id, s.repeat) > (${last.datapointId}, ${last.repeat})`}
    order by s.datapoint_id, s.repeat limit ${SLICE}`;
