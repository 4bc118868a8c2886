import { describe, expect, it } from '@jest/globals';
import { describeScorerContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import latency from './index.js';

const CASES: [latencyMs: number, max: number, score: 0 | 1][] = [
  [999, 1_000, 1],
  [1_000, 1_000, 1],
  // The item shows whole milliseconds.
  [1_000.4, 1_000, 1],
  [1_000.6, 1_000, 0],
  [0, 0, 1],
];

describeScorerContract(
  {
    plugin: latency,
    configs: { accepted: [{}, { max_ms: 2_000 }], refused: [{ max_ms: -1 }, { max_ms: '9' }, { ms: 1 }, null] },
    needsExpected: false,
    refusedRuns: [{ config: {}, path: 'max_ms' }],
    samples: CASES.map(([latencyMs, max, score]) => ({
      name: `${latencyMs} of ${max}`,
      sample: { latencyMs, config: { max_ms: max } },
      expected: score,
    })),
  },
  { describe, it },
);

describe('Latency', () => {
  it('fails where it is not known', async () => {
    const { score } = await setUpPlugin(latency, {});
    const ask = () => Promise.reject(new Error('asked'));
    const sample = { input: '', output: '', expected: undefined, rubric: undefined, latencyMs: null, cost: null };
    const given = { ...sample, config: { max_ms: 1 }, complete: ask, embed: ask, signal: new AbortController().signal };
    expect(() => score(given)).toThrow('not known');
  });
});
