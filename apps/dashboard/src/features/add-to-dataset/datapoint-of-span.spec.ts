import { describe, expect, it } from '@jest/globals';
import { datapointOfSpan } from './datapoint-of-span.js';

describe('datapointOfSpan', () => {
  it('makes a conversation of messages', () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [] },
    ];
    expect(datapointOfSpan(messages, { text: 'Ho', finish_reason: 'stop' })).toEqual({
      LlmConversation: { messages, expected: 'Ho' },
    });
    expect(datapointOfSpan(messages, 'Ho')).toMatchObject({ LlmConversation: { expected: 'Ho' } });
    expect(datapointOfSpan(messages, [1])).toMatchObject({ LlmConversation: { expected: null } });
  });

  it.each([[[]], [[{ content: 'no role' }]], [[{ role: 'user' }]], ['text'], [null]])(
    'makes a generic one of %p',
    (input) => {
      expect(datapointOfSpan(input, 7)).toEqual({ Generic: { input, expected_output: 7 } });
    },
  );
});
