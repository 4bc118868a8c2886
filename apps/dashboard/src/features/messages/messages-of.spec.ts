import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ANSWER_SHAPES } from '../../../../../test/support/answer-shapes.js';
import { titleOf } from './message.js';
import { messagesOf } from './messages-of.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PNG = `data:image/png;base64,${PIXEL}`;

/** Parts of the one message whose content is given. */
const read = (content: unknown, more: object = {}) => messagesOf([{ role: 'user', content, ...more }], null)[0]!.parts;

describe('messagesOf', () => {
  it('reads what the gateway records', () => {
    const input = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is\nthis?' },
          { type: 'image_url', image_url: { url: PNG } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":12345678901234567890}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'A pixel.' },
    ];
    const output = {
      text: 'A pixel.',
      finish_reason: 'stop',
      tool_calls: [{ id: 'c2', name: 'end', arguments: { a: 1 } }],
    };
    const messages = messagesOf(input, output);
    expect(messages.map(titleOf)).toEqual([
      'System message',
      'User message',
      'Assistant message',
      'Tool message',
      'Assistant message',
    ]);
    expect(messages.map(({ parts }) => parts)).toEqual([
      [{ type: 'text', text: 'Be brief.' }],
      [
        { type: 'text', text: 'What is\nthis?' },
        { type: 'image', source: PNG },
      ],
      [{ type: 'tool-call', id: 'c1', name: 'look', arguments: '{\n  "at": 12345678901234567890\n}' }],
      [{ type: 'text', text: 'A pixel.' }],
      [
        { type: 'text', text: 'A pixel.' },
        { type: 'tool-call', id: 'c2', name: 'end', arguments: '{\n  "a": 1\n}' },
      ],
    ]);
    expect(messages.map(({ isAnswer }) => isAnswer)).toEqual([false, false, false, false, true]);
  });

  it.each(Object.entries(ANSWER_SHAPES))('shows the answer of %s', (_form, shape) => {
    expect(messagesOf(null, shape('Noon.')).at(-1)!.parts).toContainEqual({ type: 'text', text: 'Noon.' });
  });

  it('reads blocks of Anthropic', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: [1] } },
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'done' }] },
      { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'UklGRg==' } },
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ];
    expect(read(content)).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning', text: 'The provider keeps this reasoning encrypted.' },
      { type: 'tool-call', id: 't', name: 'f', arguments: '{\n  "a": [\n    1\n  ]\n}' },
      { type: 'tool-result', id: 't', parts: [{ type: 'text', text: 'done' }] },
      { type: 'image', source: 'data:image/webp;base64,UklGRg==' },
      { type: 'remote-image', url: 'https://x.example/a.png' },
    ]);
  });

  it('reads items of the Responses API', () => {
    const messages = messagesOf(
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi' },
            { type: 'input_image', image_url: PNG },
          ],
        },
        { role: 'assistant', content: null, type: 'reasoning', summary: [{ type: 'summary_text', text: 'Think' }] },
        { role: 'assistant', content: null, type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a"' },
        { role: 'tool', type: 'function_call_output', call_id: 'c', content: '7' },
      ],
      { text: '', tool_calls: [{ id: 'w', name: 'web_search_call', arguments: null }] },
    );
    expect(messages.flatMap(({ parts }) => parts)).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'image', source: PNG },
      { type: 'reasoning', text: 'Think' },
      { type: 'tool-call', id: 'c', name: 'f', arguments: '{"a"' },
      { type: 'text', text: '7' },
      { type: 'tool-call', id: 'w', name: 'web_search_call', arguments: '' },
    ]);
  });

  it('reads Ollama, the AI SDK and GenAI', () => {
    expect(read('See', { images: [PIXEL], thinking: 'Hm' })).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'See' },
      { type: 'image', source: PNG },
    ]);
    expect(
      read([
        { type: 'tool-call', toolCallId: 'a', toolName: 'f', args: { b: 1 } },
        { type: 'tool-result', toolCallId: 'a', output: { type: 'text', value: 'ok' } },
        { type: 'file', mediaType: 'image/png', data: PIXEL },
        { type: 'image', image: 'https://x.example/b' },
        { type: 'blob', modality: 'image', mime_type: 'image/png', content: PIXEL },
        { inlineData: { mimeType: 'image/png', data: PIXEL } },
        { type: 'text', content: 'GenAI' },
      ]),
    ).toEqual([
      { type: 'tool-call', id: 'a', name: 'f', arguments: '{\n  "b": 1\n}' },
      { type: 'tool-result', id: 'a', parts: [{ type: 'text', text: 'ok' }] },
      { type: 'image', source: PNG },
      { type: 'remote-image', url: 'https://x.example/b' },
      { type: 'image', source: PNG },
      { type: 'image', source: PNG },
      { type: 'text', text: 'GenAI' },
    ]);
  });

  it('reads a prompt, a completion, and an answer that is a message', () => {
    expect(messagesOf('Hi', { choices: [{ message: { role: 'assistant', content: 'Ho' } }] })).toEqual([
      { role: 'user', name: null, parts: [{ type: 'text', text: 'Hi' }], isAnswer: false },
      { role: 'assistant', name: null, parts: [{ type: 'text', text: 'Ho' }], isAnswer: true },
    ]);
    expect(messagesOf({ messages: [{ role: 'developer', content: 'D' }] }, 'Ho').map(titleOf)).toEqual([
      'Developer message',
      'Assistant message',
    ]);
    expect(messagesOf(null, null)).toEqual([]);
  });

  it.each([
    'http://x.example/a.png',
    'https://x.example/a.png',
    '//x.example/a.png',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:image/png;base64,"><script>',
    'data:text/html;base64,PGI+',
    'javascript:alert(1)',
    'blob:https://x.example/1',
  ])('does not show the image %p', (url) => {
    expect(read([{ type: 'image_url', image_url: { url } }])).toEqual([{ type: 'remote-image', url }]);
  });

  it('shows what it does not understand as JSON', () => {
    expect(read([{ type: 'audio', id: 'a' }, 7])).toEqual([
      { type: 'json', json: '{\n  "type": "audio",\n  "id": "a"\n}' },
      { type: 'json', json: '7' },
    ]);
  });

  it('reads any JSON, and shows every text of a message', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (input, output) => {
        const messages = messagesOf(structuredClone(input), structuredClone(output));
        for (const message of messages) expect(titleOf(message)).toMatch(/message$/i);
      }),
    );
  });
});
