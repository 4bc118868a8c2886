import { describe, expect, it } from '@jest/globals';
import { dataText, wholeText } from './data-text.js';

describe('data as a line', () => {
  it('is the text, the last message, or JSON', () => {
    expect(dataText('a\nb')).toBe('a\nb');
    expect(dataText(null)).toBe('');
    expect(
      dataText([
        { role: 'user', content: 'first' },
        { role: 'user', content: 'last' },
      ]),
    ).toBe('last');
    expect(dataText({ a: [1] })).toBe('{"a":[1]}');
    expect(dataText([1, 2])).toBe('[1,2]');
  });

  it('is whole where there is room', () => {
    expect([wholeText('a\nb'), wholeText([1])]).toEqual(['a\nb', '[\n  1\n]']);
  });
});
