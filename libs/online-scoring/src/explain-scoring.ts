import { Inject, Injectable } from '@nestjs/common';
import {
  formatTimestamp,
  isInSample,
  sampleHash,
  type ScoringAttempt,
  type ScoringExplanation,
  type ScoringTarget,
  type ScoringTargetIds,
  type ScoringTest,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { ScoreStore } from '@spandrel/scores';
import { fromJsonText } from '@spandrel/storage';
import { findPrice, PRICING, type PricingTable } from '@spandrel/tracing';
import { FindTarget, type Target } from './find-target.js';
import { JudgeTarget } from './judge-target.js';
import { TASK_STATE, type ScoringRuleRow, type ScoringTaskRow } from './scoring-rule.entity.js';
import { cohortOf, readFilters, scoreIdOf } from './scoring-rule-resource.js';
import { ScoringRuleStore } from './scoring-rule.store.js';
import { ScoringTaskStore } from './scoring-task.store.js';

const ENDED = {
  [TASK_STATE.failed]: 'failed',
  [TASK_STATE.budget]: 'budget',
  [TASK_STATE.overload]: 'overload',
} as const;

/** Says why a rule scored something or not, and what it would say (docs/spec/online-scoring.md#why-something-was-not-scored). */
@Injectable()
export class ExplainScoring {
  constructor(
    private readonly rules: ScoringRuleStore,
    private readonly tasks: ScoringTaskStore,
    private readonly targets: FindTarget,
    private readonly scores: ScoreStore,
    private readonly judge: JudgeTarget,
    @Inject(PRICING) private readonly pricing: PricingTable,
  ) {}

  /** Decides once more: nothing is stored for what was not chosen. @throws NotFound for the rule and for what it is asked about. */
  async explain(scope: Scope, ruleId: string, ids: ScoringTargetIds): Promise<ScoringExplanation> {
    const rule = await this.rules.get(scope, ruleId);
    const target = await this.targets.resolve(scope, rule.target as ScoringTarget, ids);
    const hash = sampleHash(cohortOf(rule), target.sampledBy);
    const task = await this.tasks.find(rule, target.id);
    const score = await this.scores.find(scope, scoreIdOf(rule.id, target.id));
    const failed = score ? undefined : await this.targets.findFailedFilter(scope, readFilters(rule), target);
    const decision = score ? 'scored' : this.decide(rule, target, task, { failed, hash });
    const isWaiting = task?.state === TASK_STATE.waiting && task.owner === null;
    return {
      decision,
      failed_filter: decision === 'filtered' ? (failed ?? 'on_score') : null,
      hash,
      sample_rate: rule.sampleRate,
      since: formatTimestamp(rule.decidesSince),
      attempts: task ? (fromJsonText(task.attempts) as ScoringAttempt[]) : [],
      next_try_at: isWaiting && rule.enabled === 1 ? formatTimestamp(task.dueAt) : null,
      score_id: score?.id ?? null,
    };
  }

  /** Has the rule judge something at once; nothing is stored. @throws as {@link explain}. */
  async test(scope: Scope, ruleId: string, ids: ScoringTargetIds): Promise<ScoringTest> {
    const rule = await this.rules.get(scope, ruleId);
    const target = await this.targets.resolve(scope, rule.target as ScoringTarget, ids);
    const { result, calls } = await this.judge.execute(scope, rule, target, new AbortController().signal);
    const last = calls.at(-1);
    const { score, reason, error } = result;
    return {
      prompt: last?.call.messages.map(({ role, content }) => ({ role, content })) ?? null,
      answer: last && 'text' in last.outcome ? last.outcome.text : null,
      score: error === null ? { value: score, comment: reason } : null,
      error,
      ...{ model: result.judge_model, tokens: result.judge_tokens, cost: result.judge_cost },
    };
  }

  private decide(
    rule: ScoringRuleRow,
    { isRunning, endedAt, target }: Target,
    task: ScoringTaskRow | null,
    { failed, hash }: { failed: string | undefined; hash: string },
  ): ScoringExplanation['decision'] {
    if (task && task.state !== TASK_STATE.waiting) return ENDED[task.state as keyof typeof ENDED];
    if (rule.enabled === 0) return 'disabled';
    if (isRunning) return 'not_ended';
    if (failed !== undefined) return 'filtered';
    if (!isInSample(hash, rule.sampleRate)) return 'sampled_out';
    if (rule.dailyCap !== null && rule.judgeModel !== null && !findPrice(this.pricing, rule.judgeModel))
      return 'unpriced';
    if (task)
      return target !== 'span' && task.failures === 0 && task.dueAt > Date.now() && task.owner === null
        ? 'not_ended'
        : 'pending';
    if (rule.trigger === 'score') return 'filtered';
    // It ended before the rule decided so, or came back from an export: a backfill takes it.
    return endedAt < rule.decidesSince ? 'disabled' : 'pending';
  }
}
