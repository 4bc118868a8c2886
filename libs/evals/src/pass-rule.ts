import type { EvalRunRow } from './eval-run.entity.js';
import { listScorers, PASS_MODE } from './eval-run.js';
import { isAtLeast } from './statistics/numerics.js';

/** A score that is to reach a pass score. */
interface Condition {
  /** The place of its scorer in the run; `null`: the score of all together. */
  at: number | null;
  passScore: number;
}

/** When a sample passes: each of these scores that it has must reach its pass score (docs/spec/evaluations.md#passing). */
export type PassRule = readonly Condition[];

export function readPassRule(run: EvalRunRow): PassRule {
  if (run.passMode !== PASS_MODE.all) return [{ at: null, passScore: run.passScore }];
  const conditions = listScorers(run).map(({ weight, pass_score: passScore }, at) => ({ weight, at, passScore }));
  const counting = conditions.filter(({ weight }) => weight > 0);
  return counting.length > 0 ? counting : conditions;
}

/**
 * Whether a sample passes; `null` where it has none of the scores that decide.
 * @param scoreAt its score by a scorer of the run, by all together for `null`.
 */
export function decidePass(rule: PassRule, scoreAt: (at: number | null) => number | null): boolean | null {
  let passes: boolean | null = null;
  for (const { at, passScore } of rule) {
    const score = scoreAt(at);
    if (score !== null) passes = passes !== false && isAtLeast(score, passScore);
  }
  return passes;
}
