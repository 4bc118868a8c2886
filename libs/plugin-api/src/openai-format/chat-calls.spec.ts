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

  it('have calls of Ollama, which have no ids, each with its result', () => {
    const call = (at: string) => ({ function: { index: 0, name: 'tide', arguments: { at } } });
    const asked = (id: string, at: string) => ({
      ...{ id, type: 'function', function: { name: 'tide', arguments: JSON.stringify({ at }) } },
    });
    const messages = [
      { role: 'assistant', content: '', tool_calls: [call('Brest'), call('Kobe')] },
      { role: 'tool', tool_name: 'tide', content: '7' },
      { role: 'tool', tool_name: 'tide', content: '9' },
      { role: 'assistant', content: '', tool_calls: [call('Nice')] },
      { role: 'tool', content: '0' },
      { role: 'tool', content: 'of nothing' },
    ];
    expect(sent(...messages)).toEqual([
      { role: 'assistant', content: '', tool_calls: [asked('tide', 'Brest'), asked('tide_2', 'Kobe')] },
      { role: 'tool', tool_call_id: 'tide', content: '7' },
      { role: 'tool', tool_call_id: 'tide_2', content: '9' },
      { role: 'assistant', content: '', tool_calls: [asked('tide_3', 'Nice')] },
      { role: 'tool', tool_call_id: 'tide_3', content: '0' },
      { role: 'tool', tool_call_id: '', content: 'of nothing' },
    ]);
  });

  it('have blocks of Anthropic as calls and results, without what was thought', () => {
    const use = { type: 'tool_use', id: 'a', name: 'tide', input: { at: 'Brest' } };
    const text = { type: 'text', text: 'I look.' };
    const thought = [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'redacted_thinking', data: 'x' },
    ];
    const results = ['7', [text]].map((content) => ({ type: 'tool_result', tool_use_id: 'a', content }));
    expect(
      sent(
        { role: 'assistant', content: [...thought, text, use] },
        { role: 'user', content: [...results, { type: 'text', text: 'And?' }] },
        { role: 'user', content: [results[0]] },
      ),
    ).toEqual([
      {
        ...{ role: 'assistant', content: [text] },
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'tide', arguments: '{"at":"Brest"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '7' },
      { role: 'tool', tool_call_id: 'a', content: [text] },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
      { role: 'tool', tool_call_id: 'a', content: '7' },
    ]);
  });

  it('have results of Gemini as those of tools, as text', () => {
    const call = { ...called, tool_calls: [{ id: null, name: 'f', arguments: '' }] };
    const result = { role: 'user', name: 'f', tool_call_id: null, content: { knots: 9 }, is_error: true };
    expect((sent(call, result) as unknown[]).slice(1)).toEqual([
      { role: 'tool', name: 'f', tool_call_id: 'f', content: '{"knots":9}' },
    ]);
  });

  it('keep calls of custom tools', () => {
    const custom = { ...called, tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'sh', input: 'ls' } }] };
    expect(sent(custom)).toEqual([custom]);
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
