import type { DatapointKind } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import {
  changeVariant,
  NEW_DATAPOINT,
  readDatapoint,
  variantIn,
  writeDatapoint,
  lineOfPath,
  pathOfFault,
} from './datapoint-text.js';

const generic = (text: string) => ({ variant: 'Generic', text }) as const;

describe('the text of a datapoint', () => {
  it('has the members with a value, and an input of null', () => {
    const kind: DatapointKind = { Generic: { input: null, expected_output: null, score: 0.5, metadata: null } };
    expect(writeDatapoint({ kind })).toEqual(generic('{\n  "input": null,\n  "score": 0.5\n}'));
  });

  it('is read with every digit of its numbers', () => {
    const read = readDatapoint(generic('{"input": 12345678901234567890}'));
    expect(JSON.stringify(read)).toBe('{"kind":{"Generic":{"input":12345678901234567890}}}');
  });

  it('may have its variant around it', () => {
    const text = '{"LlmConversation": {"messages": []}}';
    expect(variantIn(text)).toBe('LlmConversation');
    expect(readDatapoint(generic(text))).toEqual({ kind: { LlmConversation: { messages: [] } } });
    expect(variantIn('{"Generic": 1, "input": 2}')).toBeNull();
    expect(variantIn('{"Generic": ')).toBeNull();
  });

  it.each([
    ['{\n  "input": 1,\n}', 3, 'a comma may not be the last'],
    ['{"input": }', 1, 'expected a value after ":"'],
    ['', 1, 'found the end'],
    ['[1]', 1, 'must be an object'],
    [`{"input": ${'['.repeat(300)}${']'.repeat(300)}}`, null, 'nests deeper'],
  ])('that is wrong (%j) says so at line %p', (text, line, words) => {
    expect(readDatapoint(generic(text))).toEqual({ fault: { line, message: expect.stringContaining(words) } });
  });

  it('becomes a conversation and an input again', () => {
    const before = generic(JSON.stringify({ input: 'Where?', expected_output: 'Here', metadata: { a: 1 } }, null, 2));
    const conversation = changeVariant(before, 'LlmConversation');
    expect(JSON.parse(conversation.text)).toEqual({
      messages: [{ role: 'user', content: 'Where?' }],
      expected: 'Here',
      metadata: { a: 1 },
    });
    expect(changeVariant(conversation, 'Generic')).toEqual(before);
  });

  it('keeps messages, and what cannot be read, when its kind changes', () => {
    const messages = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
    ];
    expect(JSON.parse(changeVariant(generic(JSON.stringify({ input: messages })), 'LlmConversation').text)).toEqual({
      messages,
    });
    const input = { messages: [{ type: 'human', content: 'u' }], tools: [1] };
    expect(JSON.parse(changeVariant(generic(JSON.stringify({ input })), 'LlmConversation').text)).toEqual({
      messages: [{ role: 'user', content: 'u' }],
      metadata: { input: { tools: [1] } },
    });
    expect(changeVariant(generic('{'), 'LlmConversation')).toEqual({ variant: 'LlmConversation', text: '{' });
    expect(readDatapoint(NEW_DATAPOINT)).toEqual({ kind: { Generic: { input: '', expected_output: '' } } });
  });
});

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
