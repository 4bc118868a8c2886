import { describe, expect, it } from '@jest/globals';
import { diffParts, type DiffPart } from './diff-parts.js';
import { foldSame } from './fold-same.js';

const lines = (from: number, until: number): string =>
  Array.from({ length: until - from }, (_, at) => `line ${from + at}\n`).join('');
const same = (text: string): DiffPart => ({ kind: 'same', text });
const CHANGE: readonly DiffPart[] = [
  { kind: 'removed', text: 'old\n' },
  { kind: 'added', text: 'new\n' },
];

describe('foldSame', () => {
  it('folds lines between two changes and leaves three beside each', () => {
    expect(foldSame([...CHANGE, same(lines(0, 126)), ...CHANGE])).toEqual([
      ...CHANGE,
      same(lines(0, 3)),
      { kind: 'folded', text: lines(3, 123), lines: 120 },
      same(lines(123, 126)),
      ...CHANGE,
    ]);
  });

  it('folds what is before the first change and behind the last from the very edge', () => {
    expect(foldSame([same(lines(0, 20)), ...CHANGE, same(`${lines(0, 20)}end`)])).toEqual([
      { kind: 'folded', text: lines(0, 17), lines: 17 },
      same(lines(17, 20)),
      ...CHANGE,
      same(lines(0, 3)),
      { kind: 'folded', text: `${lines(3, 20)}end`, lines: 18 },
    ]);
  });

  it('leaves fewer than eight lines as they are', () => {
    const short = [...CHANGE, same(lines(0, 13)), ...CHANGE];
    expect(foldSame(short)).toEqual(short);
    expect(foldSame([...CHANGE, same(lines(0, 14)), ...CHANGE])).toContainEqual({
      kind: 'folded',
      text: lines(3, 11),
      lines: 8,
    });
  });

  it('keeps a line whole in which a word changed', () => {
    const folded = foldSame(diffParts(`a b\n${lines(0, 30)}c d e`, `a x\n${lines(0, 30)}c y e`, 'words'));
    expect(folded).toEqual([
      same('a '),
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'x' },
      same(`\n${lines(0, 2)}`),
      { kind: 'folded', text: lines(2, 28), lines: 26 },
      same(`${lines(28, 30)}c `),
      { kind: 'removed', text: 'd' },
      { kind: 'added', text: 'y' },
      same(' e'),
    ]);
  });

  it('leaves out nothing, and equal texts whole', () => {
    const parts = [same(lines(0, 40)), ...CHANGE, same('\n\n\n\n\n\n\n\n\n\n\n\n'), ...CHANGE];
    const textOf = (all: readonly { text: string }[]): string => all.map(({ text }) => text).join('');
    expect(textOf(foldSame(parts))).toBe(textOf(parts));
    expect(foldSame([same(lines(0, 500))])).toEqual([same(lines(0, 500))]);
    expect(foldSame([])).toEqual([]);
  });
});
