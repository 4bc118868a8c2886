import { describe, expect, it } from '@jest/globals';
import { readInputAndExpected, expectedText, decidePass, readPassRule } from './eval-item.js';
import type { EvalRunRow } from './eval-run.entity.js';
import { PASS_MODE } from './eval-run.js';

const generic = (input: unknown, expected_output?: unknown) => ({ Generic: { input, expected_output } });

describe('the expected value', () => {
  it('is absent when it is null or missing', () => {
    expect(readInputAndExpected(generic('x')).expected).toBeUndefined();
    expect(readInputAndExpected(generic('x', null)).expected).toBeUndefined();
    expect(readInputAndExpected({ LlmConversation: { messages: [], expected: null } }).expected).toBeUndefined();
    expect(expectedText(undefined)).toBeNull();
  });

  it('is a text as it is, other JSON compact', () => {
    expect(expectedText(readInputAndExpected(generic('x', '')).expected)).toBe('');
    expect(expectedText(readInputAndExpected(generic('x', { b: 1 })).expected)).toBe('{"b":1}');
    expect(expectedText(readInputAndExpected(generic('x', 0)).expected)).toBe('0');
    expect(expectedText(readInputAndExpected({ LlmConversation: { messages: [], expected: 'Y' } }).expected)).toBe('Y');
  });
});

const rowOf = (passMode: number, scorers: { weight: number; pass_score: number }[], passScore = 1): EvalRunRow =>
  ({ passMode, passScore, scorers: JSON.stringify(scorers) }) as EvalRunRow;

/** Whether a sample passes by its combined score, the first, and those of the scorers. */
const passes = (run: EvalRunRow, combined: number | null, ...scores: (number | null)[]): boolean | null =>
  decidePass(readPassRule(run), (at) => (at === null ? combined : (scores[at] ?? null)));

const BOTH = [
  { weight: 1, pass_score: 1 },
  { weight: 3, pass_score: 0.5 },
];

describe('a sample passes', () => {
  it('when every scorer with a weight reaches its own pass score', () => {
    const run = rowOf(PASS_MODE.all, [...BOTH, { weight: 0, pass_score: 1 }]);
    expect(passes(run, 0.625, 1, 0.5, 0)).toBe(true);
    expect(passes(run, 0.6, 1, 0.5 - 1e-13, null)).toBe(true);
    expect(passes(run, 0.75, 0, 1, 1)).toBe(false);
    expect(passes(run, 0.5, 1, 0.3, 1)).toBe(false);
  });

  it('by those that gave a score, and not at all where none did', () => {
    const run = rowOf(PASS_MODE.all, BOTH);
    expect(passes(run, 1, 1, null)).toBe(true);
    expect(passes(run, 0, 0, null)).toBe(false);
    expect(passes(run, null, null, null)).toBeNull();
  });

  it('by all scorers where none has a weight', () => {
    const run = rowOf(PASS_MODE.all, [{ weight: 0, pass_score: 0.5 }]);
    expect([passes(run, null, 0.5), passes(run, null, 0.4), passes(run, null, null)]).toEqual([true, false, null]);
  });

  it('by the mean and the pass score of the run, where it was started so or before there was another way', () => {
    const run = rowOf(PASS_MODE.mean, [...BOTH, { weight: 0, pass_score: 0 }], 0.75);
    expect([passes(run, 0.75, 0, 1, 1), passes(run, 0.7, 1, 0.6, 1)]).toEqual([true, false]);
    expect(passes(run, null, 1, 1, 1)).toBeNull();
  });
});
