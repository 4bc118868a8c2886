import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  deleteRows,
  forUpdateInOrder,
  integer,
  nullable,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  text,
  type WriteTx,
} from '@spandrel/storage';
import {
  ScoringTask,
  scoringTaskTable,
  TASK_STATE,
  type ScoringRuleRow,
  type ScoringTaskRow,
} from './scoring-rule.entity.js';

const ID = shapeOf({ id: text() });
const COLUMNS = scoringTaskTable.select('k');
const COUNT = shapeOf({ count: integer() });
const WAITING = shapeOf({
  ruleId: text(),
  count: integer(),
  notedAt: nullable(integer()),
  dueAt: nullable(integer()),
});

/** The ends of tasks that came to nothing, and what rules did by hours, are kept for so long. */
const KEPT_MS = { tasks: 30 * 86_400_000, hours: 2 * 86_400_000 };

export type NewTask = Pick<ScoringTaskRow, 'ruleId' | 'targetId' | 'dueAt' | 'isCounted'>;

/** Tasks in the order in which they are locked. */
const inOrder = <Task extends NewTask>(tasks: readonly Task[]): Task[] =>
  tasks.toSorted((a, b) => (a.ruleId + a.targetId < b.ruleId + b.targetId ? -1 : 1));

/** Rows of scoring tasks. Somebody works on those of a rule while he has it locked; new ones come at any time. */
@Injectable()
export class ScoringTaskStore {
  constructor(private readonly storage: Storage) {}

  /**
   * Notes what is to be judged. What is noted already begins again where `again`: it went on.
   * @returns how many were made or changed.
   */
  async add(
    tx: WriteTx,
    { projectId }: Scope,
    tasks: readonly NewTask[],
    { now, again, isBackfill = false }: { now: number; again: boolean; isBackfill?: boolean },
  ): Promise<number> {
    if (tasks.length === 0) return 0;
    const sorted = inOrder(tasks);
    const columns = {
      rule_id: { type: 'text', values: sorted.map(({ ruleId }) => ruleId) },
      target_id: { type: 'text', values: sorted.map(({ targetId }) => targetId) },
      due_at: { type: 'number', values: sorted.map(({ dueAt }) => dueAt) },
      is_counted: { type: 'number', values: sorted.map(({ isCounted }) => isCounted) },
    } as const;
    const otherwise = again
      ? sql`(project_id, rule_id, target_id) do update set state = excluded.state, owner = null, failures = 0,
          attempts = '[]', noted_at = excluded.noted_at, due_at = excluded.due_at, is_counted = 0, is_backfill = 0`
      : sql`do nothing`;
    return tx.run(sql`insert into scoring_task (project_id, rule_id, target_id, state, owner, failures, attempts,
        noted_at, due_at, is_backfill, is_counted)
      select ${projectId}, t.rule_id, t.target_id, ${TASK_STATE.waiting}, null, 0, '[]', ${now}, t.due_at,
        ${Number(isBackfill)}, t.is_counted from ${rowsFrom('t', columns)} where true on conflict ${otherwise}`);
  }

  find({ projectId, id: ruleId }: ScoringRuleRow, targetId: string): Promise<ScoringTaskRow | null> {
    return this.storage.find((em) => em.findOne(ScoringTask, { projectId, ruleId, targetId }));
  }

  /** Tasks of a locked rule by their targets; `isLocked`: locked in this order, to be written. */
  async ofTargets(tx: WriteTx, { projectId, id }: ScoringRuleRow, targetIds: readonly string[], isLocked: boolean) {
    const found = await tx.all(
      COLUMNS.query`select ${COLUMNS} from scoring_task k where k.project_id = ${projectId} and k.rule_id = ${id}
        and ${anyOf('k.target_id', targetIds)}${isLocked ? forUpdateInOrder('k', 'target_id') : sql``}`,
    );
    return new Map(found.map((task) => [task.targetId, task]));
  }

  /** Tasks of a locked rule that may be tried, those that have waited longest, locked. */
  async dueForWrite(tx: WriteTx, rule: ScoringRuleRow, now: number, limit: number): Promise<ScoringTaskRow[]> {
    const due = await tx.all(
      ID.query`select k.target_id as id from scoring_task k where k.project_id = ${rule.projectId} and k.rule_id = ${rule.id}
        and k.state = ${TASK_STATE.waiting} and k.due_at <= ${now} order by k.due_at limit ${limit}`,
    );
    const ids = due.map(({ id }) => id);
    const tasks = ids.length === 0 ? [] : [...(await this.ofTargets(tx, rule, ids, true)).values()];
    return tasks.filter(({ state, dueAt }) => state === TASK_STATE.waiting && dueAt <= now);
  }

  async delete(tx: WriteTx, { projectId, id }: ScoringRuleRow, targetIds: readonly string[]): Promise<void> {
    if (targetIds.length === 0) return;
    await tx.run(sql`delete from scoring_task
      where project_id = ${projectId} and rule_id = ${id} and ${anyOf('target_id', targetIds)}`);
  }

  /** How many tasks of a rule somebody works on. */
  async countUnderWay(tx: WriteTx, { projectId, id }: ScoringRuleRow, now: number): Promise<number> {
    const [row] = await tx.all(
      COUNT.query`select count(*) as count from scoring_task k where k.project_id = ${projectId} and k.rule_id = ${id}
        and k.state = ${TASK_STATE.waiting} and k.due_at > ${now} and k.owner is not null`,
    );
    return row!.count;
  }

  /** Keeps tasks for their owner until then. @param dueAt in ms. */
  async renew(tasks: readonly ScoringTaskRow[], owner: string, dueAt: number): Promise<void> {
    if (tasks.length === 0) return;
    await this.storage.write(async (tx) => {
      for (const { projectId, ruleId, targetId } of inOrder(tasks)) {
        await tx.em.nativeUpdate(ScoringTask, { projectId, ruleId, targetId, owner }, { dueAt });
      }
    });
  }

  /** How many tasks of rules wait, and since when. */
  waiting(scope: Scope, ruleIds: readonly string[]) {
    return this.storage.readLong(
      WAITING.query`select k.rule_id as "ruleId", count(*) as count, min(k.noted_at) as "notedAt", min(k.due_at) as "dueAt"
        from scoring_task k where k.project_id = ${scope.projectId} and ${anyOf('k.rule_id', ruleIds)}
          and k.state = ${TASK_STATE.waiting} group by k.rule_id`,
      scope,
    );
  }

  async countWaiting(): Promise<number> {
    const [row] = await this.storage.readLong(
      COUNT.query`select count(*) as count from scoring_task k where k.state = ${TASK_STATE.waiting}`,
    );
    return row!.count;
  }

  /** Deletes what is kept for a while alone. @param now in ms. */
  async prune(now: number): Promise<void> {
    await this.storage.write(async (tx) => {
      const old = now - KEPT_MS.tasks;
      await deleteRows(tx, 'scoring_task', sql`state > ${TASK_STATE.waiting} and noted_at < ${old}`);
      await deleteRows(tx, 'scoring_hour', sql`hour < ${now - KEPT_MS.hours}`);
    });
  }
}
