import { describe, expect, it } from '@jest/globals';
import { openAiChatCalls } from './chat-calls.js';

const target = { baseUrl: null, apiKey: 'k' };
const chat = openAiChatCalls({ baseUrl: 'http://model.test/v1', maxTokensMember: 'max_tokens' });
const sent = (...messages: { role: string; content: unknown }[]) =>
  (chat.buildRequest(target, { model: 'm', messages }).body as { messages: unknown }).messages;
const called = { role: 'assistant', content: null };

describe('messages of a chat call', () => {
  it('have calls of tools as OpenAI takes them, in whichever form they were recorded', () => {
    const ours = { ...called, tool_calls: [{ id: 'a', name: 'f', arguments: { b: 1 } }] };
    const functions = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"b":1}' } }];
    expect(sent(ours)).toEqual([{ ...called, tool_calls: functions }]);
    const theirs = { ...called, tool_calls: functions };
    expect(sent(theirs)).toEqual([theirs]);
  });

  it('have results that are known by the name of their tool where the call has no id', () => {
    const call = { ...called, tool_calls: [{ id: null, name: 'f', arguments: '{}' }] };
    expect(sent(call, { role: 'tool', name: 'f', tool_call_id: null, content: '7' } as never)).toEqual([
      { ...called, tool_calls: [{ id: 'f', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', name: 'f', tool_call_id: 'f', content: '7' },
    ]);
  });

  it('have images of Anthropic as its own', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBO' };
    expect(sent({ role: 'user', content: [{ type: 'image', source }] })).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }] },
    ]);
  });

  it('have parts of the Responses API as its own', () => {
    const content = [
      { type: 'input_text', text: 'a' },
      { type: 'input_image', image_url: 'data:x' },
      { text: 'b' },
      'c',
    ];
    expect(sent({ role: 'user', content })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:x' } },
          { type: 'text', text: 'b' },
          'c',
        ],
      },
    ]);
  });

  it('are else sent as they are', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }], name: 'n' }];
    expect(sent(...messages)).toEqual(messages);
  });
});
