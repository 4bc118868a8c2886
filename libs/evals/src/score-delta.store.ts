import { Injectable } from '@nestjs/common';
import type { ComparedItemList, ComparedOnly } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  integer,
  nullable,
  number,
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
import { RESULT_STATUS } from './eval-run.js';

/** Runs, one of which the others are compared with. */
export interface RunsWithBaseline {
  runIds: readonly string[];
  baselineId: string;
}

const SUMMARY = shapeOf({
  compared: integer(),
  regressed: integer(),
  improved: integer(),
  meanDelta: nullable(number()),
});
const DELTA = shapeOf({ id: text(), delta: number() });

/** Datapoints that are listed, from `delta d`. */
const ONLY: Readonly<Record<ComparedOnly, Sql>> = {
  all: rawSql('1 = 1'),
  regressed: rawSql('d.delta < 0'),
  improved: rawSql('d.delta > 0'),
  changed: rawSql('d.delta <> 0'),
  failed: rawSql('d.failed = 1'),
};

/** How the datapoints of a comparison are sorted: by what their scores lost, or as they stand in the dataset. */
export const comparisonSorting = (order: 'regression' | 'position', baselineId: string): Sorting => ({
  list: `compared-items:${order}:${baselineId}`,
  ...(order === 'regression' ? { column: 'd.delta', type: 'number' } : { column: 'd.id', type: 'text' }),
  idColumn: 'd.id',
  nullable: order === 'regression',
  order: 'asc',
});

/** What scores of datapoints lost and won between runs (docs/spec/comparison.md#delta-of-a-datapoint). */
@Injectable()
export class ScoreDeltaStore {
  constructor(private readonly storage: Storage) {}

  /** Datapoints with a result in any of the runs, in order: up to `count` of a part behind a position. */
  positions(
    scope: Scope,
    runs: RunsWithBaseline,
    only: ComparedOnly,
    sorting: Sorting,
    part: Part,
    from: Position | undefined,
    count: number,
    options: LongReadOptions,
  ): Promise<Position[]> {
    return this.storage.readLong(
      positionShape(sorting).query`select ${rawSql(sorting.column)} as value, d.id as id from (${deltas(scope, runs)}) d
        where ${ONLY[only]} and ${behind(sorting, part, from)} order by ${orderBy(sorting, part)} limit ${count}`,
      options,
    );
  }

  /** The deltas of some datapoints, by their ids; those that cannot be compared are left out. */
  async some(
    scope: Scope,
    runs: RunsWithBaseline,
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<Map<string, number>> {
    const rows = await this.storage.readLong(
      DELTA.query`select d.id as id, d.delta as delta
        from (${deltas(scope, runs, anyOf('e.datapoint_id', ids))}) d where d.delta is not null`,
      options,
    );
    return new Map(rows.map(({ id, delta }) => [id, delta]));
  }

  /** What all datapoints come to. @param total how many any of the runs has. */
  async summary(
    scope: Scope,
    runs: RunsWithBaseline,
    total: number,
    options: LongReadOptions,
  ): Promise<ComparedItemList['summary']> {
    const [row] = await this.storage.readLong(
      SUMMARY.query`select count(d.delta) as compared, coalesce(sum(case when d.delta < 0 then 1 else 0 end), 0) as regressed,
          coalesce(sum(case when d.delta > 0 then 1 else 0 end), 0) as improved, avg(d.delta) as "meanDelta"
        from (${deltas(scope, runs)}) d`,
      options,
    );
    const { compared, regressed, improved, meanDelta } = row!;
    return {
      compared,
      regressed,
      improved,
      unchanged: compared - regressed - improved,
      incomparable: Math.max(0, total - compared),
      mean_delta: meanDelta,
    };
  }
}

/**
 * A select of `id, delta, failed` for each datapoint with a result; differences below 1e-12 are none. It passes the results once:
 * over two runs of 100,000 items a join of each result with that of the baseline took twice as long.
 */
const deltas = ({ projectId }: Scope, { runIds, baselineId }: RunsWithBaseline, more: Sql = rawSql('1 = 1')): Sql =>
  sql`select id, failed, case when low - base < -0.000000000001 then low - base
      when high - base > 0.000000000001 then high - base
      when low - base is not null then cast(0 as double precision) end as delta
    from (
      select e.datapoint_id as id, max(case when e.run_id = ${baselineId} then e.score end) as base,
        min(case when e.run_id <> ${baselineId} then e.score end) as low,
        max(case when e.run_id <> ${baselineId} then e.score end) as high,
        max(case when e.status = ${RESULT_STATUS.failed} then 1 else 0 end) as failed
      from eval_result e where e.project_id = ${projectId} and ${anyOf('e.run_id', runIds)} and ${more}
      group by e.datapoint_id
    ) scores`;
