import { describe, expect, it } from '@jest/globals';
import { readScorer } from './scorer-option.js';

const files: Record<string, string> = { 'tone.txt': 'Is it polite, and short?', 'config.json': '{"depth": 2}' };
const read = (text: string) => readScorer(text, (path) => files[path]!);

describe('a scorer of the command line', () => {
  it('is what its members say', () => {
    expect(read('name=tone,scoring=LlmJudge,rubric=@tone.txt,weight=2')).toEqual({
      name: 'tone',
      scoring: 'LlmJudge',
      judge: { rubric: 'Is it polite, and short?' },
      weight: 2,
    });
    expect(read('scoring=Contains')).toEqual({ scoring: 'Contains' });
    expect(read(' scoring = ExactMatch , pass-score=0.5, weight=0 ')).toEqual({
      scoring: 'ExactMatch',
      pass_score: 0.5,
      weight: 0,
    });
  });

  it('has a judge of its own, and a configuration', () => {
    expect(read('scoring=LlmJudge,judge_model=gpt-5.1,judge_connection=OpenAI')).toEqual({
      scoring: 'LlmJudge',
      judge: { connection_id: 'OpenAI', model: 'gpt-5.1' },
    });
    expect(read('scoring=mine,config=@config.json,config.words=["a"],config.strict=true,config.note=plain')).toEqual({
      scoring: 'mine',
      scoring_config: { depth: 2, words: ['a'], strict: true, note: 'plain' },
    });
  });

  it('takes commas, quotes and at signs in texts', () => {
    expect(read('rubric="say \\"hi\\", twice \\\\",scoring=LlmJudge').judge).toEqual({ rubric: 'say "hi", twice \\' });
    expect(read('scoring=LlmJudge,rubric=@@home').judge).toEqual({ rubric: '@home' });
    expect(read('scoring=LlmJudge,rubric=a=b').judge).toEqual({ rubric: 'a=b' });
  });

  it.each([
    ['name=tone', 'scoring=NAME is missing'],
    ['', 'scoring=NAME is missing'],
    ['LlmJudge', '"LlmJudge" is not NAME=VALUE'],
    ['scoring=A,scoring=B', '"scoring" comes twice'],
    ['scoring=A,wieght=2', '"wieght" is not known'],
    ['scoring=A,weight=two', 'weight must be a number, not "two"'],
    ['scoring=A,weight=', 'weight must be a number, not ""'],
    ['scoring=A,rubric="open', 'the quote that "rubric" begins with must be closed'],
    ['scoring=A,rubric="a"b', 'the quote that "rubric" begins with must be closed'],
    ['scoring=A,config=[1]', 'config must be a JSON object'],
  ])('%j is refused', (text, fault) => expect(() => read(text)).toThrow(fault));
});
