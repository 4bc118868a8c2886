import { describe, expect, it } from '@jest/globals';
import { contains, exactMatch, isBuiltIn, jsonEqual, matches, type ScorerInput } from './scorer.js';

const about = (output: unknown, expected: unknown): ScorerInput => ({ input: null, output, expected, metadata: {} });

describe('built-in scorers', () => {
  it.each([
    ['Paris', 'Paris', 1],
    ['paris', 'Paris', 0],
    ['42', 42, 1],
    [42, '42', 1],
    ['{"b":1,"a":[1,2]}', { a: [1, 2], b: 1 }, 1],
    [{ b: 1, a: [1, 2] }, { a: [1, 2], b: 1 }, 1],
    [{ a: [2, 1], b: 1 }, { a: [1, 2], b: 1 }, 0],
    ['not JSON', { a: 1 }, 0],
    [{ a: 1, b: undefined }, { a: 1 }, 1],
  ])('exactMatch: %j where %j is expected is %d', (output, expected, score) => {
    expect(exactMatch(about(output, expected))).toEqual({ score });
  });

  it.each([
    ['It is PARIS.', 'paris', 1],
    ['It is Rome.', 'paris', 0],
    [{ city: 'Paris' }, 'Paris', 1],
    ['there are 42 of them', 42, 1],
  ])('contains: %j where %j is expected is %d', (output, expected, score) => {
    expect(contains(about(output, expected))).toEqual({ score });
  });

  it.each([
    [{ rows: [{ id: 1 }, { id: 2 }] }, '{"rows":[{"id":1},{"id":3}]}', '$.rows[1].id: 2 instead of 3'],
    ['[1,2]', [1, 2, 3], '$: 2 entries instead of 3'],
    ['{"a":1}', { a: 1, b: null }, '$.b is missing'],
    ['{"a":1,"c":0}', { a: 1 }, '$.c is not expected'],
    ['{"a":1', { a: 1 }, 'the output is not JSON'],
    ['null', { a: 1 }, '$: null instead of {"a":1}'],
  ])('jsonEqual: %j where %j is expected says where they differ', (output, expected, reason) => {
    expect(jsonEqual(about(output, expected))).toEqual({ score: 0, reason });
  });

  it.each([
    ['{"b": 2, "a": 1.0}', '{"a":1,"b":2}'],
    [{ a: 1 }, { a: 1 }],
    ['plain text', 'plain text'],
    [[{ a: undefined }], [{}]],
  ])('jsonEqual: %j is %j', (output, expected) => {
    expect(jsonEqual(about(output, expected))).toEqual({ score: 1 });
  });

  it('matches the given expression, or that which is expected', () => {
    const digits = matches(/^\d+$/g);
    expect([digits(about('12', null)), digits(about('12', null)), digits(about('1x', null))]).toEqual([
      { score: 1 },
      { score: 1 },
      { score: 0 },
    ]);
    expect(matches(about('Paris, of course', '^paris'))).toEqual({ score: 0 });
    expect(matches(about('Paris, of course', '/^paris/i'))).toEqual({ score: 1 });
    expect(() => matches(about('x', '['))).toThrow('Invalid regular expression');
    expect(digits.name).toBe('matches');
  });

  it.each([exactMatch, contains, jsonEqual, matches])('%p says that nothing is expected', (score) => {
    expect(isBuiltIn(score)).toBe(true);
    expect(() => score(about('x', undefined))).toThrow(`the datapoint expects nothing, which ${score.name} needs`);
  });
});
