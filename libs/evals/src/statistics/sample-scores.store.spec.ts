import { describe, expect, it } from '@jest/globals';
import { renderSql } from '@spandrel/storage';
import { selectScores, readScores } from './sample-scores.store.js';

describe('scores that a text reports', () => {
  it('are read where they begin', () => {
    expect(readScores('0.5,"reason":"a, b}"\n1}\nnull,"reason":null', ['a', 'b', 'c'])).toEqual([0.5, 1, null]);
    expect(readScores('2.5e-7,"reason":null,"error":null', ['a'])).toEqual([2.5e-7]);
  });

  it('are found in the whole text otherwise', () => {
    const whole = JSON.stringify({ a: { reason: '{"b":{"score":1}}', score: 0.25 }, b: {} });
    expect(readScores(`${whole}\n${whole}\n${whole}\n{}`, ['a', 'b', 'c', 'toString'])).toEqual([
      0.25,
      null,
      null,
      null,
    ]);
  });

  it('are asked for by the names of the scorers, whatever these are', () => {
    const { text, params } = renderSql(selectScores(['a"b', '🙂']), 'postgres');
    expect(params).toContain('"a\\"b":{"score":');
    // Characters, as databases count them.
    expect(text).toContain(') + 13,');
    expect(renderSql(selectScores(['a']), 'sqlite').text).toContain('instr(s.scores, +?)');
  });
});
