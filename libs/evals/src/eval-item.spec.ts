import { describe, expect, it } from '@jest/globals';
import { readDatapoint, expectedText } from './eval-item.js';

const generic = (input: unknown, expected_output?: unknown) => ({ Generic: { input, expected_output } });

describe('the prompt of a datapoint', () => {
  it('has the system prompt first, then the input as the user says it', () => {
    expect(readDatapoint(generic('Hi'), 'Be brief').messages).toEqual([
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
    ]);
    expect(readDatapoint(generic('Hi'), null).messages).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  it('writes JSON compactly', () => {
    for (const [input, text] of [
      [{ a: [1, 'b'] }, '{"a":[1,"b"]}'],
      [12, '12'],
      [null, 'null'],
      [false, 'false'],
      ['', ''],
    ]) {
      expect(readDatapoint(generic(input), null).messages).toEqual([{ role: 'user', content: text }]);
    }
  });

  it('puts the system prompt before the messages of a conversation, whatever they begin with', () => {
    const messages = [
      { role: 'system', content: 'Own' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }], name: 'Ann' },
      { role: 'assistant', tool_calls: [{ id: '1' }] },
    ];
    const { messages: asked, input } = readDatapoint({ LlmConversation: { messages } }, 'Other');
    expect(asked).toEqual([
      { role: 'system', content: 'Other' },
      messages[0],
      messages[1],
      { role: 'assistant', content: null, tool_calls: [{ id: '1' }] },
    ]);
    expect(input).toBe(messages);
    expect(readDatapoint({ LlmConversation: { messages } }, null).messages[0]).toEqual(messages[0]);
  });
});

describe('the expected value', () => {
  it('is absent when it is null or missing', () => {
    expect(readDatapoint(generic('x'), null).expected).toBeUndefined();
    expect(readDatapoint(generic('x', null), null).expected).toBeUndefined();
    expect(readDatapoint({ LlmConversation: { messages: [], expected: null } }, null).expected).toBeUndefined();
    expect(expectedText(undefined)).toBeNull();
  });

  it('is a text as it is, other JSON compact', () => {
    expect(expectedText(readDatapoint(generic('x', ''), null).expected)).toBe('');
    expect(expectedText(readDatapoint(generic('x', { b: 1 }), null).expected)).toBe('{"b":1}');
    expect(expectedText(readDatapoint(generic('x', 0), null).expected)).toBe('0');
    expect(expectedText(readDatapoint({ LlmConversation: { messages: [], expected: 'Y' } }, null).expected)).toBe('Y');
  });
});
