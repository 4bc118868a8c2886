import { describe, expect, it } from '@jest/globals';
import { completionOf } from './completion.js';
import { conversationOf, isAllMessages } from './conversation.js';

describe('messages of a conversation', () => {
  const call = { id: 'c1', name: 'weather', arguments: { city: 'Rome' } };
  it.each<[what: string, value: unknown, messages: unknown[]]>([
    [
      'what was spoken (Realtime)',
      [
        { role: 'user', content: [{ type: 'input_audio', transcript: 'And at noon?' }] },
        { role: 'assistant', content: [{ type: 'output_audio', transcript: 'Half-tide.', audio_end_ms: 900 }] },
      ],
      [
        { role: 'user', content: 'And at noon?' },
        { role: 'assistant', content: [{ type: 'output_audio', transcript: 'Half-tide.', audio_end_ms: 900 }] },
      ],
    ],
    ['a text', 'Hi', [{ role: 'user', content: 'Hi' }]],
    ['a message with a text (Dify)', [{ role: 'user', text: 'Hi' }], [{ role: 'user', content: 'Hi' }]],
    ['a part of text', [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], [{ role: 'user', content: 'Hi' }]],
    [
      'a part of text that has more in it',
      [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] }],
      [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] }],
    ],
    [
      'messages of LangChain',
      ['HumanMessage', 'AIMessageChunk', 'SystemMessageChunk', 'FunctionMessage'].map((type) => ({
        type,
        content: 'Hi',
      })),
      ['user', 'assistant', 'system', 'tool'].map((role) => ({ role, content: 'Hi' })),
    ],
    ['a content of Gemini', { role: 'model', parts: [{ text: 'Hi' }] }, [{ role: 'assistant', content: 'Hi' }]],
    ['one without a role', [{ parts: [{ text: 'Hi' }] }], [{ role: 'user', content: 'Hi' }]],
    [
      'a call of Gemini',
      [
        {
          role: 'model',
          parts: [{ functionCall: { id: 'c1', name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 's' }],
        },
      ],
      [{ role: 'assistant', content: null, tool_calls: [{ ...call, thoughtSignature: 's' }] }],
    ],
    [
      'a call of Bedrock',
      [
        {
          role: 'assistant',
          content: [{ text: 'Hm.' }, { toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Rome' } } }],
        },
      ],
      [{ role: 'assistant', content: 'Hm.', tool_calls: [call] }],
    ],
    [
      'a result of Bedrock',
      [
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: 'c1', content: [{ json: { sky: 'clear' } }], status: 'success' } }],
        },
      ],
      [{ role: 'user', tool_call_id: 'c1', content: { sky: 'clear' }, status: 'success' }],
    ],
    [
      'calls and results of Strands, whose names are types',
      [
        {
          role: 'assistant',
          content: [{ type: 'toolUse', name: 'weather', toolUseId: 'c1', input: { city: 'Rome' } }],
        },
        { role: 'user', content: [{ type: 'toolResult', toolUseId: 'c1', content: [{ json: { sky: 'clear' } }] }] },
      ],
      [
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'user', tool_call_id: 'c1', content: { sky: 'clear' } },
      ],
    ],
    [
      'a result of Anthropic that is an error',
      [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'gone', is_error: true }] }],
      [{ role: 'user', tool_call_id: 'c1', content: 'gone', is_error: true }],
    ],
    [
      'an answer of Bedrock',
      { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, stopReason: 'end_turn' },
      [{ role: 'assistant', content: 'Hi', stopReason: 'end_turn' }],
    ],
    [
      'a choice',
      { message: { role: 'assistant', content: 'Hi' }, index: 0 },
      [{ role: 'assistant', content: 'Hi', index: 0 }],
    ],
    [
      'parts alone',
      [{ toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Rome' } } }],
      [{ role: 'user', content: null, tool_calls: [call] }],
    ],
    [
      'items of Responses',
      [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'clear' },
      ],
      [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', name: 'weather', arguments: '{}', item_id: 'fc_1' }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'clear' },
      ],
    ],
    [
      'calls of which one is none',
      [
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }, { odd: 'x' }],
        },
      ],
      [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', name: 'weather', arguments: '{}' }, { odd: 'x' }],
        },
      ],
    ],
    [
      'a message with data of its own',
      [{ role: 'user', content: 'Hi', data: { a: 1 } }],
      [{ role: 'user', content: 'Hi', data: { a: 1 } }],
    ],
    [
      'a content beside parts',
      [{ role: 'user', content: 'Hi', parts: [{ type: 'text', content: 'Ho' }] }],
      [{ role: 'user', content: ['Hi', { type: 'text', content: 'Ho' }] }],
    ],
  ])('of %s', (_what, value, messages) => {
    expect(conversationOf(value)).toEqual(messages);
    expect(conversationOf(conversationOf(value))).toEqual(messages);
  });

  it('are all of an object only where it has nothing else', () => {
    expect(isAllMessages({ messages: [], system: 'x' })).toBe(true);
    expect(isAllMessages({ messages: [], model: 'x' })).toBe(false);
    expect(isAllMessages({ role: 'user', content: 'x', messages: [] })).toBe(true);
  });
});

describe('a completion', () => {
  it.each<[what: string, message: object, isMore: boolean]>([
    ['a text', { content: 'Hi' }, false],
    ['an empty list of annotations', { content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }, false],
    ['annotations', { content: [{ type: 'output_text', text: 'Hi', annotations: ['a'] }] }, true],
    [
      'a thought',
      {
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'text', text: 'Hi' },
        ],
      },
      false,
    ],
    [
      'a thought with its signature',
      {
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 's' },
          { type: 'text', text: 'Hi' },
        ],
      },
      true,
    ],
    ['two kinds of thought', { content: 'Hi', reasoning: 'a', reasoning_content: 'b' }, true],
    ['what is no call', { content: 'Hi', tool_calls: [{ odd: 'x' }] }, true],
    ['another member', { content: 'Hi', audio: { id: 'a' } }, true],
  ])('has the messages beside it where they say more: %s', (_what, message, isMore) => {
    expect(completionOf([{ role: 'assistant', ...message }])?.choices !== undefined).toBe(isMore);
  });

  const call = { type: 'function_call', name: 'tide', arguments: '{}' };
  it.each<[what: string, others: unknown[]]>([
    ['a part of text', [{ type: 'text', text: 'Let me see' }]],
    [
      'items',
      [
        { type: 'message', role: 'assistant', content: 'Let me see' },
        { type: 'function_call_output', output: '' },
      ],
    ],
  ])('has the text and the call of a list with %s', (_what, others) => {
    const calls = [{ id: null, name: 'tide', arguments: '{}' }];
    expect(completionOf([...others, call])).toMatchObject({ text: 'Let me see', tool_calls: calls });
  });
});
