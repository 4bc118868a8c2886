import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  findInText,
  markMatches,
  MATCHES_MAX,
  FOLD_LINES,
  foldedText,
  foldedToLines,
  ROW_LENGTH_MAX,
  rowAtOffset,
  rowStarts,
  rowText,
} from './text-rows.js';

const rowsOf = (text: string): string[] => {
  const starts = rowStarts(text);
  return Array.from(starts, (_, row) => rowText(text, starts, row));
};

describe('rows of a text', () => {
  it('are its lines', () => {
    expect(rowsOf('a\n\nb\n')).toEqual(['a', '', 'b', '']);
    expect(rowsOf('')).toEqual(['']);
    expect(rowsOf('\n')).toEqual(['', '']);
  });

  it('cut a long line, and never a character', () => {
    const line = `${'x'.repeat(ROW_LENGTH_MAX - 1)}😀y`;
    expect(rowsOf(`${line}\nz`)).toEqual(['x'.repeat(ROW_LENGTH_MAX - 1), '😀y', 'z']);
    expect(rowsOf('x'.repeat(ROW_LENGTH_MAX))).toHaveLength(1);
    expect(rowsOf(`${'x'.repeat(ROW_LENGTH_MAX)}\n`)).toEqual(['x'.repeat(ROW_LENGTH_MAX), '']);
  });

  it('are the text again when put together, and know where every character is', () => {
    const line = fc.oneof(
      fc.string(),
      fc.integer({ min: 1_990, max: 6_010 }).map((length) => 'x'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        const starts = rowStarts(text);
        expect(rowsOf(text).join('').length).toBe(text.replaceAll('\n', '').length);
        for (const [row, start] of starts.entries()) {
          expect(rowAtOffset(starts, start)).toBe(row);
          if (row > 0) expect(rowAtOffset(starts, start - 1)).toBe(row - 1);
        }
      }),
    );
  });
});

describe('findInText', () => {
  it('finds literally, whatever the case', () => {
    expect(findInText('A.b a.B axb', 'a.b')).toEqual([
      { from: 0, to: 3 },
      { from: 4, to: 7 },
    ]);
    expect(findInText('ÄÖ äö', 'äö')).toHaveLength(2);
    expect(findInText('x', '')).toEqual([]);
    expect(findInText('a\ud800b', '\ud800')).toEqual([{ from: 1, to: 2 }]);
  });

  it('stops counting somewhere', () => {
    expect(findInText('a'.repeat(MATCHES_MAX + 5), 'a')).toHaveLength(MATCHES_MAX);
  });

  it('takes any character for itself', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, sought, after) => {
        const found = findInText(before + sought + after, sought);
        expect(found.length).toBeGreaterThan(0);
        expect(
          markMatches(before + sought + after, sought)
            .map(({ text }) => text)
            .join(''),
        ).toBe(before + sought + after);
      }),
    );
  });

  it('cuts a row into what is marked and what is not', () => {
    expect(markMatches('one two', 'TW')).toEqual([
      { text: 'one ', isMatch: false },
      { text: 'tw', isMatch: true },
      { text: 'o', isMatch: false },
    ]);
    expect(markMatches('', 'a')).toEqual([{ text: '', isMatch: false }]);
  });
});

describe('foldedToLines', () => {
  it('leaves two lines of more than six, and of long ones their beginning', () => {
    expect(foldedToLines('a\nb\nc\nd\ne\nf')).toBeNull();
    expect(foldedToLines('a\nb\nc\nd\ne\nf\ng')).toBe('a\nb');
    expect(foldedToLines('x'.repeat(600))).toBeNull();
    expect(foldedToLines('x'.repeat(100_000))).toHaveLength(200);
  });
});

describe('foldedText', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}`).join('\n');

  it('folds beyond so many lines, or characters of one', () => {
    expect(foldedText(lines(FOLD_LINES))).toBeNull();
    expect(foldedText(lines(FOLD_LINES + 1))).toBe(lines(FOLD_LINES));
    expect(foldedText('x'.repeat(8_000))).toBeNull();
    expect(foldedText('x'.repeat(8_001))).toHaveLength(8_000);
    expect(foldedText(`a\n${'x'.repeat(9_000)}\nb`)).toHaveLength(8_000);
  });
});
