import { describe, expect, it } from '@jest/globals';
import { parseExactJson, type RunScorer } from '@spandrel/contract';
import { readResults } from './given-result.js';

const scorer = (name: string, scoring = name): RunScorer => ({
  ...{ name, scoring, scoring_config: null, judge: null, weight: 1, pass_score: 1 },
});
const run = { repeats: 3, scorers: [scorer('External'), scorer('style', 'External'), scorer('exact', 'ExactMatch')] };

const read = (text: string) => readResults(run, [parseExactJson(text)]);

describe('results of an external run', () => {
  it('are read with what is left out', () => {
    const { given, rejected } = read(
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
  ])('%s is rejected', (text, message) => {
    const { given, rejected } = read(text);
    expect(given).toEqual([]);
    expect(rejected).toEqual([{ index: 0, code: 'validation_failed', message: expect.stringMatching(message) }]);
  });

  const hashOf = (text: string): string => read(text).given[0]!.hash;
  const base = '{"datapoint_id":"d","output":"o","scores":{"External":0.5},"cost":0.1}';

  it.each([
    '{"cost":0.10,"scores":{"External":{"score":0.5}},"output":"o","datapoint_id":"d"}',
    '{"datapoint_id":"d","repeat":0,"output":"o","error":null,"scores":{"External":{"score":0.5,"reason":null}},"cost":0.1,"trace_id":null}',
    '{"datapoint_id":"d","output":"o","scores":{"External":0.5},"cost":0.1,"unknown":1}',
  ])('%s is the same as one without what says nothing', (text) => {
    expect(hashOf(text)).toBe(hashOf(base));
  });

  it.each([
    '{"datapoint_id":"d","output":"O","scores":{"External":0.5},"cost":0.1}',
    '{"datapoint_id":"d","output":"o","scores":{"External":0.6},"cost":0.1}',
    '{"datapoint_id":"d","output":"o","scores":{"External":{"score":0.5,"reason":""}},"cost":0.1}',
    '{"datapoint_id":"d","output":"o","scores":{"External":0.5},"cost":0.1,"metadata":{}}',
    '{"datapoint_id":"d","error":"o","scores":{"External":0.5},"cost":0.1}',
  ])('%s is another one', (text) => {
    expect(hashOf(text)).not.toBe(hashOf(base));
  });
});
