import { Injectable } from '@nestjs/common';
import { formatTimestamp, isStorableText, type ScoreQuality, type ScoreQualityQuery } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { integer, nullable, number, rawSql, shapeOf, sql, Storage, text, type Sql } from '@spandrel/storage';
import { measureQuality } from './corrected-mean.js';
import { WIDTHS } from './score-rollup.store.js';

const SUMS = shapeOf({
  key: nullable(text()),
  aloneCount: integer(),
  aloneF: number(),
  aloneFf: number(),
  pairCount: integer(),
  pairF: number(),
  pairFf: number(),
  pairY: number(),
  pairYy: number(),
  pairFy: number(),
  others: integer(),
});

/** Sums of a value over the targets that the judge alone scored, and over those that a person scored too. */
const alone = (value: string): string => `coalesce(sum(case when y is null then ${value} end), 0.0)`;
const paired = (value: string): string => `coalesce(sum(case when y is not null then ${value} end), 0.0)`;

const COLUMNS = rawSql(`count(*) - count(y) as "aloneCount", ${alone('f')} as "aloneF", ${alone('f * f')} as "aloneFf",
  count(y) as "pairCount", ${paired('f')} as "pairF", ${paired('f * f')} as "pairFf", ${paired('y')} as "pairY",
  ${paired('y * y')} as "pairYy", ${paired('f * y')} as "pairFy",
  sum(case when f in (0, 1) and (y is null or y in (0, 1)) then 0 else 1 end) as others`);

const KEYS = {
  all: rawSql('null'),
  model: rawSql('model'),
  day: startText('day'),
  week: startText('week'),
};

/** The start of a target's day or week, as text of milliseconds. */
function startText(width: 'day' | 'week'): Sql {
  const { widthMs, originMs } = WIDTHS[width];
  const at = `(target_at - ${originMs})`;
  return rawSql(`cast(target_at - (${at} % ${widthMs} + ${widthMs}) % ${widthMs} as text)`);
}

/** `GET /api/analytics/quality`: a judge's mean, corrected by what people said (docs/spec/scores.md#quality-of-a-judge). */
@Injectable()
export class ScoreQualityStore {
  constructor(private readonly storage: Storage) {}

  /** @returns one entry, or one for each model, most scores first, or for each day or week, oldest first. */
  async measure(scope: Scope, query: ScoreQualityQuery): Promise<ScoreQuality[]> {
    const { name, since, until, split_by: split } = query;
    if (!isStorableText(name)) return [];
    const from = since === undefined ? sql`` : sql` and c.target_at >= ${since}`;
    const to = until === undefined ? sql`` : sql` and c.target_at < ${until}`;
    // The newest score of the judge and the newest of a person count, for each target that was chosen by chance.
    const rows = await this.storage.readLong(
      SUMS.query`select ${KEYS[split ?? 'all']} as "key", ${COLUMNS} from (
          select max(n.model) as model, min(n.target_at) as target_at, max(case when n.source = 'judge' then n.value end) as f,
            max(case when n.source = 'human' then n.value end) as y
          from (select c.trace_id, c.span_id, c.session_id, c.source, c.value, c.model, c.target_at,
              row_number() over (partition by c.trace_id, c.span_id, c.session_id, c.source
                order by c.created_at desc, c.id desc) as age
            from score c where c.project_id = ${scope.projectId} and c.name = ${name} and c.value is not null
              and c.source in ('judge', 'human') and c.is_random = 1${from}${to}) n
          where n.age = 1 group by n.trace_id, n.span_id, n.session_id) judged
        where f is not null group by 1
        order by ${rawSql(split === undefined || split === 'model' ? 'count(*) desc, 1' : 'min(target_at)')}`,
      scope,
    );
    return rows.map((row) => ({
      key: row.key === null || split === 'model' ? row.key : formatTimestamp(Number(row.key)),
      ...measureQuality({
        alone: { count: row.aloneCount, f: row.aloneF, ff: row.aloneFf },
        pairs: {
          ...{ count: row.pairCount, f: row.pairF, ff: row.pairFf, y: row.pairY, yy: row.pairYy, fy: row.pairFy },
        },
        isBinary: row.others === 0,
      }),
    }));
  }
}
