import { describe, expect, it } from '@jest/globals';
import { lineOfPath, pathOfFault } from './json-place.js';

const TEXT = JSON.stringify(
  {
    messages: [
      { role: 'user', content: 'a, "b": [1, {' },
      { role: 7, content: { '[x]': 1 } },
    ],
    expected: [],
  },
  null,
  2,
);
const lineOf = (part: string): number => TEXT.split('\n').findIndex((line) => line.includes(part)) + 1;

describe('the place of a fault', () => {
  it.each([
    ['kind.LlmConversation.expected', '"expected"'],
    ['kind.LlmConversation.messages[1].role', '"role": 7'],
    ['kind.LlmConversation.messages[0]', '    {'],
    ['kind.LlmConversation.messages[1].content.gone', '"content": {'],
    ['kind.LlmConversation.messages[9]', '"messages"'],
    ['kind.LlmConversation.elsewhere', '{'],
    ['kind', '{'],
  ])('at %s is the line with %s', (path, part) => {
    expect(lineOfPath(TEXT, pathOfFault(path))).toBe(lineOf(part));
  });
});
