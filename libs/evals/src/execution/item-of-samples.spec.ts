import { describe, expect, it } from '@jest/globals';
import { RESULT_STATUS } from '../status.js';
import { itemOfSamples, type SampleOfItem } from './item-of-samples.js';

const key = { projectId: 'p', runId: 'r', datapointId: 'd' };
const NOTHING = {
  ...key,
  ...{ output: null, hasOutput: false, score: null, scoreReason: null, latencyMs: null, tokens: null, cost: null },
  ...{ error: null, attempts: 1, judgeModel: null, judgePromptHash: null, judgeTokens: null, judgeCost: null },
  ...{ traceId: null, spanId: null, scores: null },
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
const scoresOf = (item: { scores: string | null }): unknown => JSON.parse(item.scores!);

describe('an item of several samples', () => {
  it('has means, sums, and the first of what some of them say', () => {
    const item = itemOfSamples(
      [
        failed(0, 'HTTP 500', { attempts: 2 }),
        completed(1, {
          ...{ output: '"b"', hasOutput: true, score: 1, scoreReason: '"good"', latencyMs: 10, tokens: 5, cost: 0.1 },
          ...{ judgeModel: 'm', judgePromptHash: 'h', judgeTokens: 7, judgeCost: 0.2, traceId: 't1' },
        }),
        completed(2, {
          ...{ hasOutput: true, score: 0, scoreReason: '"bad"', latencyMs: 13, tokens: 6, cost: 0.2 },
          ...{ judgeModel: 'm', judgePromptHash: 'h', judgeTokens: 8, judgeCost: 0.1, traceId: 't2' },
        }),
      ],
      'Mine',
    );
    expect({ ...item, scores: scoresOf(item) }).toEqual({
      ...key,
      status: RESULT_STATUS.completed,
      ...{ output: '"b"', score: 0.5, scoreReason: '"good"', latencyMs: 12, tokens: 11, cost: 0.3, error: null },
      ...{ attempts: 4, judgeModel: 'm', judgePromptHash: 'h', judgeTokens: 15, judgeCost: 0.3 },
      ...{ traceId: 't1', spanId: null, metadata: null, resultHash: null },
      scores: {
        Mine: {
          ...{ score: 0.5, reason: 'good', error: null },
          ...{ judge_model: 'm', judge_prompt_hash: 'h', judge_tokens: 15, judge_cost: 0.3 },
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
        judge_tokens: null,
        judge_cost: null,
      },
    });
    const scores = (a: unknown, b: unknown): string => JSON.stringify({ a, b });
    const item = itemOfSamples(
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
    expect(scoresOf(item)).toEqual({ a: said(0.625, null), b: said(1, 'b: broke') });
  });

  it('has failed when all have, by the first error', () => {
    const item = itemOfSamples([failed(0, 'one'), failed(1, 'two')], 'Mine');
    expect([item.status, item.error, item.score, item.cost]).toEqual([RESULT_STATUS.failed, '"one"', null, null]);
    // A model that did not answer leaves nothing to score.
    expect(scoresOf(item)).toMatchObject({ Mine: { score: null, error: null } });
  });

  it('tells the error of its only scorer where that failed', () => {
    const item = itemOfSamples(
      [failed(0, 'Mine: no', { hasOutput: true }), completed(1, { hasOutput: true, score: 1 })],
      'Mine',
    );
    expect(scoresOf(item)).toMatchObject({ Mine: { score: 1, error: 'Mine: no' } });
  });
});
