import { describe, expect, it } from '@jest/globals';
import { defineEval, exactMatch, isEvalDefinition, scorer, server, type EvalDefinition } from '../eval.js';

const answer = (question: string): Promise<string> => Promise.resolve(question);

/** Compiles only where both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_isSame: Same<A, B>): void => {};

describe('defineEval', () => {
  it('is known by any copy of the package', () => {
    const definition = defineEval({ dataset: 'capitals', task: ({ input }) => answer(input) });
    expect(isEvalDefinition(definition)).toBe(true);
    expect(isEvalDefinition({ ...definition, resume: 'r' })).toBe(true);
    expect(isEvalDefinition({ [Symbol.for('spandrel.eval')]: true })).toBe(true);
    for (const other of [{ dataset: 'capitals', task: answer }, null, undefined, 'x', () => {}]) {
      expect(isEvalDefinition(other)).toBe(false);
    }
  });

  it('infers what task and scorers get from the items, and what scorers get from the task', () => {
    const definition = defineEval({
      dataset: {
        name: 'capitals',
        items: [
          { input: { country: 'France' }, expected: 'Paris', metadata: { easy: true } },
          { input: { country: 'Peru' }, expected: 'Lima', metadata: { easy: false } },
        ],
      },
      task: async ({ input, metadata }, { repeat, signal }) => {
        same<typeof input, { country: string }>(true);
        same<typeof metadata, { easy: boolean }>(true);
        same<typeof repeat, number>(true);
        same<typeof signal, AbortSignal>(true);
        return { output: { city: input.country }, usage: { inputTokens: 1 }, cost: 0.1 };
      },
      scorers: [
        exactMatch,
        ({ output, expected, input }) => {
          same<typeof output, { city: string }>(true);
          same<typeof expected, string>(true);
          same<typeof input, { country: string }>(true);
          return output.city === expected;
        },
        scorer('short', ({ output }) => ({ score: output.city.length < 80 ? 1 : 0, reason: 'long' }), { weight: 0 }),
        server('LlmJudge', { judge: { connectionId: 'c', temperature: null } }),
        // A scorer as autoevals has them.
        async ({ expected }: { output: unknown; expected?: unknown }) => ({
          name: 'A',
          score: null,
          metadata: { expected },
        }),
      ],
    });
    expect(definition.scorers).toHaveLength(5);
  });

  it('takes an output as it is, and typed tasks over datasets of the server', () => {
    const plain = defineEval({ dataset: 'capitals', task: ({ input }: { input: string }) => answer(input) });
    same<typeof plain extends EvalDefinition<string, string, infer _E, infer _M> ? true : false, true>(true);
    const odd = defineEval({
      dataset: 'capitals',
      task: ({ input }) => ({ text: String(input), output: 1 }),
      scorers: [({ output }) => output.text.length],
    });
    expect(odd.repeats).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['no task', { task: undefined }, 'task must be a function'],
    ['no dataset', { dataset: undefined }, 'dataset must be a name, an id, or { name, items }'],
    ['a member that is not known', { repeat: 3 }, 'repeat is not known (repeats?); there are dataset, task'],
    [
      'an item without an input',
      { dataset: { name: 'd', items: [{ inptu: 1 }] } },
      'dataset.items[0].inptu is not known',
    ],
    [
      'an item of nothing',
      { dataset: { name: 'd', items: [{}] } },
      'dataset.items[0] must have either input or messages',
    ],
    ['repeats out of range', { repeats: 101 }, 'repeats must be a number from 1 to 100'],
    ['repeats that are no whole number', { repeats: 1.5 }, 'repeats must be a whole number from 1 to 100'],
    ['a concurrency of none', { concurrency: 0 }, 'concurrency must be a number of 1 or more'],
    ['a pass score over 1', { passScore: 80 }, 'passScore must be a number from 0 to 1'],
    ['a gate that is none', { gates: ['meen > 1'] }, 'gate "meen > 1": "meen" is no metric (mean?)'],
    ['a gate that needs a baseline', { gates: ['no regression'] }, 'gate "no regression" needs a baseline'],
    [
      'more tries than repeats',
      { gates: ['pass_at_k@3 > 0.5'], repeats: 2 },
      '@3 asks for more tries than repeats, which is 2',
    ],
    ['two scorers of a name', { scorers: [exactMatch, exactMatch] }, 'two scorers are named "exactMatch"'],
    [
      'a scorer that is none',
      { scorers: ['exactMatch'] },
      'scorers[0] must be a function, or what scorer(…) or server(…) gives',
    ],
    ['a name with blanks', { scorers: [scorer('a b', () => 1)] }, 'scorers[0].name must be 1 to 64 characters'],
    [
      'a judge in the words of the API',
      { scorers: [{ scoring: 'LlmJudge', judge: { connection_id: 'c' } }] },
      'scorers[0].judge.connection_id is not known (connectionId?)',
    ],
    ['metadata that is no text', { metadata: { run: 7 } }, 'metadata.run must be a text'],
    ['a budget of nothing', { maxCostUsd: 0 }, 'maxCostUsd must be more than 0'],
  ])('refuses %s', (_, members, why) => {
    const definition = { dataset: 'd', task: answer, ...members } as unknown as EvalDefinition;
    expect(() => defineEval(definition)).toThrow(why);
  });
});
