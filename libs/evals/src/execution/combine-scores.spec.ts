import { describe, expect, it } from '@jest/globals';
import type { ScorerResult } from '@spandrel/contract';
import { combineScores, NO_SCORE } from './combine-scores.js';

const scorer = (name: string, weight = 1) => ({ name, weight });
const said = (score: number | null, more: Partial<ScorerResult> = {}): ScorerResult => ({
  ...NO_SCORE,
  score,
  ...more,
});

describe('what scorers say together', () => {
  it('is what the only one says, and is not told twice', () => {
    const judged = { judge_model: 'm', judge_prompt_hash: 'h', judge_tokens: 3, judge_cost: 0.1 };
    expect(combineScores([scorer('a', 7)], [said(0.3, { reason: 'so', ...judged })])).toEqual({
      score: 0.3,
      reason: 'so',
      error: null,
      judge: { model: 'm', tokens: 3, cost: 0.1 },
      promptHash: 'h',
      scores: null,
    });
  });

  it('is the mean by weight of those that have a weight and a score', () => {
    const scorers = [scorer('a', 3), scorer('b', 1), scorer('c', 0), scorer('d', 5)];
    const results = [said(1), said(0), said(0.5), said(null)];
    expect(combineScores(scorers, results)).toMatchObject({
      score: 0.75,
      error: null,
      scores: { a: { score: 1 }, b: { score: 0 }, c: { score: 0.5 }, d: { score: null } },
    });
  });

  it.each([
    ['nobody has a score', [1, 1], [null, null], null],
    ['nobody has a weight', [0, 0], [1, 1], null],
    ['the weights are as large as numbers go', [Number.MAX_VALUE, Number.MAX_VALUE], [1, 0], 0.5],
    ['the weights are odd', [0.1, 0.2, 0.3], [1, 1, 1], 1],
  ])('is right where %s', (_, weights, scores, expected) => {
    const scorers = weights.map((weight, index) => scorer(`s${index}`, weight));
    expect(
      combineScores(
        scorers,
        scores.map((score) => said(score)),
      ).score,
    ).toBe(expected);
  });

  it('shows the only scorer by name where it has no weight', () => {
    const combined = combineScores([scorer('a', 0)], [said(0.4, { reason: 'r' })]);
    expect([combined.score, combined.reason, combined.scores]).toEqual([null, 'r', { a: said(0.4, { reason: 'r' }) }]);
  });

  it('is no score when one failed; the others are kept, and what all took is summed exactly', () => {
    const results = [
      said(1, { reason: 'good', judge_model: 'm', judge_tokens: 2, judge_cost: 0.1 }),
      said(null, { error: 'tone: no score', judge_model: 'n', judge_tokens: 3, judge_cost: 0.2 }),
      said(null, { error: 'length: broken' }),
    ];
    expect(combineScores([scorer('a'), scorer('tone'), scorer('length')], results)).toEqual({
      score: null,
      reason: null,
      error: 'tone: no score; length: broken',
      judge: { model: 'm', tokens: 5, cost: 0.3 },
      promptHash: null,
      scores: { a: results[0], tone: results[1], length: results[2] },
    });
  });
});
