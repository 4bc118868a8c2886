import { describe, expect, it } from '@jest/globals';
import { LONG_TEXT_CHARS, LongTexts } from './long-texts.js';

const text = (length: number) => ({ format: 'text' as const, text: 'x'.repeat(length) });

describe('long texts', () => {
  it('are found as long as their span looks as it did', () => {
    const texts = new LongTexts();
    const long = text(LONG_TEXT_CHARS);
    texts.keep('a', '1', long);
    expect(texts.find('a', '1')).toBe(long);
    expect(texts.find('a', '1')).toBe(long);
    expect(texts.find('b', '1')).toBeUndefined();
    expect(texts.find('a', '2')).toBeUndefined();
    expect(texts.find('a', '1')).toBeUndefined();
  });

  it('are not kept when they are short', () => {
    const texts = new LongTexts();
    texts.keep('a', '1', text(LONG_TEXT_CHARS - 1));
    expect(texts.find('a', '1')).toBeUndefined();
  });

  it('make room for newer ones, those first that were not asked for the longest', () => {
    const texts = new LongTexts();
    const long = text(12 * 1_048_576);
    for (const key of ['a', 'b', 'a', 'c']) {
      if (!texts.find(key, '1')) texts.keep(key, '1', long);
    }
    expect(['a', 'b', 'c'].filter((key) => texts.find(key, '1'))).toEqual(['a', 'c']);
    texts.keep('huge', '1', text(33 * 1_048_576));
    expect(['a', 'c', 'huge'].filter((key) => texts.find(key, '1'))).toEqual(['a', 'c']);
  });

  it('are forgotten a minute after the last piece', () => {
    let now = 0;
    const texts = new LongTexts(() => now);
    texts.keep('a', '1', text(LONG_TEXT_CHARS));
    now = 59_000;
    expect(texts.find('a', '1')).toBeDefined();
    now = 118_000;
    expect(texts.find('a', '1')).toBeDefined();
    now = 179_000;
    expect(texts.find('a', '1')).toBeUndefined();
  });
});
