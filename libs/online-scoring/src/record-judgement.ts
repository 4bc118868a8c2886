import { Injectable } from '@nestjs/common';
import { formatTimestamp, type ScorerResult, type ScoringAttempt } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { WriteScores, type RuleScore } from '@spandrel/scores';
import { fromJsonText, type WriteTx } from '@spandrel/storage';
import type { Target } from './find-target.js';
import { scoringTaskTable, TASK_STATE, type ScoringRuleRow, type ScoringTaskRow } from './scoring-rule.entity.js';
import { readBackfill, scoreIdOf } from './scoring-rule-resource.js';
import type { Counted } from './scoring-rule.store.js';
import { ScoringTaskStore } from './scoring-task.store.js';

/** Attempts that a task has, and the pause before the second, which grows by a factor. */
const ATTEMPTS_MAX = 5;
const FIRST_DELAY_MS = 1_000;
const DELAY_FACTOR = 4;

const ERROR_LENGTH_MAX = 2_000;

export type Outcome =
  /** There is nothing to judge: it is gone, filtered out, or has its score already. */
  | { type: 'dropped' }
  /** It is to be looked at then, in ms; this was no attempt. */
  | { type: 'put_off'; until: number }
  /** `given`: the score, masked as the error is; its name is that of the rule as it is by then. */
  | { type: 'judged'; result: ScorerResult; given: RuleScore | undefined };

/** A task as it was taken, with what came of it. */
export interface Ended {
  rule: ScoringRuleRow;
  task: ScoringTaskRow;
  outcome: Outcome;
}

/** Ends tasks, in one transaction with their scores, their counts and what they cost. */
@Injectable()
export class RecordJudgement {
  constructor(
    private readonly tasks: ScoringTaskStore,
    private readonly scores: WriteScores,
    private readonly masking: ProjectMasking,
  ) {}

  /**
   * Ends tasks of a locked rule, but for those that are another's by now.
   * @param counts what the transaction adds to those of the rule. @param now in ms.
   */
  async execute(
    tx: WriteTx,
    scope: Scope,
    rule: ScoringRuleRow,
    ended: readonly Ended[],
    { counts, now }: { counts: Counted; now: number },
  ): Promise<void> {
    Object.assign(counts, { cost: 0, matched: 0, sampled: 0, scored: 0, failed: 0 });
    if (ended.length === 0) return;
    for (const { task, outcome } of ended) {
      const cost = outcome.type === 'judged' ? (outcome.result.judge_cost ?? 0) : 0;
      counts.cost! += cost;
      pay(rule, task, cost);
    }
    // Nobody else takes or ends the tasks while the rule is locked; they may be noted again.
    const ids = ended.map(({ task }) => task.targetId);
    const before = await this.tasks.ofTargets(tx, rule, ids, false);
    // One that was noted and taken again meanwhile ends once, with what was judged of it last.
    const mine = ended.filter(({ task: { targetId, owner, notedAt } }) => {
      const row = before.get(targetId);
      const isMine = row?.owner === null || (row?.owner === owner && row.notedAt === notedAt);
      return isMine && before.delete(targetId);
    });
    const errors = await this.putScores(tx, scope, rule, mine, now);
    const left = await this.tasks.ofTargets(tx, rule, ids, true);
    const [kept, gone]: [ScoringTaskRow[], string[]] = [[], []];
    for (const each of mine) {
      const { task, outcome } = each;
      const row = left.get(task.targetId);
      if (!row) continue;
      const isNotedAgain = row.owner === null;
      const end = (changed: Partial<ScoringTaskRow>): void => {
        if (!isNotedAgain) kept.push(Object.assign(row, { owner: null }, changed));
      };
      if (outcome.type === 'put_off') {
        end({ dueAt: outcome.until });
        continue;
      }
      if (outcome.type === 'judged' && task.isCounted === 0) {
        counts.matched!++;
        counts.sampled!++;
      }
      const error = errors.get(each);
      if (error === undefined) {
        if (!isNotedAgain) gone.push(task.targetId);
        if (outcome.type === 'dropped') continue;
        rule.scoredCount++;
        rule.scoredAt = now;
        counts.scored!++;
        continue;
      }
      rule.lastError = error.message;
      if (isNotedAgain) continue;
      const failures = row.failures + 1;
      const attempts = attemptsWith(row, error.message, now);
      const isLast = failures >= ATTEMPTS_MAX || error.isFinal;
      const dueAt = isLast ? row.dueAt : now + FIRST_DELAY_MS * DELAY_FACTOR ** (failures - 1);
      end({ failures, attempts, isCounted: 1, dueAt, ...(isLast && { state: TASK_STATE.failed }) });
      if (!isLast) continue;
      rule.failedCount++;
      counts.failed!++;
    }
    await this.tasks.delete(tx, rule, gone);
    await tx.update(scoringTaskTable, kept);
  }

  /** @returns why there is no score of some; `isFinal` where another attempt would come to the same. */
  private async putScores(
    tx: WriteTx,
    scope: Scope,
    rule: ScoringRuleRow,
    ended: readonly Ended[],
    now: number,
  ): Promise<Map<Ended, { message: string; isFinal: boolean }>> {
    const errors = new Map<Ended, { message: string; isFinal: boolean }>();
    const given = new Map<RuleScore, Ended>();
    for (const each of ended) {
      if (each.outcome.type !== 'judged') continue;
      const { result, given: score } = each.outcome;
      if (result.error !== null) errors.set(each, { message: result.error.slice(0, ERROR_LENGTH_MAX), isFinal: false });
      else if (!score) errors.set(each, { message: `${rule.scoring} gave no score`, isFinal: true });
      else {
        const metadata = { ...score.metadata, selected_by: rule.trigger === 'score' ? 'score' : 'random' };
        given.set({ ...score, name: rule.scoreName, metadata }, each);
      }
    }
    for (const [score, { message }] of await this.scores.putOfRule(tx, scope, [...given.keys()], now))
      errors.set(given.get(score)!, { message, isFinal: true });
    return errors;
  }

  /** What a judgement says as a score of its rule, masked; `undefined` where it is none. */
  async scoreOf(
    scope: Scope,
    { ruleId, targetId }: ScoringTaskRow,
    result: ScorerResult,
    { target, traces }: Target,
  ): Promise<RuleScore | undefined> {
    if (result.score === null) return undefined;
    const given: RuleScore = {
      ...{ id: scoreIdOf(ruleId, targetId), ruleId, name: '', author: `rule:${ruleId}`, value: result.score },
      ...(target === 'session' ? { session_id: targetId } : { trace_id: traces[0]!.id }),
      ...(target === 'span' && { span_id: targetId }),
      comment: result.reason?.slice(0, COMMENT_LENGTH_MAX) || null,
      source: result.judge_model === null ? 'code' : 'judge',
      metadata: {
        ...(result.judge_model !== null && {
          model: result.judge_model,
          cost_usd: result.judge_cost,
          tokens: result.judge_tokens,
        }),
        ...(result.judge_prompt_hash !== null && { prompt_hash: result.judge_prompt_hash }),
      },
    };
    return (await this.scores.masked(scope, [given]))[0]!;
  }

  /** Why there is no score, masked: it may quote what a judge said. */
  async errorOf(scope: Scope, { error }: ScorerResult): Promise<string | null> {
    const masking = await this.masking.of(scope);
    return masking ? masking.run((calls) => calls.text(error, 'error')) : error;
  }
}

const COMMENT_LENGTH_MAX = 10_000;

/** The attempts of a task that failed, with one more. */
function attemptsWith({ attempts }: ScoringTaskRow, error: string, now: number): string {
  const status = /\bHTTP (\d{3}) from/.exec(error)?.[1];
  const attempt = { at: formatTimestamp(now), error, status: status === undefined ? null : Number(status) };
  return JSON.stringify([...(fromJsonText(attempts) as ScoringAttempt[]), attempt].slice(-ATTEMPTS_MAX));
}

/** Adds what a judgement cost to what is known of the rule's costs. */
function pay(rule: ScoringRuleRow, task: ScoringTaskRow, cost: number): void {
  if (cost <= 0) return;
  rule.dearest = Math.max(cost, rule.dearest ?? 0);
  const backfill = readBackfill(rule);
  if (task.isBackfill === 0 || !backfill) return;
  rule.backfill = JSON.stringify({ ...backfill, spent_usd: backfill.spent_usd + cost });
}
