import { expect, it } from '@jest/globals';
import { metadataLine, metadataText } from './metadata-text.js';

it('writes metadata in one line, with every digit', () => {
  const metadata = { release: '2.5.0', seed: JSON.rawJSON('12345678901234567890'), flags: ['a'], none: null };
  expect(metadataLine(metadata)).toBe('release=2.5.0, seed=12345678901234567890, flags=["a"], none=null');
});

it('writes a value on several lines where there is room', () => {
  expect([metadataText('a\nb', 2), metadataText([1], 2)]).toEqual(['a\nb', '[\n  1\n]']);
});
