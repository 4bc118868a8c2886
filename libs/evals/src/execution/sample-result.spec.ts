import { describe, expect, it } from '@jest/globals';
import type { ScorerResult } from '@spandrel/contract';
import { RESULT_STATUS } from '../eval-run.js';
import { combineScores, NO_SCORE, mergeSamples, type SampleOfItem } from './sample-result.js';

const scorer = (name: string, weight = 1) => ({ name, weight });
const said = (score: number | null, more: Partial<ScorerResult> = {}): ScorerResult => ({
  ...NO_SCORE,
  score,
  ...more,
});

describe('what scorers say together', () => {
  it('is what the only one says, and is not reported twice', () => {
    const judged = { judge_model: 'm', judge_prompt_hash: 'h', judge_attempts: 2, judge_tokens: 3, judge_cost: 0.1 };
    expect(combineScores([scorer('a', 7)], [said(0.3, { reason: 'so', ...judged })])).toEqual({
      score: 0.3,
      scoreReason: 'so',
      error: null,
      ...{ judgeModel: 'm', judgePromptHash: 'h', judgeAttempts: 2, judgeTokens: 3, judgeCost: 0.1 },
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
    expect([combined.score, combined.scoreReason, combined.scores]).toEqual([
      null,
      'r',
      { a: said(0.4, { reason: 'r' }) },
    ]);
  });

  it('is no score when one failed; the others are kept, and what all took is summed exactly', () => {
    const results = [
      said(1, { reason: 'good', judge_model: 'm', judge_attempts: 1, judge_tokens: 2, judge_cost: 0.1 }),
      said(null, { error: 'tone: no score', judge_model: 'n', judge_attempts: 2, judge_tokens: 3, judge_cost: 0.2 }),
      said(null, { error: 'length: broken' }),
    ];
    expect(combineScores([scorer('a'), scorer('tone'), scorer('length')], results)).toEqual({
      score: null,
      scoreReason: null,
      error: 'tone: no score; length: broken',
      ...{ judgeModel: 'm', judgePromptHash: null, judgeAttempts: 3, judgeTokens: 5, judgeCost: 0.3 },
      scores: { a: results[0], tone: results[1], length: results[2] },
    });
  });
});

const key = { projectId: 'p', runId: 'r', datapointId: 'd' };
const NOTHING = {
  ...key,
  ...{ output: null, hasOutput: false, score: null, scoreReason: null, latencyMs: null, tokens: null, cost: null },
  ...{
    error: null,
    attempts: 1,
    judgeModel: null,
    judgePromptHash: null,
    judgeAttempts: null,
    judgeTokens: null,
    judgeCost: null,
  },
  ...{ traceId: null, spanId: null, scores: null, callHash: null, reusedRunId: null },
};

const completed = (repeat: number, more: Partial<SampleOfItem>): SampleOfItem => ({
  ...NOTHING,
  repeat,
  status: RESULT_STATUS.completed,
  ...more,
});
const failed = (repeat: number, error: string, more: Partial<SampleOfItem> = {}): SampleOfItem => ({
  ...completed(repeat, { error: JSON.stringify(error), ...more }),
  status: RESULT_STATUS.failed,
});
const mergeScores = (item: { scores: string | null }): unknown => JSON.parse(item.scores!);

describe('an item of several samples', () => {
  it('has means, sums, and the first of what some of them say', () => {
    const item = mergeSamples(
      [
        failed(0, 'HTTP 500', { attempts: 2 }),
        completed(1, {
          ...{ output: '"b"', hasOutput: true, score: 1, scoreReason: '"good"', latencyMs: 10, tokens: 5, cost: 0.1 },
          ...{ judgeModel: 'm', judgePromptHash: 'h', judgeAttempts: 1, judgeTokens: 7, judgeCost: 0.2, traceId: 't1' },
        }),
        completed(2, {
          ...{ hasOutput: true, score: 0, scoreReason: '"bad"', latencyMs: 13, tokens: 6, cost: 0.2 },
          ...{ judgeModel: 'm', judgePromptHash: 'h', judgeAttempts: 2, judgeTokens: 8, judgeCost: 0.1, traceId: 't2' },
        }),
      ],
      'Mine',
    );
    expect({ ...item, scores: mergeScores(item) }).toEqual({
      ...key,
      status: RESULT_STATUS.completed,
      ...{ output: '"b"', score: 0.5, scoreReason: '"good"', latencyMs: 12, tokens: 11, cost: 0.3, error: null },
      ...{ attempts: 4, judgeModel: 'm', judgePromptHash: 'h', judgeAttempts: 3, judgeTokens: 15, judgeCost: 0.3 },
      ...{ traceId: 't1', spanId: null, metadata: null, resultHash: null, callHash: null, reusedRunId: null },
      scores: {
        Mine: {
          ...{ score: 0.5, reason: 'good', error: null },
          ...{ judge_model: 'm', judge_prompt_hash: 'h', judge_attempts: 3, judge_tokens: 15, judge_cost: 0.3 },
        },
      },
    });
  });

  it('keeps what scorers said of failed samples, which have no score together', () => {
    const said = (score: number | null, error: string | null) => ({
      ...{
        score,
        reason: null,
        error,
        judge_model: null,
        judge_prompt_hash: null,
        judge_attempts: null,
        judge_tokens: null,
        judge_cost: null,
      },
    });
    const scores = (a: unknown, b: unknown): string => JSON.stringify({ a, b });
    const item = mergeSamples(
      [
        failed(0, 'b: broke', {
          hasOutput: true,
          output: '"x"',
          scores: scores(said(0.25, null), said(null, 'b: broke')),
        }),
        completed(1, { hasOutput: true, score: 1, scores: scores(said(1, null), said(1, null)) }),
      ],
      'a',
    );
    expect([item.score, item.status, item.output, item.error]).toEqual([1, RESULT_STATUS.completed, '"x"', null]);
    expect(mergeScores(item)).toEqual({ a: said(0.625, null), b: said(1, 'b: broke') });
  });

  it('has failed when all have, by the first error', () => {
    const item = mergeSamples([failed(0, 'one'), failed(1, 'two')], 'Mine');
    expect([item.status, item.error, item.score, item.cost]).toEqual([RESULT_STATUS.failed, '"one"', null, null]);
    // A model that did not answer leaves nothing to score.
    expect(mergeScores(item)).toMatchObject({ Mine: { score: null, error: null } });
  });

  it('reports the error of its only scorer where that failed', () => {
    const item = mergeSamples(
      [failed(0, 'Mine: no', { hasOutput: true }), completed(1, { hasOutput: true, score: 1 })],
      'Mine',
    );
    expect(mergeScores(item)).toMatchObject({ Mine: { score: 1, error: 'Mine: no' } });
  });
});
