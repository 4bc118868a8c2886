import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.js';

/** Pieces of patterns; what is put together of them is often a pattern. */
const ATOMS = [
  ...[
    'a',
    'é',
    '\u{1F600}',
    '.',
    '^',
    '$',
    '\\b',
    '\\d',
    '\\W',
    '\\pL',
    '\\p{Han}',
    '\\P{L}',
    '\\x41',
    '\\x{1F600}',
    '\\n',
  ],
  ...[
    '[a-z]',
    '[^a-z0-9_]',
    '[]a]',
    '[^]]',
    '[[:alpha:]x]',
    '[\\pL\\d]',
    '[a\\]b]',
    '[{]',
    '[(|)]',
    '\\Qa{9}*\\E',
    '\\{',
    '\\(',
  ],
  ...['{', '}', '{x}', 'a{,3}', '-', '\\\\'],
];
const REPETITIONS = ['', '', '*', '+', '?', '*?', '{3}', '{2,}', '{0,4}', '{7}?', '{1,9}', '{0}', '{12,13}'];
const OPENINGS = ['(', '(?:', '(?i)', '(?i:', '(?P<name>', '(?<other>', '(?s-i:', '(?U)'];

const atom = fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...REPETITIONS)).map((parts) => parts.join(''));
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc.array(tie('part'), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc
      .tuple(fc.constantFrom(...OPENINGS), tie('pattern'), tie('pattern'), fc.constantFrom(...REPETITIONS))
      .map(([opening, one, other, repetition]) =>
        opening.endsWith(')') ? `${opening}${one}` : `${opening}${one}|${other})${repetition}`,
      ),
  ),
}));

function programOf(text: string): number | undefined {
  try {
    return RE2JS.compile(text).programSize();
  } catch {
    return undefined;
  }
}

describe('patternSize', () => {
  it('is never less than the program that a pattern becomes', () => {
    let compiled = 0;
    fc.assert(
      fc.property(pattern, (text) => {
        const { steps } = patternSize(text, false);
        if (steps > 50_000) return;
        const program = programOf(text);
        if (program !== undefined) compiled++;
        expect(steps).toBeGreaterThanOrEqual(program ?? 0);
      }),
      { numRuns: 2_000 },
    );
    expect(compiled).toBeGreaterThan(200);
  });

  it('is about that, so that few patterns are refused that could be kept', () => {
    for (const text of [
      'EMP-\\d{6}',
      '\\b[A-Z][a-z]+ \\d{1,5}\\b',
      '(\\pL|\\d){1,50}x',
      'Alice|Bob|Carol',
      '[a-z]{1,300}',
    ]) {
      expect(patternSize(text, false).steps).toBeLessThanOrEqual(3 * programOf(text)!);
    }
  });

  it('counts repetitions of repetitions', () => {
    expect(patternSize('(a?){1000}a{1000}', false).steps).toBeGreaterThan(3_000);
    expect(patternSize('(a|aa|aaa){300}a{600}', false).steps).toBeGreaterThan(3_000);
    expect(patternSize('(((a{10}){10}){10}){10}', false).steps).toBeGreaterThan(10_000);
    expect(patternSize(`(${'a'.repeat(300)}){1000}`, false).steps).toBeGreaterThan(300_000);
  });

  it('counts classes by what it takes to read them', () => {
    expect(patternSize('\\pL'.repeat(300), false).classes).toBe(1_500);
    expect(patternSize('[a-\\x{10ffff}]', false).classes).toBeLessThan(5);
    expect(patternSize('(?i)[a-\\x{10ffff}]', false).classes).toBeGreaterThan(400);
    expect(patternSize('[a-z0-9]', true).classes).toBeLessThan(5);
  });
});
