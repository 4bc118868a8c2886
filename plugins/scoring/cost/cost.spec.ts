import { describe, expect, it } from '@jest/globals';
import { describeScorerContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import cost from './index.js';

const CASES: [cost: number, max: number, score: 0 | 1][] = [
  [0.0099, 0.01, 1],
  [0.01, 0.01, 1],
  [0.1 + 0.2, 0.3, 1],
  [0.010001, 0.01, 0],
  [0, 0, 1],
];

describeScorerContract(
  {
    plugin: cost,
    configs: { accepted: [{}, { max_usd: 0.01 }], refused: [{ max_usd: -1 }, { max_usd: '9' }, { usd: 1 }, null] },
    needsExpected: false,
    refusedRuns: [{ config: {}, path: 'max_usd' }],
    samples: CASES.map(([dollars, max, score]) => ({
      name: `${dollars} of ${max}`,
      sample: { cost: dollars, config: { max_usd: max } },
      expected: score,
    })),
  },
  { describe, it },
);

describe('Cost', () => {
  it('fails where it is not known', async () => {
    const { score } = await setUpPlugin(cost, {});
    const ask = () => Promise.reject(new Error('asked'));
    const sample = { input: '', output: '', expected: undefined, rubric: undefined, latencyMs: null, cost: null };
    const given = {
      ...sample,
      config: { max_usd: 1 },
      complete: ask,
      embed: ask,
      signal: new AbortController().signal,
    };
    expect(() => score(given)).toThrow('not known');
  });
});
