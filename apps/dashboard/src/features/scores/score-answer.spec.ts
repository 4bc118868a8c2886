import { describe, expect, it } from '@jest/globals';
import { answerText, choicesOf, readAnswer, type ScoreForm } from './score-answer.js';

const form = (kind: ScoreForm['kind'], rest: Partial<ScoreForm> = {}): ScoreForm => ({
  ...{ kind, min: null, max: null, categories: [] },
  ...rest,
});
const TONE = form('category', {
  categories: [
    { label: 'kind', value: 1 },
    { label: '0', value: null },
  ],
});

describe('an answer to a form', () => {
  it('is of the kind that its definition has', () => {
    expect(readAnswer(TONE, '0')).toEqual({ answer: { label: '0' } });
    expect(readAnswer(form('boolean'), '0')).toEqual({ answer: { value: 0 } });
    expect(readAnswer(form('number'), ' -0.5 ')).toEqual({ answer: { value: -0.5 } });
    expect(readAnswer(form('text'), '3')).toEqual({ answer: { comment: '3' } });
    expect(readAnswer(undefined, '3')).toEqual({ answer: { value: 3 } });
    expect(readAnswer(undefined, 'good')).toEqual({ answer: { label: 'good' } });
    expect(readAnswer(form('text'), ' \n')).toEqual({ answer: null });
  });

  it('says what is wrong with it', () => {
    const bounded = form('number', { min: 0, max: 1 });
    expect(readAnswer(bounded, '1.1')).toEqual({ fault: 'must be 1 or less' });
    expect(readAnswer(bounded, '-1')).toEqual({ fault: 'must be 0 or more' });
    for (const text of ['many', '1e999', '1,5'])
      expect(readAnswer(bounded, text)).toEqual({ fault: 'must be a number' });
  });

  it('is shown in the field that it came from', () => {
    for (const [of, text] of [
      [TONE, 'kind'],
      [form('boolean'), '1'],
      [form('text'), 'a b'],
      [form('number'), '0.25'],
    ] as const) {
      const read = readAnswer(of, text);
      expect('answer' in read && answerText(of, read.answer!)).toBe(text);
    }
    expect(choicesOf(TONE)?.map(({ value }) => value)).toEqual(['kind', '0']);
    expect([choicesOf(form('boolean'))?.length, choicesOf(form('number')), choicesOf(undefined)]).toEqual([
      2,
      null,
      null,
    ]);
  });
});
