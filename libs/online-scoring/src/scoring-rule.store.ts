import { Injectable } from '@nestjs/common';
import { spanMatcher } from '@spandrel/datasets';
import { NotFound, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  dayStart,
  deleteRows,
  dayOf,
  integer,
  joinSql,
  number,
  ProjectRows,
  rawSql,
  shapeOf,
  sql,
  Storage,
  type WriteTx,
} from '@spandrel/storage';
import {
  ScoringRule,
  scoringHourTable,
  scoringRuleTable,
  TASK_STATE,
  type ScoringHourRow,
  type ScoringRuleRow,
} from './scoring-rule.entity.js';
import { readFilters } from './scoring-rule-resource.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const COLUMNS = scoringRuleTable.select('r');
const HOURS = scoringHourTable.select('h');
const STALLED = shapeOf({ stalled: integer(), rules: integer() });
const SPENT = shapeOf({ spent: number() });
const COUNTS = ['matched', 'sampled', 'scored', 'failed', 'budget', 'overload', 'cost'] as const;

export type Counted = Partial<Record<(typeof COUNTS)[number], number>>;

export const scoringRuleNotFound = (): NotFound =>
  new NotFound('scoring_rule_not_found', 'there is no scoring rule with this id');

/** Rows of scoring rules, and what they did hour by hour. Who works on a rule's tasks locks it first. */
@Injectable()
export class ScoringRuleStore extends ProjectRows<ScoringRuleRow> {
  constructor(storage: Storage) {
    super(storage, {
      ...{ entity: ScoringRule, table: scoringRuleTable, list: 'scoring_rules', notFound: scoringRuleNotFound },
      size: rawSql('coalesce(octet_length(r.scoring_config), 0) + coalesce(octet_length(r.judge), 0)'),
    });
  }

  /** The enabled rules with a trigger; locks none, so that the end of a span waits for nobody. */
  async enabled(tx: WriteTx, { projectId }: Scope, trigger: 'ended' | 'score') {
    const rows = await tx.all(
      COLUMNS.query`select ${COLUMNS} from scoring_rule r
        where r.project_id = ${projectId} and r.enabled = 1 and r.trigger = ${trigger}`,
    );
    return rows.map((rule) => ({ ...rule, matches: spanMatcher(readFilters(rule)) }));
  }

  /** Enabled rules of all projects that have something to do now. @param now in ms. */
  busy(now: number): Promise<ScoringRuleRow[]> {
    return this.storage.read(
      COLUMNS.query`select ${COLUMNS} from scoring_rule r where r.enabled = 1 and exists (select 1 from scoring_task k
        where k.project_id = r.project_id and k.rule_id = r.id and k.state = ${TASK_STATE.waiting} and k.due_at <= ${now})`,
    );
  }

  /** Rules of all projects with a backfill that may go on. */
  backfilling(): Promise<ScoringRuleRow[]> {
    return this.storage.read(
      COLUMNS.query`select ${COLUMNS} from scoring_rule r
        where r.enabled = 1 and r.backfill like ${'%"status":"running"%'}`,
    );
  }

  /** How many enabled rules a project has, and how many of them do not get on, see `ScoringRulesPort.countStalled`. */
  async countStalled(scope: Scope, dueBy: number) {
    const [row] = await this.storage.readLong(
      STALLED.query`select count(*) as rules, coalesce(sum(case when r.decides_since <= ${dueBy} and exists (
            select 1 from scoring_task k where k.project_id = r.project_id and k.rule_id = r.id
              and k.noted_at + r.quiet_ms <= ${dueBy} and k.noted_at + r.quiet_ms > coalesce(r.scored_at, 0)
              and (k.owner is not null or k.failures > 0 or k.due_at <= ${dueBy})
              and (k.state = ${TASK_STATE.waiting} or k.noted_at > ${dueBy - DAY_MS}))
          then 1 else 0 end), 0) as stalled
        from scoring_rule r where r.project_id = ${scope.projectId} and r.enabled = 1`,
      scope,
    );
    return row!;
  }

  async countConnections(): Promise<number> {
    const [row] = await this.storage.read(
      SPENT.query`select 0.0 + count(distinct r.project_id || ' ' || coalesce(r.connection_id, '')) as spent
        from scoring_rule r where r.enabled = 1`,
    );
    return row!.spent;
  }

  async insert(tx: WriteTx, rule: ScoringRuleRow): Promise<void> {
    await tx.em.insert(ScoringRule, rule);
  }

  /** Deletes a locked rule with its tasks; its scores stay. */
  async delete(tx: WriteTx, rule: ScoringRuleRow): Promise<void> {
    for (const table of ['scoring_task', 'scoring_hour']) {
      await deleteRows(tx, table, sql`project_id = ${rule.projectId} and rule_id = ${rule.id}`);
    }
    tx.em.remove(rule);
  }

  /** Adds to what rules did in this hour, as the last of the transaction: all writers share these rows. */
  count(tx: WriteTx, { projectId }: Scope, counted: ReadonlyMap<string, Counted>, now: number): void {
    const rows = [...counted].filter(([, counts]) => Object.values(counts).some((count) => count > 0));
    const hour = now - (now % HOUR_MS);
    const columns = rawSql(COUNTS.join(', '));
    const added = joinSql(
      COUNTS.map((column) => rawSql(`${column} = h.${column} + excluded.${column}`)),
      ', ',
    );
    tx.end.beforeCommit(async () => {
      for (const [ruleId, counts] of rows.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const values = joinSql(
          COUNTS.map((column) => sql`${counts[column] ?? 0}`),
          ', ',
        );
        await tx.run(sql`insert into scoring_hour as h (project_id, rule_id, hour, ${columns})
          values (${projectId}, ${ruleId}, ${hour}, ${values})
          on conflict (project_id, rule_id, hour) do update set ${added}`);
      }
    });
  }

  /** What a rule spent since midnight UTC, in dollars. */
  async spentToday(tx: WriteTx, { projectId, id }: ScoringRuleRow, now: number): Promise<number> {
    const [row] = await tx.all(
      SPENT.query`select coalesce(sum(h.cost), 0.0) as spent from scoring_hour h
        where h.project_id = ${projectId} and h.rule_id = ${id} and h.hour >= ${dayStart(dayOf(now))}`,
    );
    return row!.spent;
  }

  /** What rules did since an hour, oldest first. */
  hours(scope: Scope, ids: readonly string[], since: number): Promise<ScoringHourRow[]> {
    return this.storage.readLong(
      HOURS.query`select ${HOURS} from scoring_hour h
        where h.project_id = ${scope.projectId} and ${anyOf('h.rule_id', ids)} and h.hour >= ${since} order by h.hour`,
      scope,
    );
  }
}
