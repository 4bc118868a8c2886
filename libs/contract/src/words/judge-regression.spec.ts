import { describe, expect, it } from '@jest/globals';
import type { EvalStatistics, RunDifference, ScoreComparison, Verdict } from '../eval-statistics.js';
import { describeIncomparable, judgeRegression } from './judge-regression.js';

type Comparison = NonNullable<EvalStatistics['comparison']>;

const score = (verdict: Verdict, pairs = 60) => ({ pairs, verdict }) as ScoreComparison;

function comparison(members: Partial<Comparison> = {}): Comparison {
  return {
    score: score('no_difference'),
    scorers: { tone: score('better') },
    comparable: { score: true, scorers: { tone: true }, differences: [] },
    failures: {
      ...{ pairs: 100, run: 0, baseline: 0, new: 0, recovered: 0, diff: 0 },
      p_value: 1,
      verdict: 'no_difference',
    },
    ...members,
  } as Comparison;
}

const failing = (run: number, verdict: Verdict) =>
  comparison({
    failures: {
      ...{ pairs: 100, run, baseline: 0, new: run, recovered: 0, diff: run / 100, test: 'mcnemar_exact' },
      ...{ p_value: 0.03, verdict },
    },
  });

const judgeOf = (model: string): RunDifference => ({ what: 'scorers.tone.judge.model', run: model, baseline: 'b' });

describe('the gate "no regression"', () => {
  it('holds unless the score is worse', () => {
    expect(judgeRegression(comparison(), null, {})).toEqual({ actual: 'no_difference', passed: true });
    expect(judgeRegression(comparison({ score: score('worse') }), null, {})).toEqual({
      actual: 'worse',
      passed: false,
    });
    expect(judgeRegression(comparison({ score: score('worse') }), 'tone', {})).toMatchObject({ passed: true });
    expect(judgeRegression(comparison({ score: score('unknown', 0) }), null, {})).toEqual({
      actual: null,
      passed: false,
    });
    expect(judgeRegression(comparison(), 'toString', {})).toEqual({ actual: null, passed: false });
  });

  it('does not hold between runs that were scored differently, unless that is allowed', () => {
    const differences = [judgeOf('a'), { what: 'pass_score', run: 0.5, baseline: 1 }];
    const other = comparison({
      score: score('better'),
      comparable: { score: false, scorers: { tone: false }, differences },
    });
    expect(judgeRegression(other, null, {})).toEqual({
      ...{ actual: 'unknown', passed: false },
      reason: 'scored differently: scorers.tone.judge.model "a" instead of "b"; pass_score 0.5 instead of 1',
    });
    expect(judgeRegression(other, 'tone', {}).reason).toBe(
      'scored differently: scorers.tone.judge.model "a" instead of "b"',
    );
    expect(judgeRegression(other, null, { allow_different_scoring: true })).toEqual({ actual: 'better', passed: true });
    expect(describeIncomparable(comparison(), null)).toBeNull();
    const many = { score: false, scorers: {}, differences: Array.from('abcde', judgeOf) };
    expect(describeIncomparable({ comparable: many }, null)).toMatch(/"c" instead of "b"; 2 more$/);
    const long = { ...many, differences: [judgeOf('x'.repeat(1_000))] };
    expect(describeIncomparable({ comparable: long }, null)!.length).toBeLessThan(120);
  });

  it('does not hold where more samples fail, by the exact test or by more than is allowed', () => {
    const rules = { max_new_failures: 0.01 };
    expect(judgeRegression(failing(1, 'no_difference'), null, rules)).toEqual({
      actual: 'no_difference',
      passed: true,
    });
    expect(judgeRegression(failing(2, 'no_difference'), null, rules)).toEqual({
      ...{ actual: 'worse', passed: false, reason: '2 of 100 samples failed, 0 in the baseline (p 0.03)' },
    });
    expect(judgeRegression(failing(2, 'no_difference'), null, { max_new_failures: 0.02 }).passed).toBe(true);
    expect(judgeRegression(failing(2, 'worse'), null, { max_new_failures: 0.5 }).passed).toBe(false);
    expect(judgeRegression(failing(50, 'worse'), null, {}).passed).toBe(true);
  });
});
