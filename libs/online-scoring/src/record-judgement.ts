import { Injectable } from '@nestjs/common';
import { formatTimestamp, type ScorerResult, type ScoringAttempt } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { WriteScores, type RuleScore } from '@spandrel/scores';
import { fromJsonText, Storage, type WriteTx } from '@spandrel/storage';
import type { Target } from './find-target.js';
import { TASK_STATE, type ScoringRuleRow, type ScoringTaskRow } from './scoring-rule.entity.js';
import { readBackfill, scoreIdOf } from './scoring-rule-resource.js';
import { ScoringRuleStore, type Counted } from './scoring-rule.store.js';
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
  | { type: 'judged'; result: ScorerResult; target: Target };

/** Ends tasks, each in one transaction with its score, its counts and what it cost. */
@Injectable()
export class RecordJudgement {
  constructor(
    private readonly storage: Storage,
    private readonly rules: ScoringRuleStore,
    private readonly tasks: ScoringTaskStore,
    private readonly scores: WriteScores,
  ) {}

  /**
   * @param task as it was taken. @param now in ms.
   * @returns what it came to; nothing where the task is another's by now, or the rule is gone.
   */
  async execute(scope: Scope, task: ScoringTaskRow, outcome: Outcome, now: number): Promise<keyof Counted | undefined> {
    const given = outcome.type === 'judged' ? await this.scoreOf(scope, task, outcome) : undefined;
    return this.storage.write(async (tx) => {
      const rule = await this.rules.findForWrite(tx, scope, task.ruleId);
      if (!rule) return undefined;
      const cost = outcome.type === 'judged' ? (outcome.result.judge_cost ?? 0) : 0;
      const counts: Counted = { cost };
      this.rules.count(tx, scope, new Map([[rule.id, counts]]), now);
      pay(rule, task, cost);
      // Nobody else takes or ends the task while the rule is locked; it may be noted again.
      const [before] = await this.tasks.peek(tx, task);
      if (!before || (before.owner !== null && before.owner !== task.owner)) return undefined;
      const error =
        outcome.type === 'judged' ? await this.putScore(tx, scope, rule, given, outcome.result, now) : undefined;
      const left = (await this.tasks.findForWrite(tx, task))!;
      const isNotedAgain = left.owner === null;
      if (outcome.type === 'put_off') {
        if (!isNotedAgain) Object.assign(left, { owner: null, dueAt: outcome.until });
        return undefined;
      }
      if (outcome.type === 'judged' && task.isCounted === 0) Object.assign(counts, { matched: 1, sampled: 1 });
      if (error === undefined) {
        if (!isNotedAgain) tx.em.remove(left);
        if (outcome.type === 'dropped') return undefined;
        rule.scoredCount++;
        rule.scoredAt = now;
        counts.scored = 1;
        return 'scored';
      }
      rule.lastError = error.message;
      if (isNotedAgain) return undefined;
      const status = /\bHTTP (\d{3}) from/.exec(error.message)?.[1];
      const attempt: ScoringAttempt = {
        at: formatTimestamp(now),
        error: error.message,
        status: status === undefined ? null : Number(status),
      };
      const failures = left.failures + 1;
      const attempts = JSON.stringify(
        [...(fromJsonText(left.attempts) as ScoringAttempt[]), attempt].slice(-ATTEMPTS_MAX),
      );
      Object.assign(left, { failures, attempts, owner: null, isCounted: 1 });
      if (failures < ATTEMPTS_MAX && !error.isFinal) {
        left.dueAt = now + FIRST_DELAY_MS * DELAY_FACTOR ** (failures - 1);
        return undefined;
      }
      left.state = TASK_STATE.failed;
      rule.failedCount++;
      counts.failed = 1;
      return 'failed';
    });
  }

  /** @returns why there is no score; `isFinal` where another attempt would come to the same. */
  private async putScore(
    tx: WriteTx,
    scope: Scope,
    rule: ScoringRuleRow,
    given: RuleScore | undefined,
    result: ScorerResult,
    now: number,
  ): Promise<{ message: string; isFinal: boolean } | undefined> {
    if (result.error !== null) return { message: result.error.slice(0, ERROR_LENGTH_MAX), isFinal: false };
    if (!given) return { message: `${rule.scoring} gave no score`, isFinal: true };
    const metadata = { ...given.metadata, selected_by: rule.trigger === 'score' ? 'score' : 'random' };
    const refusal = await this.scores.putOfRule(tx, scope, { ...given, name: rule.scoreName, metadata }, now);
    return refusal && { message: refusal.message, isFinal: true };
  }

  private async scoreOf(
    scope: Scope,
    { ruleId, targetId }: ScoringTaskRow,
    { result, target: { target, traces } }: Outcome & { type: 'judged' },
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
}

const COMMENT_LENGTH_MAX = 10_000;

/** Adds what a judgement cost to what is known of the rule's costs. */
function pay(rule: ScoringRuleRow, task: ScoringTaskRow, cost: number): void {
  if (cost <= 0) return;
  rule.dearest = Math.max(cost, rule.dearest ?? 0);
  const backfill = readBackfill(rule);
  if (task.isBackfill === 0 || !backfill) return;
  rule.backfill = JSON.stringify({ ...backfill, spent_usd: backfill.spent_usd + cost });
}
