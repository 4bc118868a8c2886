import { describe, expect, it } from '@jest/globals';
import { areAlike, diffParts, foldSame, type DiffPart } from './diff-parts.js';

describe('the difference of two texts', () => {
  it('is said by words', () => {
    expect(diffParts('it is Paris', 'it was Paris', 'words')).toEqual([
      { kind: 'same', text: 'it ' },
      { kind: 'removed', text: 'is' },
      { kind: 'added', text: 'was' },
      { kind: 'same', text: ' Paris' },
    ]);
  });

  it('is said by lines', () => {
    expect(diffParts('a\nb\n', 'a\nc\n', 'lines')).toEqual([
      { kind: 'same', text: 'a\n' },
      { kind: 'removed', text: 'b\n' },
      { kind: 'added', text: 'c\n' },
    ]);
  });

  it('is nothing between equal texts', () => {
    expect(diffParts('same', 'same', 'words')).toEqual([{ kind: 'same', text: 'same' }]);
  });

  it('is one for the other where there would be too many parts', () => {
    // An empty line more after each line: one word and one line more each, the fewest changes that make so many parts.
    const lines = Array.from({ length: 2_001 }, (_, at) => `${at}\n`);
    const changed = lines.map((line) => `${line}\n`).join('');
    expect(diffParts(lines.join(''), changed, 'words')).toEqual([
      { kind: 'removed', text: lines.join('') },
      { kind: 'added', text: changed },
    ]);
  });
});

describe('texts', () => {
  it('are alike where more than 60% of both is', () => {
    const alike = (before: string, after: string): boolean => areAlike(diffParts(before, after, 'words'));
    expect([alike('it is Paris', 'it was Paris'), alike('Paris', 'Lyon'), alike('same', 'same')]).toEqual([
      ...[true, false, true],
    ]);
    // Six of ten characters of each stay: that is not more.
    expect([alike('abcdef ghi', 'abcdef xyz'), alike('abc def', 'xyz def')]).toEqual([true, false]);
    expect(areAlike([])).toBe(false);
  });
});

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
