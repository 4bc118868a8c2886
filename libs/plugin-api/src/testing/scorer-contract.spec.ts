import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineScorer } from '../plugin.js';
import type { Scorer, ScoreSample } from '../scorer.js';
import { failuresOf } from './set-up-plugin.js';
import { describeScorerContract, type ScorerContract } from './scorer-contract.js';

type Config = { of: number };

const promptHash = (rubric: string | undefined): string => (rubric ? 'ab' : 'cd').repeat(32);

/** Example scorer: asks the judge for a number, of ten unless given otherwise; an answer without one gives no score. */
async function score({ output, rubric, config, complete, signal }: ScoreSample<Config>) {
  const { text } = await Promise.race([
    complete({ messages: [{ role: 'user', content: `Rate: ${output} (${rubric ?? 'by feeling'})` }] }),
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  ]);
  const rated = /\d+/.exec(text)?.[0];
  return {
    ...(rated === undefined ? { score: null } : { score: Math.min(Number(rated) / config.of, 1), reason: text }),
    promptHash: promptHash(rubric),
  };
}

const contractOf = (changes: Partial<Scorer<Config>> = {}): ScorerContract<Config> => ({
  plugin: defineScorer<Config>({
    name: 'out-of-ten',
    config: z.strictObject({ of: z.number().min(1).default(10) }),
    setup: () => ({ needsExpected: false, score, ...changes }),
  }),
  configs: { accepted: [{}, { of: 5 }], refused: [{ of: 0 }, null] },
  needsExpected: false,
  samples: [
    {
      name: 'a good answer',
      sample: { output: 'good' },
      judge: (prompt) => (prompt.includes('good') ? '9' : '1'),
      expected: 0.9,
    },
    { name: 'a good answer, of 20', sample: { output: 'good', config: { of: 20 } }, judge: () => '9', expected: 0.45 },
    {
      name: 'a good answer by a rubric',
      sample: { output: 'good', rubric: 'politeness' },
      judge: (prompt) => (prompt.includes('politeness') ? '3' : '9'),
      expected: 0.3,
    },
    { name: 'an answer the judge does not rate', sample: { output: '' }, judge: () => 'hm', expected: null },
  ],
});

describeScorerContract(contractOf(), { describe, it });

describe('describeScorerContract', () => {
  it.each<[fault: string, changes: Partial<Scorer<Config>>, failed: string]>([
    ['scores out of range', { score: () => ({ score: 9 }) }, 'scores a good answer'],
    [
      'never stops',
      { score: (sample) => score({ ...sample, signal: new AbortController().signal }) },
      'stops a good answer when its signal aborts',
    ],
    ['needs an expected value without saying so', { needsExpected: true }, 'says whether it needs an expected value'],
    [
      'ignores its config',
      { score: (sample) => score({ ...sample, config: { of: 10 } }) },
      'scores a good answer, of 20',
    ],
    [
      'ignores the rubric',
      { score: (sample) => score({ ...sample, rubric: undefined }) },
      'scores a good answer by a rubric',
    ],
    [
      'gives a hash that is none',
      { score: async (sample) => ({ ...(await score(sample)), promptHash: 'abc' }) },
      'scores a good answer',
    ],
    [
      'hashes the sample too',
      {
        score: async (sample) => ({
          ...(await score(sample)),
          promptHash: (sample.output === '' ? 'a' : 'b').repeat(64),
        }),
      },
      'gives samples that are judged alike the same prompt hash',
    ],
    ['needs a baseline without saying so', { needsBaseline: true }, 'says whether it needs a baseline'],
    ['scores at random', { score: () => ({ score: Math.random() }) }, 'scores a good answer'],
  ])('fails a scorer that %s', async (_fault, changes, failed) => {
    expect(await failuresOf((test) => describeScorerContract(contractOf(changes), test))).toContain(failed);
  });

  it.each<[string, Partial<Scorer<Config>>, string]>([
    ['prefers an answer to itself', { score: () => ({ score: 1 }) }, 'finds an answer as good as itself'],
    [
      'prefers nobody that is there',
      { score: () => ({ score: 0.5, preference: { baselineFirst: 'first', outputFirst: 'output' } as never }) },
      'finds an answer as good as itself',
    ],
  ])('fails a scorer that %s', async (_fault, changes, failed) => {
    const comparing = { ...contractOf({ needsBaseline: true, ...changes }), needsBaseline: true };
    expect(await failuresOf((test) => describeScorerContract(comparing, test))).toContain(failed);
  });
});
