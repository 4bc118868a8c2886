import { Injectable } from '@nestjs/common';
import { isStorableText } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { integer, nullable, number, rawSql, shapeOf, sql, text } from '@spandrel/storage';
import { BoundedScan, isNarrow, keysOfTraces, tracesWith, type TraceFilters } from '@spandrel/tracing';

const MEASURED = shapeOf({ key: nullable(text()), count: integer(), mean: nullable(number()), passed: integer() });

/** A value at which a score passes, as a scorer of a run does unless it says otherwise. */
const PASS_VALUE = 0.5;

export interface MeasuredScores {
  name: string;
  /** When what the scores are about began, in milliseconds since the epoch; `until` is not in it. */
  range: { from: number; until: number };
  model: string | undefined;
  trace: TraceFilters;
  /** What one mean each is for; all together when left out. */
  groupBy: 'user' | 'model' | 'tag' | 'session' | undefined;
  /** Groups that come at most: those with most scores. */
  groupsMax: number;
}

/** What the scores of a range come to, exactly to the millisecond, from the index by names. */
@Injectable()
export class ScoreMeasures {
  constructor(private readonly scans: BoundedScan) {}

  /**
   * @returns count and mean of the scores that have a value, and how many of them pass, of all or of each group.
   * @throws DomainError `range_too_large`.
   */
  async read(scope: Scope, query: MeasuredScores) {
    const { name, range, model, trace, groupBy, groupsMax } = query;
    const names = [name, model, ...Object.values(trace)];
    if (names.some((one) => one !== undefined && !isStorableText(one))) return [];
    const { sessionId, ...others } = trace;
    const ofSession = sessionId === undefined || isNarrow(others) ? rawSql('') : sql` or c.session_id = ${sessionId}`;
    const ofTraces = isNarrow(trace) ? sql` and (c.trace_id in (${tracesWith(scope, trace)})${ofSession})` : rawSql('');
    const scores = sql`score c where c.project_id = ${scope.projectId} and c.name = ${name}
      and c.target_at >= ${range.from} and c.target_at < ${range.until} and c.value is not null
      ${model === undefined ? rawSql('') : sql` and c.model = ${model}`}${ofTraces}`;
    const keyed =
      groupBy === undefined || groupBy === 'model'
        ? sql`select ${rawSql(groupBy ? 'c.model' : 'cast(null as text)')} as name, c.value from ${scores}`
        : sql`select coalesce(${rawSql(groupBy === 'session' ? 's.session_id' : 'null')}, k.name) as name, s.value
            from (select c.trace_id, c.session_id, c.value from ${scores}) s
            left join (${keysOfTraces(scope, groupBy)}) k on k.trace_id = s.trace_id`;
    return this.scans.read(
      sql`select 1 as one from ${scores}`,
      MEASURED.query`select g.name as key, count(*) as count, avg(g.value) as mean,
          coalesce(sum(case when g.value >= ${PASS_VALUE} then 1 else 0 end), 0) as passed
        from (${keyed}) g where ${rawSql(groupBy ? 'g.name is not null' : '1 = 1')}
        group by g.name order by count(*) desc, g.name limit ${groupsMax}`,
      scope,
    );
  }
}
