import { describe, expect, it } from '@jest/globals';
import { describeScorerContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import embeddingSimilarity from './index.js';

const VECTORS: Readonly<Record<string, number[]>> = {
  east: [2, 0],
  'due east': [5, 0],
  north: [0, 1],
  west: [-1, 0],
  'north-east': [3, 4],
  '{"way":"east"}': [1, 0],
  nowhere: [0, 0],
};
const vector = (text: string): number[] => VECTORS[text]!;

const CASES: [output: string, expected: unknown, score: number, floor?: number][] = [
  ['east', 'due east', 1],
  ['east', 'north', 0],
  ['east', 'west', 0],
  ['east', 'north-east', 0.6],
  ['east', { way: 'east' }, 1],
  ['east', 'north', 0.5, -1],
  ['east', 'west', 0, -1],
  ['east', 'north-east', (0.6 - 0.5) / 0.5, 0.5],
  ['', 'east', 0],
  ['east', '', 0],
  ['', '', 1],
];

describeScorerContract(
  {
    plugin: embeddingSimilarity,
    configs: {
      accepted: [{}, { floor: 0.7 }, { floor: -1 }],
      refused: [{ floor: 1 }, { floor: -2 }, { floor: '0' }, { model: 'm' }, null],
    },
    needsExpected: true,
    samples: CASES.map(([output, expected, score, floor]) => ({
      name: `${output} for ${JSON.stringify(expected)} from ${floor}`,
      sample: { output, expected, config: floor === undefined ? {} : { floor } },
      vector,
      expected: score,
    })),
  },
  { describe, it },
);

describe('EmbeddingSimilarity', () => {
  it('asks once, for both texts, and fails without a direction', async () => {
    const asked: unknown[] = [];
    const scorer = await setUpPlugin(embeddingSimilarity, {});
    const score = (output: string) =>
      scorer.score({
        ...{ input: '', output, expected: 'north-east', rubric: undefined, latencyMs: null, cost: null },
        ...{ config: { floor: 0 }, signal: new AbortController().signal },
        complete: () => Promise.reject(new Error('asked')),
        embed: async ({ texts }) => (asked.push(texts), { vectors: texts.map(vector) }),
      });
    expect(await score('east')).toEqual({ score: 0.6, reason: 'cosine 0.6000' });
    expect(asked).toEqual([['east', 'north-east']]);
    await expect(score('nowhere')).rejects.toThrow('one has no direction');
  });
});
