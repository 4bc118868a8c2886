import { Inject, Injectable } from '@nestjs/common';
import { getOrMake, type RunScorer, type ScorerResult } from '@spandrel/contract';
import { ConnectionUnusable } from '@spandrel/connections';
import { NO_SCORE, PrepareRun, RunCalls, RunFailure, scoreSample, type ObservedCall } from '@spandrel/evals';
import { letOthersRun, Permits, type Scope } from '@spandrel/kernel';
import { fromJsonText } from '@spandrel/storage';
import { PRICING, type PricingTable } from '@spandrel/tracing';
import { FindTarget, type Target } from './find-target.js';
import { ScoringSettings } from './online-scoring.settings.js';
import type { ScoringRuleRow } from './scoring-rule.entity.js';

/** The pause before a call is made once more, and how many calls a judgement may last altogether. */
const RETRY_MS = 2_000;
const CALLS_MAX = 3;

/** What came of a judgement: `error` of the scorer, and whether one of its calls failed. */
export interface Judgement {
  result: ScorerResult;
  calls: ObservedCall[];
  hasCallFailed: boolean;
}

/** Has the scorer of a rule judge a target; nothing is stored. */
@Injectable()
export class JudgeTarget {
  /** What calls of a connection share: how fast they go on, and what its models do not take. */
  private readonly shared = new Map<string, RunCalls>();

  constructor(
    private readonly targets: FindTarget,
    private readonly prepare: PrepareRun,
    private readonly settings: ScoringSettings,
    @Inject(PRICING) private readonly pricing: PricingTable,
  ) {}

  /** @throws the reason of `kill` when that fires, and nothing else but what the database throws. */
  async execute(scope: Scope, rule: ScoringRuleRow, target: Target, kill: AbortSignal): Promise<Judgement> {
    const calls: ObservedCall[] = [];
    const timeoutMs = this.settings.callTimeoutMs;
    const signal = AbortSignal.any([kill, AbortSignal.timeout(timeoutMs * CALLS_MAX)]);
    try {
      const scorer = await this.prepare.prepareAlone(scope, scorerOf(rule), rule.dailyCap !== null);
      const sample = { ...(await this.targets.readTexts(scope, target)), expected: undefined };
      await letOthersRun();
      const run = getOrMake(this.shared, rule.connectionId ?? '', () => new RunCalls(this.settings.callsMax));
      const timing = { timeoutMs, retryDelayMs: RETRY_MS };
      const observe = (call: ObservedCall): void => void calls.push(call);
      const options = { permits: new Permits(1), signal, run, timing, observe };
      const [result] = await scoreSample([scorer], sample, this.pricing, options);
      return { result: result!, calls, hasCallFailed: calls.some(({ outcome }) => 'error' in outcome) };
    } catch (error) {
      kill.throwIfAborted();
      const isUnusable = error instanceof ConnectionUnusable;
      if (!isUnusable && !signal.aborted && !(error instanceof RunFailure)) throw error;
      const message =
        isUnusable || !signal.aborted
          ? (error as Error).message
          : `took longer than ${(timeoutMs * CALLS_MAX) / 1_000} s`;
      return { result: { ...NO_SCORE, error: message }, calls, hasCallFailed: true };
    }
  }
}

/** The scorer of a rule as one of a run. */
const scorerOf = (rule: ScoringRuleRow): RunScorer => ({
  name: rule.scoring,
  scoring: rule.scoring,
  scoring_config: fromJsonText(rule.scoringConfig) as RunScorer['scoring_config'],
  judge:
    rule.judge === null
      ? null
      : { ...(fromJsonText(rule.judge) as NonNullable<RunScorer['judge']>), model: rule.judgeModel },
  weight: 1,
  pass_score: 1,
});
