import { expect, it } from '@jest/globals';
import { wordsOfScorer, wordsOfScoring } from './scorer-words.js';

it.each([
  ['ExactMatch', 'Exact match'],
  ['Contains', 'Contains'],
  ['LlmJudge', 'LLM judge'],
  ['JsonEqual', 'JSON equal'],
  ['JsonSchema', 'JSON schema'],
  ['EmbeddingSimilarity', 'Embedding similarity'],
  ['None', 'None'],
  ['my.scorer', 'my.scorer'],
])('%s is shown as %s', (name, words) => {
  expect(wordsOfScoring(name)).toBe(words);
});

it('leaves the name that somebody chose for a scorer', () => {
  expect(['ExactMatch', 'LlmJudge', 'judgeA', 'toneCheck'].map(wordsOfScorer)).toEqual([
    ...['Exact match', 'LLM judge', 'judgeA', 'toneCheck'],
  ]);
});
