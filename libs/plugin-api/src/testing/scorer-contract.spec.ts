import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineScorer } from '../plugin.js';
import type { Scorer, ScoreSample } from '../scorer.js';
import { failuresOf } from './run-suite.js';
import { describeScorerContract, type ScorerContract } from './scorer-contract.js';

/** Example scorer: asks the judge for a number from 0 to 10; an answer without one gives no score. */
async function score({ output, complete, signal }: ScoreSample) {
  const { text } = await Promise.race([
    complete({ messages: [{ role: 'user', content: `Rate: ${output}` }] }),
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  ]);
  const rated = /\d+/.exec(text)?.[0];
  return rated === undefined ? { score: null } : { score: Math.min(Number(rated), 10) / 10, reason: text };
}

const contractOf = (changes: Partial<Scorer> = {}): ScorerContract<unknown> => ({
  plugin: defineScorer<unknown>({
    name: 'out-of-ten',
    config: z.strictObject({ strict: z.boolean().optional() }),
    setup: () => ({ needsExpected: false, score, ...changes }),
  }),
  configs: { accepted: [{}, { strict: true }], refused: [{ strict: 1 }, null] },
  needsExpected: false,
  samples: [
    {
      name: 'a good answer',
      sample: { output: 'good' },
      judge: (prompt) => (prompt.includes('good') ? '9' : '1'),
      expected: 0.9,
    },
    { name: 'an answer the judge does not rate', sample: { output: '' }, judge: () => 'hm', expected: null },
  ],
});

describeScorerContract(contractOf(), { describe, it });

describe('describeScorerContract', () => {
  it.each<[fault: string, changes: Partial<Scorer>, failed: string]>([
    ['scores out of range', { score: () => ({ score: 9 }) }, 'scores a good answer'],
    [
      'never stops',
      { score: (sample) => score({ ...sample, signal: new AbortController().signal }) },
      'stops a good answer when its signal aborts',
    ],
    ['needs an expected value without saying so', { needsExpected: true }, 'says whether it needs an expected value'],
    ['scores at random', { score: () => ({ score: Math.random() }) }, 'scores a good answer'],
  ])('fails a scorer that %s', async (_fault, changes, failed) => {
    expect(await failuresOf((test) => describeScorerContract(contractOf(changes), test))).toContain(failed);
  });
});
