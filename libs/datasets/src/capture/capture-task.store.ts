import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { anyOf, integer, joinSql, rawSql, shapeOf, sql, Storage, type Sql, type WriteTx } from '@spandrel/storage';
import { type CaptureRow, type CaptureTaskRow, captureTable, captureTaskTable } from './capture-rule.entity.js';

/** Rows one statement writes: few numbers, so that statements are prepared once. */
const ROWS_PER_STATEMENT = [128, 16, 4, 1] as const;
/** Rows between two turns of the event loop. */
const ROWS_PER_TURN = 1_280;

const COLUMNS = captureTaskTable.select('k');
const CAPTURED = captureTable.select('c', ['ruleId', 'spanId']);
const COUNT = shapeOf({ count: integer() });

type RuleAndSpan = Pick<CaptureTaskRow, 'ruleId' | 'spanId'>;

/** Rule and span as one text; neither id has a space. */
export const keyOf = ({ ruleId, spanId }: RuleAndSpan): string => `${ruleId} ${spanId}`;

/** Rows of exactly these rules and spans; by the key's own columns first, so that its index serves. */
function areOf(alias: string, scope: Scope, tasks: readonly RuleAndSpan[]): Sql {
  const [projectId, ruleId, spanId] = ['project_id', 'rule_id', 'span_id'].map((column) => `${alias}.${column}`);
  const ruleIds = [...new Set(tasks.map((task) => task.ruleId))];
  const spanIds = [...new Set(tasks.map((task) => task.spanId))];
  return sql`${rawSql(projectId!)} = ${scope.projectId} and ${anyOf(ruleId!, ruleIds)} and ${anyOf(spanId!, spanIds)}
    and ${anyOf(`${ruleId!} || ' ' || ${spanId!}`, tasks.map(keyOf))}`;
}

/** Rows of capture tasks and of captures. Those of a rule change while it is locked; new tasks come at any time. */
@Injectable()
export class CaptureTaskStore {
  constructor(private readonly storage: Storage) {}

  /**
   * Notes which rule takes which span, unless that is noted already: a span that was deleted may have come again.
   * @returns how many tasks were made.
   */
  async add(tx: WriteTx, scope: Scope, tasks: readonly RuleAndSpan[], now: number): Promise<number> {
    let made = 0;
    for (let at = 0; at < tasks.length;) {
      const size = ROWS_PER_STATEMENT.find((rows) => rows <= tasks.length - at)!;
      const rows = tasks
        .slice(at, at + size)
        .map(({ ruleId, spanId }) => sql`(${scope.projectId}, ${ruleId}, ${spanId}, 0, ${now})`);
      made += await tx.run(
        sql`insert into capture_task (project_id, rule_id, span_id, failures, due_at)
          values ${joinSql(rows, ', ')} on conflict do nothing`,
      );
      at += size;
      if (at % ROWS_PER_TURN === 0) await nextTurn();
    }
    return made;
  }

  /** The tasks that may be tried, of all projects, those that have waited longest first. */
  due(now: number, limit: number): Promise<CaptureTaskRow[]> {
    return this.storage.read(
      COLUMNS.query`select ${COLUMNS} from capture_task k where k.due_at <= ${now} order by k.due_at limit ${limit}`,
    );
  }

  async count(): Promise<number> {
    const [row] = await this.storage.readLong(COUNT.query`select count(*) as count from capture_task`);
    return row!.count;
  }

  /** The tasks that still exist, as they are now. */
  findSome(tx: WriteTx, scope: Scope, tasks: readonly RuleAndSpan[]): Promise<CaptureTaskRow[]> {
    return tx.all(COLUMNS.query`select ${COLUMNS} from capture_task k where ${areOf('k', scope, tasks)}`);
  }

  async delete(tx: WriteTx, scope: Scope, tasks: readonly RuleAndSpan[]): Promise<void> {
    if (tasks.length > 0) await tx.run(sql`delete from capture_task as k where ${areOf('k', scope, tasks)}`);
  }

  async putOff(
    tx: WriteTx,
    { projectId, ruleId, spanId }: CaptureTaskRow,
    failures: number,
    dueAt: number,
  ): Promise<void> {
    await tx.run(
      sql`update capture_task set failures = ${failures}, due_at = ${dueAt}
        where project_id = ${projectId} and rule_id = ${ruleId} and span_id = ${spanId}`,
    );
  }

  /** Keys of those of the tasks whose rule has captured their span. */
  async captured(tx: WriteTx, scope: Scope, tasks: readonly RuleAndSpan[]): Promise<Set<string>> {
    if (tasks.length === 0) return new Set();
    const rows = await tx.all(CAPTURED.query`select ${CAPTURED} from capture c where ${areOf('c', scope, tasks)}`);
    return new Set(rows.map(keyOf));
  }

  addCaptures(tx: WriteTx, captures: readonly CaptureRow[]): Promise<void> {
    return tx.insert(captureTable, captures);
  }
}
