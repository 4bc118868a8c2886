import { Injectable } from '@nestjs/common';
import type { ScoreSeriesQuery, ScoreBucket } from '@spandrel/contract';
import { formatTimestamp, getOrMake, isStorableText } from '@spandrel/contract';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import {
  integer,
  joinSql,
  nullable,
  number,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import type { ScoreRow, ScoreRollupRow } from './score.entity.js';

const HOUR_MS = 3_600_000;

type Key = Pick<ScoreRollupRow, 'projectId' | 'name' | 'bucket' | 'source' | 'model' | 'label'>;
type Scored = Pick<ScoreRow, 'projectId' | 'name' | 'targetAt' | 'source' | 'model' | 'label' | 'value'>;

export interface ScoreChange {
  before?: Scored;
  after?: Scored;
}

const KEY = shapeOf({ name: text(), bucket: integer(), source: text(), model: text(), label: text() });
const ONE = shapeOf({ one: integer() });

/** The key of a score's roll-up in SQL, from `score c`. */
const BUCKET = rawSql(`c.target_at - ((c.target_at % ${HOUR_MS}) + ${HOUR_MS}) % ${HOUR_MS}`);
const MODEL = rawSql(`coalesce('=' || c.model, '')`);
const LABEL = rawSql(`coalesce('=' || c.label, '')`);

/** Sums over scores, kept with them and equal to a recount (docs/spec/scores.md#sums-of-scores). */
@Injectable()
export class ScoreRollupStore {
  constructor(private readonly storage: Storage) {}

  /** Adds what was added; hours in which a score changed or went are counted again, from the rows as they are now. */
  async apply(tx: WriteTx, changes: readonly ScoreChange[]): Promise<void> {
    const changed = new Map<string, Key>();
    for (const { before, after } of changes) {
      if (!before) continue;
      for (const score of after ? [before, after] : [before]) changed.set(textOf(keyOf(score)), keyOf(score));
    }
    const added = new Map<string, ScoreRollupRow>();
    for (const { before, after } of changes) {
      if (before || !after) continue;
      const key = keyOf(after);
      if (changed.has(textOf(key))) continue;
      add(
        getOrMake(added, textOf(key), () => ({ ...key, ...NOTHING })),
        after.value,
      );
    }
    for (const [, row] of [...added].toSorted(byText)) await this.increase(tx, row);
    await this.recount(
      tx,
      [...changed].toSorted(byText).map(([, key]) => key),
    );
  }

  /** The hours of scores that are about to be deleted; to be handed to {@link recount} when they are. */
  async findKeys(tx: WriteTx, { projectId }: Scope, which: Sql): Promise<Key[]> {
    const keys = await tx.all(
      KEY.query`select distinct c.name as name, ${BUCKET} as bucket, c.source as source, ${MODEL} as model, ${LABEL} as label
        from score c where c.project_id = ${projectId} and ${which}`,
    );
    return keys
      .map((key) => [textOf({ projectId, ...key }), { projectId, ...key }] as const)
      .toSorted(byText)
      .map(([, key]) => key);
  }

  /** Counts hours again. @param keys in one order, so that transactions that share some do not deadlock. */
  async recount(tx: WriteTx, keys: readonly Key[]): Promise<void> {
    if (keys.length > 0) await tx.em.flush();
    for (const key of keys) {
      const { projectId, name, bucket, source, model, label } = key;
      const mine = sql`project_id = ${projectId} and name = ${name} and bucket = ${bucket} and source = ${source}
        and model = ${model} and label = ${label}`;
      // Locked first: what others have added to it since is then seen by the count.
      if (tx.dialect === 'postgres')
        await tx.all(ONE.query`select 1 as one from score_rollup where ${mine} for update`);
      await tx.run(sql`delete from score_rollup where ${mine}`);
      await tx.run(sql`insert into score_rollup (${COLUMNS})
        select c.project_id, c.name, ${bucket}, c.source, ${model}, ${label}, count(*), count(c.value),
          coalesce(sum(c.value), 0.0), coalesce(sum(c.value * c.value), 0.0), min(c.value), max(c.value)
        from score c where c.project_id = ${projectId} and c.name = ${name} and c.target_at >= ${bucket}
          and c.target_at < ${bucket + HOUR_MS} and c.source = ${source} and ${MODEL} = ${model} and ${LABEL} = ${label}
        group by c.project_id, c.name, c.source`);
    }
  }

  async deleteAll(tx: WriteTx, { projectId }: Scope): Promise<void> {
    await tx.run(sql`delete from score_rollup where project_id = ${projectId}`);
  }

  /** `GET /api/analytics/scores`: what scores come to by time and name, oldest first. @throws Invalid for too many. */
  async series(scope: Scope, query: ScoreSeriesQuery): Promise<ScoreBucket[]> {
    const { widthMs, originMs } = WIDTHS[query.group_by];
    const conditions = conditionsOf(scope, query);
    if (!conditions) return [];
    const [from, count] = query.rule_id === undefined ? ROLLED_UP : COUNTED;
    const start = sql`r.bucket - ((r.bucket - ${originMs}) % ${widthMs} + ${widthMs}) % ${widthMs}`;
    const rows = await this.storage.readLong(
      SERIES.query`select ${start} as start, r.name as name, r.label as label, ${count}
        from ${from} where ${conditions} group by 1, r.name, r.label order by 1, r.name, r.label
        limit ${SERIES_ROWS_MAX + 1}`,
      scope,
    );
    if (rows.length > SERIES_ROWS_MAX) throw invalidRequest([{ path: 'group_by', message: TOO_MANY }]);
    const buckets = Map.groupBy(rows, ({ start: at, name }) => `${at} ${name}`);
    return [...buckets.values()].map((sums) => {
      const values = sums.reduce((sum, row) => sum + row.values, 0);
      const isValued = sums.filter((row) => row.values > 0);
      return {
        timestamp: formatTimestamp(sums[0]!.start),
        name: sums[0]!.name,
        count: sums.reduce((sum, row) => sum + row.scores, 0),
        mean: values === 0 ? null : sums.reduce((sum, row) => sum + row.total, 0) / values,
        min: values === 0 ? null : isValued.reduce((least, { low }) => Math.min(least, low!), Infinity),
        max: values === 0 ? null : isValued.reduce((most, { high }) => Math.max(most, high!), -Infinity),
        labels: Object.fromEntries(sums.flatMap((row) => (row.label === '' ? [] : [[row.label.slice(1), row.scores]]))),
      };
    });
  }

  private async increase(tx: WriteTx, row: ScoreRollupRow): Promise<void> {
    await tx.run(sql`insert into score_rollup as r (${COLUMNS}) values (${row.projectId}, ${row.name}, ${row.bucket},
        ${row.source}, ${row.model}, ${row.label}, ${row.scoreCount}, ${row.valueCount}, ${row.valueSum},
        ${row.squareSum}, ${row.valueMin}, ${row.valueMax})
      on conflict (project_id, name, bucket, source, model, label) do update set
        score_count = r.score_count + excluded.score_count, value_count = r.value_count + excluded.value_count,
        value_sum = r.value_sum + excluded.value_sum, square_sum = r.square_sum + excluded.square_sum,
        value_min = case when r.value_min is null or excluded.value_min < r.value_min
          then excluded.value_min else r.value_min end,
        value_max = case when r.value_max is null or excluded.value_max > r.value_max
          then excluded.value_max else r.value_max end`);
  }
}

const COLUMNS = rawSql(`project_id, name, bucket, source, model, label, score_count, value_count, value_sum, square_sum,
  value_min, value_max`);

const NOTHING = { scoreCount: 0, valueCount: 0, valueSum: 0, squareSum: 0, valueMin: null, valueMax: null };

const keyOf = ({ projectId, name, targetAt, source, model, label }: Scored): Key => ({
  ...{ projectId, name, source, bucket: Math.floor(targetAt / HOUR_MS) * HOUR_MS },
  model: model === null ? '' : `=${model}`,
  label: label === null ? '' : `=${label}`,
});

/** Names have no NUL. */
const textOf = ({ projectId, name, bucket, source, model, label }: Key): string =>
  [projectId, name, bucket, source, model, label].join('\0');

const byText = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

function add(sums: ScoreRollupRow, value: number | null): void {
  sums.scoreCount++;
  if (value === null) return;
  sums.valueCount++;
  sums.valueSum += value;
  sums.squareSum += value * value;
  sums.valueMin = Math.min(value, sums.valueMin ?? value);
  sums.valueMax = Math.max(value, sums.valueMax ?? value);
}

/** Sums by bucket, name and label that one answer is made of at most. */
const SERIES_ROWS_MAX = 50_000;
const TOO_MANY = `must not give more than ${SERIES_ROWS_MAX} buckets, names and labels; ask for a name, a shorter range or wider buckets`;

const DAY_MS = 24 * HOUR_MS;

/** Widths of the buckets, and a moment at which one starts: weeks on a Monday, as 1970-01-05 was. */
export const WIDTHS = {
  hour: { widthMs: HOUR_MS, originMs: 0 },
  day: { widthMs: DAY_MS, originMs: 0 },
  week: { widthMs: 7 * DAY_MS, originMs: 4 * DAY_MS },
} as const;

const SERIES = shapeOf({
  start: integer(),
  name: text(),
  label: text(),
  scores: integer(),
  values: integer(),
  total: number(),
  low: nullable(number()),
  high: nullable(number()),
});

const ROLLED_UP = [
  rawSql('score_rollup r'),
  rawSql(`sum(r.score_count) as scores, sum(r.value_count) as "values", sum(r.value_sum) as total,
    min(r.value_min) as low, max(r.value_max) as high`),
] as const;

/** The roll-up does not know rules: their scores are counted one by one. */
const COUNTED = [
  sql`(select c.project_id, c.name, ${BUCKET} as bucket, c.source, ${MODEL} as model, ${LABEL} as label, c.rule_id,
    c.value from score c) r`,
  rawSql(`count(*) as scores, count(r.value) as "values", coalesce(sum(r.value), 0.0) as total, min(r.value) as low,
    max(r.value) as high`),
] as const;

/** @returns `undefined` when nothing can match: a text that no column can hold. */
function conditionsOf({ projectId }: Scope, query: ScoreSeriesQuery): Sql | undefined {
  const { name, source, model, rule_id: ruleId, since, until } = query;
  if ([name, model, ruleId].some((given) => given !== undefined && !isStorableText(given))) return undefined;
  const conditions = [sql`r.project_id = ${projectId}`];
  if (name !== undefined) conditions.push(sql`r.name = ${name}`);
  if (source !== undefined) conditions.push(sql`r.source = ${source}`);
  if (model !== undefined) conditions.push(sql`r.model = ${`=${model}`}`);
  if (ruleId !== undefined) conditions.push(sql`r.rule_id = ${ruleId}`);
  // Whole hours: those in which the range begins and ends are in it.
  if (since !== undefined) conditions.push(sql`r.bucket >= ${Math.floor(since / HOUR_MS) * HOUR_MS}`);
  if (until !== undefined) conditions.push(sql`r.bucket < ${until}`);
  return joinSql(conditions, ' and ');
}
