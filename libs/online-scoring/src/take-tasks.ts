import { Injectable } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import { scoringTaskTable, TASK_STATE, type ScoringRuleRow, type ScoringTaskRow } from './scoring-rule.entity.js';
import { readBackfill } from './scoring-rule-resource.js';
import { ScoringRuleStore, type Counted } from './scoring-rule.store.js';
import { ScoringTaskStore } from './scoring-task.store.js';

/** For how long a task is its owner's, unless he renews it. */
export const LEASE_MS = 20_000;
/** A task that waits for longer, once its target was quiet, is passed over: what a rule cannot keep up with would pile up without end. */
const WAIT_MS_MAX = 86_400_000;
/** When a task is looked at again that waits for room in a budget. */
const ROOM_MS = 1_000;
/** Tasks that are passed over at once where nothing is left of the day's budget. */
const SKIPPED_AT_ONCE = 500;

/** Takes tasks of rules for a process (docs/spec/online-scoring.md#budgets). */
@Injectable()
export class TakeTasks {
  constructor(
    private readonly rules: ScoringRuleStore,
    private readonly tasks: ScoringTaskStore,
  ) {}

  /**
   * Takes up to so many tasks of a locked rule that are due, as far as its budgets reach; those without any left are passed over.
   * @param counts what the transaction adds to those of the rule. @param now in ms. @returns copies of the tasks.
   */
  async execute(
    tx: WriteTx,
    rule: ScoringRuleRow,
    { owner, limit, counts, now }: { owner: string; limit: number; counts: Counted; now: number },
  ): Promise<ScoringTaskRow[]> {
    if (rule.enabled === 0 || limit <= 0) return [];
    let underWay = await this.tasks.countUnderWay(tx, rule, now);
    const spent = rule.dailyCap === null ? 0 : await this.rules.spentToday(tx, rule, now);
    const today = { cap: rule.dailyCap, spent: spent + (counts.cost ?? 0) };
    const isSpent = decideByBudget(today, rule.dearest, underWay) === 'stop';
    const due = await this.tasks.dueForWrite(tx, rule, now, isSpent ? SKIPPED_AT_ONCE : limit);
    const backfill = readBackfill(rule);
    const taken: ScoringTaskRow[] = [];
    const skipped = { budget: 0, overload: 0 };
    for (const task of due) {
      const caps =
        task.isBackfill && backfill ? [today, { cap: backfill.max_cost_usd, spent: backfill.spent_usd }] : [today];
      const decisions = caps.map((cap) => decideByBudget(cap, rule.dearest, underWay));
      if (now - task.notedAt > rule.quietMs + WAIT_MS_MAX) {
        task.state = TASK_STATE.overload;
        skipped.overload++;
      } else if (decisions.includes('stop')) {
        task.state = TASK_STATE.budget;
        skipped.budget++;
        if (backfill && decisions[1] === 'stop') backfill.status = 'stopped';
      } else if (decisions.includes('wait')) {
        task.dueAt = now + ROOM_MS;
      } else {
        Object.assign(task, { owner, dueAt: now + LEASE_MS });
        taken.push({ ...task });
        underWay++;
      }
    }
    await tx.update(scoringTaskTable, due);
    if (backfill?.status === 'stopped') rule.backfill = JSON.stringify(backfill);
    rule.skippedCount += skipped.budget + skipped.overload;
    Object.assign(counts, skipped);
    return taken;
  }
}

/**
 * Whether a judgement may begin: what was spent, and the dearest so far for each that is under way and for this one, must not be
 * above the budget. Until a cost is known they go one at a time.
 */
export function decideByBudget(
  { cap, spent }: { cap: number | null; spent: number },
  dearest: number | null,
  underWay: number,
): 'begin' | 'wait' | 'stop' {
  if (cap === null) return 'begin';
  if (spent >= cap) return 'stop';
  if (dearest === null) return underWay === 0 ? 'begin' : 'wait';
  // Sums of doubles are off by less than a billionth: three times 0.1 fit into 0.3.
  if (Number((spent + (underWay + 1) * dearest).toFixed(9)) <= cap) return 'begin';
  return underWay > 0 ? 'wait' : 'stop';
}
