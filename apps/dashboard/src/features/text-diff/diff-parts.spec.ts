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
});
