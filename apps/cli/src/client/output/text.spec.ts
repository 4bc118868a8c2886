import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanJson, manyLines, oneLine, cutText, padText, measureWidth } from './text.js';

const TITLE = '\u001b]0;owned\u0007';

describe('recorded texts on a terminal', () => {
  it('have no control characters that it would obey', () => {
    expect(oneLine(`a${TITLE}b \u001b[31mred\u009b2J`)).toBe(String.raw`a\x1b]0;owned\x07b \x1b[31mred\x9b2J`);
    expect(manyLines(`1\n\t2\r\n3\r4${TITLE}`)).toBe(`1\n\t2\n3${String.raw`\x0d`}4${String.raw`\x1b]0;owned\x07`}`);
  });

  it('cannot turn the direction of what stands beside them', () => {
    expect(oneLine('user\u202etxt.exe')).toBe(String.raw`user\u202etxt.exe`);
    expect(manyLines('a\u2066b\u2028c')).toBe(String.raw`a\u2066b\u2028c`);
  });

  it('are one line where one is asked for', () => {
    expect(oneLine('  one\n two\t\u00a0three\u2028four  ')).toBe('one two three four');
  });

  it('stay as they are otherwise, and are well-formed', () => {
    const text = 'naïve — 東京 👩‍👩‍👧 “quoted” \\x1b';
    expect([oneLine(text), manyLines(text)]).toEqual([text, text]);
    expect(oneLine('a\ud800b')).toBe('a\ufffdb');
  });

  it('mean the same in JSON, with each control character as an escape', () => {
    const value = { text: `\u009b2J\u007f ${TITLE} \u202e` };
    const json = cleanJson(JSON.stringify(value));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});

describe('cutText', () => {
  it('keeps what has room and marks what was cut', () => {
    expect(cutText('hello', 5)).toBe('hello');
    expect(cutText('hello!', 5)).toBe('hell…');
    expect(cutText('to be or', 4)).toBe('to…');
    expect(cutText('x', 0)).toBe('');
  });

  it('cuts no character apart', () => {
    expect(cutText('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4)).toBe('👩‍👩‍👧…');
    expect(cutText('東京タワー', 4)).toBe('東…');
    expect(cutText('é'.normalize('NFD').repeat(9), 3)).toBe(`${'é'.normalize('NFD').repeat(2)}…`);
  });

  it('cuts a letter with thousands of marks as any long text', () => {
    expect(cutText(`a${'\u0301'.repeat(5_000)}b`, 10).length).toBeLessThan(200);
  });

  it('never takes more columns than it may', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
        expect(measureWidth(cutText(text, columns))).toBeLessThanOrEqual(Math.max(columns, 1));
      }),
    );
  });
});

it('padText fills up by columns', () => {
  expect([padText('東', 4), padText('5', 3, 'right'), padText('long', 2)]).toEqual(['東  ', '  5', 'long']);
});
