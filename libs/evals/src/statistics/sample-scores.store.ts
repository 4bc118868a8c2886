import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  joinSql,
  positionIn,
  rawSql,
  sql,
  integer,
  nullable,
  number,
  shapeOf,
  Storage,
  text,
  type Sql,
  type RowOfShape,
} from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import { listScorers, onlyUnweighted, RESULT_STATUS } from '../eval-run.js';
import { readPassRule } from '../eval-item.js';
import { TOLERANCE } from './distributions.js';

/** Longest number that JSON has, with what ends it. */
const NUMBER_LENGTH_MAX = 32;

/** Between what is said of two scorers; JSON text has none. */
const BETWEEN = '\n';

/**
 * What the column `s.scores` says of each scorer, in few characters: their reasons may be long, and neither leave the database nor
 * are parsed. The text begins with `{"name":{"score":` for each scorer, since the service writes it, and the place of that is where
 * the score is; a text inside a reason has its quotes escaped. A scorer that is not found so has the whole text instead.
 */
export const selectScores = (names: readonly string[]): Sql =>
  names.map(selectScore).reduce((before, one) => sql`${before} || ${BETWEEN} || ${one}`);

function selectScore(name: string): Sql {
  const scores = rawSql('s.scores');
  const { place, number } = findScore(name, scores);
  return sql`case when ${place} = 0 then ${scores} else ${number} end`;
}

/** Where `scores` have the score of a scorer, 0 if nowhere, and the number there with what follows. */
function findScore(name: string, scores: Sql): { place: Sql; number: Sql } {
  const head = `${JSON.stringify(name)}:{"score":`;
  const place = positionIn(scores, head);
  const [length, longest] = [[...head].length, NUMBER_LENGTH_MAX].map((count) => rawSql(String(count)));
  return { place, number: sql`substr(${scores}, ${place} + ${length!}, ${longest!})` };
}

/** The score by one scorer in a row of results or samples. @param isOnly whether the run has no other. */
function selectScoreOf(name: string, isOnly: boolean, alias: string): Sql {
  const scores = rawSql(`${alias}.scores`);
  const { place, number } = findScore(name, scores);
  return sql`case when ${scores} is null then ${rawSql(isOnly ? `${alias}.score` : 'null')} when ${place} > 0
    then cast(nullif(substr(${number}, 1, ${positionIn(number, ',')} - 1), 'null') as double precision) end`;
}

/** The score in a row that is shown where there is room for one: the only scorer's where that has no weight. */
export function selectShownScore(run: EvalRunRow, alias: string): Sql {
  const only = onlyUnweighted(run);
  return only === null ? rawSql(`${alias}.score`) : selectScoreOf(only, true, alias);
}

/**
 * Whether a row of results or samples passes: 1, 0, or null where it failed or has none of the scores that decide. What
 * `decidePass` says of it, found where the rows are. @param alias of the table.
 */
export function selectPass(run: EvalRunRow, alias: string): Sql {
  const names = listScorers(run).map(({ name }) => name);
  const deciding = readPassRule(run).map(({ at, passScore }) => {
    const of = at === null ? rawSql(`${alias}.score`) : selectScoreOf(names[at]!, names.length === 1, alias);
    return { isBelow: sql`${of} < ${passScore - TOLERANCE}`, isThere: sql`${of} is not null` };
  });
  return sql`case when ${rawSql(`${alias}.status`)} = ${RESULT_STATUS.failed} then null
    when ${joinSql(
      deciding.map(({ isBelow }) => isBelow),
      ' or ',
    )} then 0
    when ${joinSql(
      deciding.map(({ isThere }) => isThere),
      ' or ',
    )} then 1 end`;
}

/**
 * The scores in a row, as selected by {@link selectScores}.
 * @param names of the scorers, as they were given to it.
 */
export function readScores(said: string, names: readonly string[]): (number | null)[] {
  const texts = said.split(BETWEEN);
  return names.map((name, index) => {
    const text = texts[index]!;
    return text.startsWith('{') ? scoreIn(text, name) : numberAtStart(text);
  });
}

function scoreIn(scores: string, name: string): number | null {
  const all = JSON.parse(scores) as Record<string, { score?: number | null } | undefined>;
  return (Object.hasOwn(all, name) ? all[name]?.score : null) ?? null;
}

function numberAtStart(text: string): number | null {
  const value = text.slice(0, text.search(/[,}]/));
  return value === 'null' ? null : Number(value);
}

const ROW = shapeOf({
  datapointId: text(),
  repeat: integer(),
  status: integer(),
  score: nullable(number()),
  /** What `scores` says of each scorer, see {@link selectScores}; `null` where the columns have it. */
  said: nullable(text()),
  /** The whole of `scores`, of runs whose scorers compare with a baseline. */
  preferences: nullable(text()),
  latencyMs: nullable(integer()),
  cost: nullable(number()),
  judgeCost: nullable(number()),
  /** 1: the answer is that of an earlier run, and cost nothing. */
  reused: integer(),
});

/** A processed sample of a run, without its texts. */
export type SampleScoresRow = RowOfShape<typeof ROW>;

/** Samples of one read: taking them up holds up requests for some 2 ms. */
const SLICE = 500;

const COLUMNS = rawSql(
  's.datapoint_id as "datapointId", s.status, s.score, s.latency_ms as "latencyMs", s.cost, s.judge_cost as "judgeCost", case when s.reused_run_id is null then 0 else 1 end as reused',
);

/** The scores of the samples of runs. */
@Injectable()
export class SampleScoresStore {
  constructor(private readonly storage: Storage) {}

  /**
   * The processed samples of a run in slices, in the order of datapoint and repeat; samples of one datapoint may lie in two slices.
   * The next slice is read while one is taken up.
   */
  async *slices(scope: Scope, run: EvalRunRow): AsyncGenerator<SampleScoresRow[], void, undefined> {
    const said = sql`${selectScores(listScorers(run).map(({ name }) => name))} as said,
      ${rawSql(run.baselineRunId === null ? 'null' : 's.scores')} as preferences`;
    const read = (last: { datapointId: string; repeat: number }): Promise<SampleScoresRow[]> => {
      const ofRun = sql`s.project_id = ${scope.projectId} and s.run_id = ${run.id}`;
      const query =
        run.repeats === 1
          ? ROW.query`select ${COLUMNS}, 0 as repeat, ${said} from eval_result s
              where ${ofRun} and s.datapoint_id > ${last.datapointId}
              order by s.datapoint_id limit ${SLICE}`
          : ROW.query`select ${COLUMNS}, s.repeat, ${said} from eval_sample s
              where ${ofRun} and ${sql`(s.datapoint_id, s.repeat) > (${last.datapointId}, ${last.repeat})`}
              order by s.datapoint_id, s.repeat limit ${SLICE}`;
      const rows = this.storage.readLong(query, scope);
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
