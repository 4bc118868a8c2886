import { describe, expect, it } from '@jest/globals';
import type { ExternalResult, RunScorer, ScorerResult } from '@spandrel/contract';
import type { MaskingCalls } from '@spandrel/masking';
import { NO_SCORE } from '../execution/combine-scores.js';
import { readResults } from './given-result.js';
import { maskTaken, sampleOfTaken, takenResult } from './taken-result.js';

const scorer = (name: string, scoring = 'External', weight = 1): RunScorer => ({
  ...{ name, scoring, scoring_config: null, judge: null, weight, pass_score: 1 },
});
const only = [scorer('External')];
const several = [scorer('mine', 'External', 3), scorer('other'), scorer('exact', 'ExactMatch')];
const prices = new Map([['known', { input: 2, output: 8 }]]);
const ofServer = new Map<string, ScorerResult>([['exact', { ...NO_SCORE, score: 0 }]]);

function taken(
  scorers: readonly RunScorer[],
  result: Partial<ExternalResult>,
  { model = null, masking = null }: { model?: string | null; masking?: MaskingCalls | null } = {},
) {
  const { given } = readResults({ repeats: 1, scorers }, [{ datapoint_id: 'd', ...result }]);
  const whole = takenResult(given[0]!, model, prices);
  return masking ? maskTaken(masking, whole) : whole;
}

describe('a taken result', () => {
  it.each([
    [{ input_tokens: 1_000_000, output_tokens: 500_000 }, 'known', 1_500_000, 6],
    [{ output_tokens: 1_000_000 }, 'known', 1_000_000, 8],
    [{ output_tokens: 10, cost: 0 }, 'known', 10, 0],
    [{ input_tokens: 10 }, 'unknown', 10, null],
    [{ input_tokens: 10 }, null, 10, null],
    [{}, 'known', null, null],
  ])('of %j and the model %s has so many tokens, and costs so much', (use, model, tokens, cost) => {
    expect(taken(only, { output: 'o', ...use }, { model })).toMatchObject({ tokens, cost });
  });

  it('is masked in all that it says', () => {
    const masking = {
      text: (text: string | null, field: string) => text && `${field}(${text})`,
      json: (value: unknown, field: string) => value && { [field]: value },
    } as unknown as MaskingCalls;
    const scores = { External: { score: 1, reason: 'r' } };
    expect(taken(only, { output: 'o', scores, metadata: { a: 1 } }, { masking })).toMatchObject({
      ...{ output: 'output(o)', metadata: { metadata: { a: 1 } } },
      scores: { External: { score: 1, reason: 'output(r)' } },
    });
    expect(taken(only, { error: 'e' }, { masking })).toMatchObject({ output: null, error: 'error(e)' });
  });
});

describe('the sample of a taken result', () => {
  it('of a run with one scorer has its word in its own members', () => {
    const sample = sampleOfTaken(only, taken(only, { output: 'o', scores: { External: 0.25 } }), new Map(), 'h');
    expect(sample).toMatchObject({ score: 0.25, error: null, attempts: 0, scores: null, resultHash: 'h' });
  });

  it('has no score of a scorer that was left out, and has not failed', () => {
    const sample = sampleOfTaken(only, taken(only, { output: 'o' }), new Map(), 'h');
    expect(sample).toMatchObject({ output: 'o', score: null, error: null });
  });

  it('counts scores of the caller and of the server by their weights', () => {
    const result = taken(several, { output: 'o', scores: { mine: 1 } });
    const sample = sampleOfTaken(several, result, ofServer, 'h');
    expect(sample).toMatchObject({
      score: 0.75,
      scores: { mine: { score: 1 }, other: { score: null }, exact: { score: 0 } },
    });
  });

  it('that is an error has failed, with the scores that came along', () => {
    const scores = { External: { score: 0.5, reason: 'half' } };
    const sample = sampleOfTaken(only, taken(only, { error: 'e', scores, cost: 1 }), new Map(), 'h');
    expect(sample).toMatchObject({ output: null, error: 'e', score: null, reason: null, cost: 1, scores });
    expect(sampleOfTaken(only, taken(only, { error: 'e' }), new Map(), 'h')).toMatchObject({ scores: null });
    const failed = sampleOfTaken(several, taken(several, { error: 'e', scores: { mine: 1 } }), new Map(), 'h');
    expect(failed).toMatchObject({ score: null, scores: { mine: { score: 1 }, exact: { score: null } } });
  });
});
