import { describe, expect, it } from '@jest/globals';
import { diffParts } from './diff-parts.js';

describe('the difference of two texts', () => {
  it('is told by words', () => {
    expect(diffParts('it is Paris', 'it was Paris', 'words')).toEqual([
      { kind: 'same', text: 'it ' },
      { kind: 'removed', text: 'is' },
      { kind: 'added', text: 'was' },
      { kind: 'same', text: ' Paris' },
    ]);
  });

  it('is told by lines', () => {
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
