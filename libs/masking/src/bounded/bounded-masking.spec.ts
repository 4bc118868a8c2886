import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MASKED_FIELDS, parseExactJson, type MaskedField, type MaskingRule } from '@spandrel/contract';
import type { LoadedMasker } from '@spandrel/kernel';
import type { Finder } from '@spandrel/plugin-api';
import fc from 'fast-check';
import { growth } from '../../../../test/support/growth.js';
import { maskSpan } from '../engine/mask-span.js';
import { Masking } from '../engine/masking.js';
import { BoundedMasking, LoopTurn, type MaskingThreads } from './bounded-masking.js';

/** Finds a word, also as a number of JSON. */
const WORD: Finder = {
  lengthMin: 4,
  numbers: true,
  find: (text) => [...text.matchAll(/anna|4111/g)].map(({ index }) => ({ start: index, end: index + 4 })),
};
const loaded = (finder: Finder): LoadedMasker => ({
  name: 'word',
  entry: { use: 'word', config: {} },
  extension: { label: 'w', finder: () => finder },
  configure: () => ({ config: {} }),
  configSchema: null,
});
const rule = (fields: readonly MaskedField[], label: string): MaskingRule => ({
  ...{ masker: 'word', fields: [...fields], replace: 'label', label, config: {} },
});
const RULES = [rule(MASKED_FIELDS, 'w'), rule(['output'], 'longer')];

/** A turn in which others have had all the time. */
class SpentTurn extends LoopTurn {
  turns = 0;
  private isOpen = false;
  override get left(): number {
    return this.isOpen ? 0.01 : 0;
  }
  override async next(): Promise<void> {
    this.turns++;
    await nextTurn();
    this.isOpen = true;
  }
}

/** A turn that is long enough on a machine that is busy with other things. */
class EndlessTurn extends LoopTurn {
  override get left(): number {
    return 600_000;
  }
}

function boundedOf({ finder = WORD, turn = new LoopTurn() }: { finder?: Finder; turn?: LoopTurn } = {}) {
  const failed: string[] = [];
  const long: string[] = [];
  const parts = { hashes: null, onFailure: (masker: string) => void failed.push(masker) };
  const masking = new Masking(RULES, [loaded(finder)], parts);
  const threads: Pick<MaskingThreads, 'mask'> = {
    mask: async (_project, { field, text }) => {
      long.push(text);
      await nextTurn();
      return { text: masking.of(field)!.mask(text), failed: [], found: [] };
    },
  };
  const recipe = { rules: RULES, hashKey: null };
  const { onFailure } = parts;
  return {
    masking,
    failed,
    long,
    bounded: new BoundedMasking({ projectId: 'p', recipe, masking, threads, turn, onFailure }),
  };
}

const text = fc.oneof(fc.constantFrom('anna', 'hi anna', 'berta', '', '__proto__', 'name', 'anna 4111'), fc.string());
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, text, fc.constantFrom(4111, 1, null, true), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
})).value;

describe('BoundedMasking', () => {
  it('masks what is small at once', () => {
    const { bounded } = boundedOf({ turn: new EndlessTurn() });
    expect(bounded.run((calls) => calls.text('hi anna', 'input'))).toBe('hi [w]');
    const value = { a: ['berta'] };
    expect(bounded.run((calls) => calls.json(value, 'input'))).toBe(value);
  });

  it('masks in slices and by threads exactly as at once', async () => {
    await fc.assert(
      fc.asyncProperty(json, text, async (value, name) => {
        const turn = new SpentTurn();
        const { bounded, masking } = boundedOf({ turn });
        const span = {
          name,
          kind: { type: 'llm', anna: value },
          input: value,
          output: value,
          error: name,
          metadata: { value },
        };
        const both = { span, twice: value };
        const mask = (calls: Pick<Masking, 'json' | 'text' | 'members'>) => ({
          span: maskSpan(calls, both.span),
          twice: calls.json(both.twice, 'input', 'output'),
        });
        expect(await bounded.run(mask)).toEqual(mask(masking));
        expect(turn.turns).toBeGreaterThan(0);
      }),
    );
  });

  it('sends long texts to threads, and what rules take long over', async () => {
    const { bounded, long } = boundedOf();
    const length = 70_000;
    const masked = await bounded.run((calls) =>
      calls.json({ deep: [`anna${'.'.repeat(length)}`], ['n'.repeat(length)]: 1 }, 'input'),
    );
    expect(masked).toEqual({ deep: [`[w]${'.'.repeat(length)}`], ['n'.repeat(length)]: 1 });
    expect(long).toHaveLength(2);
    const slow = boundedOf({ finder: { ...WORD, work: 1_000 } });
    expect(await slow.bounded.run((calls) => calls.text('anna, '.repeat(200), 'input'))).toBe('[w], '.repeat(200));
    expect(slow.long).toHaveLength(1);
  });

  it('sends a text to threads over which a finder takes long, between two of its values', async () => {
    let calls = 0;
    const slow = function* () {
      for (let at = 0; at < 1_000; at += 4) {
        // The third time is that of the thread.
        for (const until = performance.now() + (calls < 3 ? 1 : 0); performance.now() < until;);
        yield { start: at, end: at + 4 };
      }
    };
    const find = () => (calls++, slow());
    const { bounded, long } = boundedOf({ finder: { ...WORD, find } });
    await bounded.run((given) => given.text('x'.repeat(1_000), 'identity'));
    expect(long).toHaveLength(1);
  });

  it('serves others between slices of 500,000 values, whatever they are', async () => {
    const many = 500_000;
    const bodies = [
      `[${'[],'.repeat(many)}0]`,
      `[${'"anna",'.repeat(many)}0]`,
      `[${'41110.5,'.repeat(many)}0]`,
      `{${Array.from({ length: many / 5 }, (_, index) => `"anna${index}":1`).join(',')}}`,
    ];
    const { bounded } = boundedOf();
    for (const body of bodies) {
      const value = parseExactJson(body);
      let isDone = false;
      let longest = 0;
      const watch = (async () => {
        for (let before = process.threadCpuUsage().user; !isDone;) {
          await nextTurn();
          const now = process.threadCpuUsage().user;
          longest = Math.max(longest, now - before);
          before = now;
        }
      })();
      await nextTurn();
      await bounded.run((calls) => calls.json(value, 'input'));
      isDone = true;
      await watch;
      // In microseconds of CPU of this thread, which was seen at 51 ms on a machine that others use too; whole it takes seconds.
      expect([body.slice(0, 20), longest < 500_000, longest]).toEqual([body.slice(0, 20), true, longest]);
    }
  });

  it('takes time in the number of members, also where all their names become equal', () => {
    const digits = (own: string) =>
      [...own.matchAll(/\d+/g)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
    const { masking } = boundedOf({ finder: { lengthMin: 1, find: digits } });
    const prepare = (count: number) => {
      const value = Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index]));
      return () => expect(Object.keys(masking.json(value, 'input')).at(-1)).toBe(`n[w] ${count}`);
    };
    expect(growth(prepare, 10_000, 4, 9)).toBeLessThan(9);
  });

  it('stores nothing when what masks asks for something else the second time', async () => {
    const { bounded } = boundedOf({ turn: new SpentTurn() });
    let times = 0;
    const fickle = bounded.run((calls) =>
      times++ === 0 ? [calls.text('anna', 'input'), calls.text('anna', 'input')] : [calls.text('anna', 'input')],
    );
    await expect(fickle).rejects.toThrow('changed in between');
  });

  it('reports what it could not do', () => {
    const { bounded, failed } = boundedOf();
    const nothing = bounded.attempt((calls) => calls.text('x'.repeat(70_000), 'input'));
    expect(nothing).toBeUndefined();
    expect(failed).toEqual([]);
  });
});
