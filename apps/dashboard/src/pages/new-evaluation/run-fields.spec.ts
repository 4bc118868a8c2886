import { describe, expect, it } from '@jest/globals';
import { describeCalls, EMPTY_FIELDS, startOf } from './run-fields.js';

const fields = { ...EMPTY_FIELDS, connection: 'c', name: ' first ', scoring: 'None', rubric: 'be strict' };

describe('the form of a run', () => {
  it('leaves out what was left empty', () => {
    expect(startOf(fields)).toEqual({ name: 'first', scoring: 'None', config: { connection_id: 'c' } });
    expect(startOf({ ...fields, name: ' ', model: 'gpt-5.1' }).name).toBe('gpt-5.1');
  });

  it('has numbers, the settings of the scoring, and the judge where one judges', () => {
    const filled = { ...fields, temperature: '0', maxTokens: '20', scoring: 'LlmJudge', scoringConfig: '{"a": 1}' };
    expect(startOf(filled)).toEqual({
      name: 'first',
      scoring: 'LlmJudge',
      config: { connection_id: 'c', temperature: 0, max_tokens: 20, judge: { rubric: 'be strict' } },
      scoring_config: { a: 1 },
    });
    expect(() => startOf({ ...fields, scoringConfig: '{' })).toThrow(SyntaxError);
  });

  it('says how many calls it makes', () => {
    expect(describeCalls(1, 'None')).toBe('This makes 1 call: one for each datapoint.');
    expect(describeCalls(1_000, 'LlmJudge')).toBe(
      'This makes 2,000 calls: one for each datapoint, and one of the judge.',
    );
  });
});
