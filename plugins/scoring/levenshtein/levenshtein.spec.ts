import { describe, expect, it } from '@jest/globals';
import { describeScorerContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import * as fc from 'fast-check';
import levenshtein from './index.js';

const CASES: [output: string, expected: unknown, score: number][] = [
  ['kitten', 'sitting', 1 - 3 / 7],
  ['Paris', 'Paris', 1],
  ['paris', 'Paris', 0.8],
  ['', '', 1],
  ['', 'abc', 0],
  ['abc', '', 0],
  ['abc', 'xyz', 0],
  ['{"a":1}', { a: 2 }, 1 - 1 / 7],
  ['42', 42, 1],
  // Characters, not halves of them.
  ['\u{1F600}', '\u{1F601}', 0],
  ['a\u{1F600}', 'a', 0.5],
  [`${'a'.repeat(1_000_000)}b`, `${'a'.repeat(1_000_000)}c`, 1 - 1 / 1_000_001],
];

describeScorerContract(
  {
    plugin: levenshtein,
    configs: { accepted: [{}], refused: [{ ignore_case: true }, null] },
    needsExpected: true,
    samples: CASES.map(([output, expected, score]) => ({
      name: `${JSON.stringify(output).slice(0, 40)} for ${JSON.stringify(expected).slice(0, 40)}`,
      sample: { output, expected },
      expected: score,
    })),
  },
  { describe, it },
);

describe('Levenshtein', () => {
  const score = async (output: string, expected: string): Promise<number | null> => {
    const ask = () => Promise.reject(new Error('asked'));
    const { signal } = new AbortController();
    const sample = { input: '', rubric: undefined, latencyMs: null, cost: null, config: {}, signal };
    return (
      await (await setUpPlugin(levenshtein, {})).score({ ...sample, output, expected, complete: ask, embed: ask })
    ).score;
  };

  /** Counted by the table of Wagner and Fischer. */
  function countChanges(one: string[], other: string[]): number {
    let row = Array.from({ length: other.length + 1 }, (_, at) => at);
    for (const [i, a] of one.entries()) {
      const next = [i + 1];
      for (const [j, b] of other.entries()) {
        next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (a === b ? 0 : 1)));
      }
      row = next;
    }
    return row.at(-1)!;
  }

  it('is one less the changes per character, whatever the texts', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{1F600}', '\u{1F601}'), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const [first, second] = [[...one], [...other]];
        const length = Math.max(first.length, second.length);
        const expected = length === 0 ? 1 : 1 - countChanges(first, second) / length;
        expect(await score(one, other)).toBe(expected);
        expect(await score(other, one)).toBe(expected);
      }),
    );
  });

  it('refuses texts that it would take for ever to compare', async () => {
    await expect(score('a'.repeat(1_000_000), 'b'.repeat(1_000_000))).rejects.toThrow(
      'too long to compare: between what they have in common at both ends there are 1000000 and 1000000 characters',
    );
  });
});
