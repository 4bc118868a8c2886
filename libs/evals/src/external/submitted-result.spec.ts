import { describe, expect, it } from '@jest/globals';
import { parseExactJson, type RunScorer, type ExternalResult, type ScorerResult } from '@spandrel/contract';
import type { MaskingCalls } from '@spandrel/masking';
import { NO_SCORE } from '../execution/sample-result.js';
import { readResults, maskResult, toSampleResult, normalizeResult } from './submitted-result.js';

const scorer = (name: string, scoring = name): RunScorer => ({
  ...{ name, scoring, scoring_config: null, judge: null, weight: 1, pass_score: 1 },
});
const run = { repeats: 3, scorers: [scorer('External'), scorer('style', 'External'), scorer('exact', 'ExactMatch')] };

const read = (text: string) => readResults(run, [parseExactJson(text)]);

describe('results of an external run', () => {
  it('are read with what is left out', async () => {
    const { given, rejected } = await read(
      '{"datapoint_id":"d","output":"o","scores":{"External":0.5,"style":{"score":1,"reason":"neat"}}}',
    );
    expect(rejected).toEqual([]);
    expect(given).toMatchObject([
      {
        ...{ index: 0, datapointId: 'd', repeat: 0 },
        scores: { External: { score: 0.5, reason: null }, style: { score: 1, reason: 'neat' } },
      },
    ]);
  });

  it.each([
    ['null', /^\S/],
    ['{"output":"o"}', /^datapoint_id /],
    ['{"datapoint_id":"d"}', /^output either output or error is required/],
    ['{"datapoint_id":"d","output":null,"error":null}', /^output either/],
    ['{"datapoint_id":"d","output":"o","latency_ms":-1}', /^latency_ms /],
    ['{"datapoint_id":"d","output":"o","cost":"1"}', /^cost /],
    ['{"datapoint_id":"d","output":"o","metadata":[]}', /^metadata must be an object/],
    ['{"datapoint_id":"d","output":"o","repeat":-1}', /^repeat /],
    ['{"datapoint_id":"d","output":"o","repeat":3}', /^repeat must be less than 3/],
    ['{"datapoint_id":"d","output":"o","scores":{"External":2}}', /^scores\.External /],
    [
      '{"datapoint_id":"d","output":"o","scores":{"exact":1}}',
      /^scores\.exact must be left out: the server scores by it$/,
    ],
    ['{"datapoint_id":"d","output":"o","scores":{"no":1}}', /^scores\.no must be left out: the run has no scorer/],
    ['{"datapoint_id":"d\\u0000","output":"o"}', /^datapoint_id must not hold NUL/],
  ])('%s is rejected', async (text, message) => {
    const { given, rejected } = await read(text);
    expect(given).toEqual([]);
    expect(rejected).toEqual([{ index: 0, code: 'validation_failed', message: expect.stringMatching(message) }]);
  });

  const hashOf = async (text: string): Promise<string> => (await read(text)).given[0]!.hash;
  const base = '{"datapoint_id":"d","output":"o","scores":{"External":0.5},"cost":0.1}';

  it.each([
    '{"cost":0.10,"scores":{"External":{"score":0.5}},"output":"o","datapoint_id":"d"}',
    '{"datapoint_id":"d","repeat":0,"output":"o","error":null,"scores":{"External":{"score":0.5,"reason":null}},"cost":0.1,"trace_id":null}',
    '{"datapoint_id":"d","output":"o","scores":{"External":0.5},"cost":0.1,"unknown":1}',
  ])('%s is the same as one without what says nothing', async (text) => {
    expect(await hashOf(text)).toBe(await hashOf(base));
  });

  it.each([
    '{"datapoint_id":"d","output":"O","scores":{"External":0.5},"cost":0.1}',
    '{"datapoint_id":"d","output":"o","scores":{"External":0.6},"cost":0.1}',
    '{"datapoint_id":"d","output":"o","scores":{"External":{"score":0.5,"reason":""}},"cost":0.1}',
    '{"datapoint_id":"d","output":"o","scores":{"External":0.5},"cost":0.1,"metadata":{}}',
    '{"datapoint_id":"d","error":"o","scores":{"External":0.5},"cost":0.1}',
  ])('%s is another one', async (text) => {
    expect(await hashOf(text)).not.toBe(await hashOf(base));
  });
});

const namedScorer = (name: string, scoring = 'External', weight = 1): RunScorer => ({
  ...{ name, scoring, scoring_config: null, judge: null, weight, pass_score: 1 },
});
const only = [namedScorer('External')];
const several = [namedScorer('mine', 'External', 3), namedScorer('other'), namedScorer('exact', 'ExactMatch')];
const prices = new Map([['known', { input: 2, output: 8 }]]);
const ofServer = new Map<string, ScorerResult>([['exact', { ...NO_SCORE, score: 0 }]]);

async function taken(
  scorers: readonly RunScorer[],
  result: Partial<ExternalResult>,
  { model = null, masking = null }: { model?: string | null; masking?: MaskingCalls | null } = {},
) {
  const { given } = await readResults({ repeats: 1, scorers }, [{ datapoint_id: 'd', ...result }]);
  const whole = normalizeResult(given[0]!, model, prices);
  return masking ? maskResult(masking, whole) : whole;
}

describe('a taken result', () => {
  it.each([
    [{ input_tokens: 1_000_000, output_tokens: 500_000 }, 'known', 1_500_000, 6],
    [{ output_tokens: 1_000_000 }, 'known', 1_000_000, 8],
    [{ output_tokens: 10, cost: 0 }, 'known', 10, 0],
    [{ input_tokens: 10 }, 'unknown', 10, null],
    [{ input_tokens: 10 }, null, 10, null],
    [{}, 'known', null, null],
  ])('of %j and the model %s has so many tokens, and costs so much', async (use, model, tokens, cost) => {
    expect(await taken(only, { output: 'o', ...use }, { model })).toMatchObject({ tokens, cost });
  });

  it('is masked in all that it says', async () => {
    const masking = {
      text: (text: string | null, field: string) => text && `${field}(${text})`,
      json: (value: unknown, field: string) => value && { [field]: value },
    } as unknown as MaskingCalls;
    const scores = { External: { score: 1, reason: 'r' } };
    expect(await taken(only, { output: 'o', scores, metadata: { a: 1 } }, { masking })).toMatchObject({
      ...{ output: 'output(o)', metadata: { metadata: { a: 1 } } },
      scores: { External: { score: 1, reason: 'output(r)' } },
    });
    expect(await taken(only, { error: 'e' }, { masking })).toMatchObject({ output: null, error: 'error(e)' });
  });
});

describe('the sample of a taken result', () => {
  it('of a run with one scorer has its word in its own members', async () => {
    const sample = toSampleResult(only, await taken(only, { output: 'o', scores: { External: 0.25 } }), new Map(), 'h');
    expect(sample).toMatchObject({ score: 0.25, error: null, attempts: 0, scores: null, resultHash: 'h' });
  });

  it('has no score of a scorer that was left out, and has not failed', async () => {
    const sample = toSampleResult(only, await taken(only, { output: 'o' }), new Map(), 'h');
    expect(sample).toMatchObject({ output: 'o', score: null, error: null });
  });

  it('counts scores of the caller and of the server by their weights', async () => {
    const result = await taken(several, { output: 'o', scores: { mine: 1 } });
    const sample = toSampleResult(several, result, ofServer, 'h');
    expect(sample).toMatchObject({
      score: 0.75,
      scores: { mine: { score: 1 }, other: { score: null }, exact: { score: 0 } },
    });
  });

  it('that is an error has failed, with the scores that came along', async () => {
    const scores = { External: { score: 0.5, reason: 'half' } };
    const sample = toSampleResult(only, await taken(only, { error: 'e', scores, cost: 1 }), new Map(), 'h');
    expect(sample).toMatchObject({ output: null, error: 'e', score: null, scoreReason: null, cost: 1, scores });
    expect(toSampleResult(only, await taken(only, { error: 'e' }), new Map(), 'h')).toMatchObject({ scores: null });
    const failed = toSampleResult(several, await taken(several, { error: 'e', scores: { mine: 1 } }), new Map(), 'h');
    expect(failed).toMatchObject({ score: null, scores: { mine: { score: 1 }, exact: { score: null } } });
  });
});
