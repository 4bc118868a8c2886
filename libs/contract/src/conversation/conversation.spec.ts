import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANSWER_SHAPES, askedFor, CALL_SHAPES } from '../../../../test/support/answer-shapes.js';
import { datapointKindSchema } from '../datasets.js';
import { datapointOfTexts, withExpected } from './datapoint-of-texts.js';
import { isConversation, readConversation } from './messages.js';
import { lastQuestionOf, readAnswer } from './question-and-answer.js';

const TEXT = 'High water is at **noon**.';
const user = (content: unknown) => ({ role: 'user', content });
const textsOf = (value: unknown): string[] =>
  readConversation(null, value).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
const datapointOf = (input: unknown, output: unknown, isLlmCall = true) =>
  datapointOfTexts({ input, output, isLlmCall });

describe('an answer', () => {
  it.each(Object.entries(ANSWER_SHAPES))('is read from %s', (_form, shape) => {
    const output = shape(TEXT);
    expect(readAnswer(output)).toMatchObject({ text: TEXT, toolCalls: [] });
    expect(textsOf(output)).toContain(TEXT);
    expect(datapointOf(askedFor('When?'), output)).toEqual({
      LlmConversation: { messages: askedFor('When?'), expected: TEXT, metadata: null },
    });
    expect(datapointOf('When?', output)).toEqual({ Generic: { input: 'When?', expected_output: TEXT } });
  });

  it.each(Object.entries(CALL_SHAPES))('of calls of tools is read from %s', (_form, output) => {
    const { text, toolCalls } = readAnswer(output);
    expect([text, toolCalls]).toEqual([null, [{ id: 'c1', name: 'tides', arguments: expect.anything() }]]);
    const { expected } = (datapointOf([user('When?')], output) as { LlmConversation: { expected: string } })
      .LlmConversation;
    expect(JSON.parse(expected)).toEqual({ tool_calls: toolCalls });
    const called = readConversation(null, output).flatMap(({ parts }) =>
      parts.filter(({ type }) => type === 'tool-call'),
    );
    expect(called).toHaveLength(1);
  });

  it('has the reasoning of every form', () => {
    const withReasoning = Object.entries(ANSWER_SHAPES).filter(
      ([, shape]) => readAnswer(shape(TEXT)).reasoning !== null,
    );
    expect(withReasoning.map(([form]) => form)).toEqual([
      ...['a message of Anthropic', 'an answer of Gemini', 'an answer of Bedrock', 'messages of the GenAI conventions'],
      ...['a response of OpenAI', 'a chat of Ollama', 'a result of the AI SDK'],
    ]);
  });

  it('is the first of several choices, and the last of several messages behind what others said', () => {
    const choices = ['first', 'second'].map((content, index) => ({ index, message: { role: 'assistant', content } }));
    expect(readAnswer({ choices }).text).toBe('first');
    expect(textsOf({ choices })).toEqual(['first', 'second']);
    expect(readAnswer({ text: 'first', finish_reason: 'stop', choices }).text).toBe('first');
    const call = { role: 'assistant', content: 'I look.', tool_calls: [{ id: 'a', name: 'f', arguments: {} }] };
    const history = [
      user('x'),
      call,
      { role: 'tool', tool_call_id: 'a', content: '7' },
      { role: 'assistant', content: 'Seven.' },
    ];
    expect(readAnswer(history)).toEqual({ text: 'Seven.', toolCalls: [], reasoning: null });
    expect(readAnswer([call])).toMatchObject({ text: 'I look.', toolCalls: [{ name: 'f' }] });
  });

  it('is a refusal, or what was spoken, where there is no other text', () => {
    expect(readAnswer({ role: 'assistant', content: null, refusal: 'No.' }).text).toBe('No.');
    expect(readAnswer({ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }).text).toBe('No.');
    expect(readAnswer({ role: 'assistant', content: null, audio: { id: 'a', transcript: 'Hello' } }).text).toBe(
      'Hello',
    );
  });

  it('has no text where it is not understood', () => {
    const others = [null, { text: 5 }, ['hello'], 7, { other: 'hello' }, [], {}, { role: 'admin', name: 'Bob' }];
    for (const output of others) {
      expect([output, readAnswer(output)]).toEqual([output, { text: null, toolCalls: [], reasoning: null }]);
    }
    expect(readAnswer({ text: '', finish_reason: 'stop' }).text).toBe('');
  });

  it('in JSON of its own is a text', () => {
    const own = [
      { choices: [{ text: 'a' }, { text: 'b' }] },
      { text: 'x' },
      { role: 'engineer', text: 'x' },
      [{ a: 1 }],
      [],
    ];
    for (const value of own) expect(readAnswer(JSON.stringify(value)).text).toBe(JSON.stringify(value));
    const long = JSON.stringify({ role: 'assistant', content: 'x'.repeat(1_100_000) });
    expect(readAnswer(long).text).toBe(long);
  });
});

describe('the last question', () => {
  it.each<[string, unknown, string | null]>([
    ['a text', 'When?', 'When?'],
    ['a long conversation', askedFor('When?'), 'When?'],
    ['parts', [user([{ type: 'text', text: 'a' }, { type: 'image_url' }, 'b'])], 'a\nb'],
    [
      'results of Anthropic behind it',
      [
        user('When?'),
        { role: 'assistant', content: 'x' },
        user([{ type: 'tool_result', tool_use_id: 'a', content: 'no' }]),
      ],
      'When?',
    ],
    ['a result as a message of the user', [user('When?'), { role: 'user', tool_call_id: 'a', content: 'no' }], 'When?'],
    [
      'results of Gemini behind it',
      {
        contents: [
          { role: 'user', parts: [{ text: 'When?' }] },
          { role: 'user', parts: [{ functionResponse: { name: 'f', response: { a: 1 } } }] },
        ],
      },
      'When?',
    ],
    [
      'results of Bedrock behind it',
      [user([{ text: 'When?' }]), user([{ toolResult: { toolUseId: 'a', content: [{ text: 'no' }] } }])],
      'When?',
    ],
    [
      'items of the Responses API',
      [user([{ type: 'input_text', text: 'When?' }]), { type: 'function_call_output', call_id: 'a', output: 'no' }],
      'When?',
    ],
    ['a request', { model: 'm', system: 's', messages: [user('When?')] }, 'When?'],
    ['LangChain', [[{ type: 'human', data: { content: 'When?' } }]], 'When?'],
    ['a wrapped text', { input: 'When?', chat_history: [] }, 'When?'],
    ['JSON text', JSON.stringify([user('When?')]), 'When?'],
    ['no question', [{ role: 'system', content: 's' }], null],
    ['other values', { q: [1] }, null],
    ['own members alone', JSON.parse('{"__proto__":{"role":"user","content":"x"}}'), null],
  ])('is read from %s', (_form, input, expected) => {
    expect(lastQuestionOf(input)).toBe(expected);
  });
});

describe('a conversation', () => {
  const partsOf = (value: unknown) => readConversation(value, null).map(({ role, parts }) => [role, ...parts]);

  it('has calls and results of every provider', () => {
    const items = [
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: '7' }] },
      { type: 'web_search_call', id: 'w', status: 'completed', action: { query: 'q' } },
      { type: 'mcp_call', id: 'm', name: 'g', arguments: '{}', output: 'found' },
    ];
    const call = { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' };
    const result = { type: 'tool-result', id: 'a', parts: [{ type: 'text', text: '7' }] };
    expect(partsOf([user('x'), ...items])).toEqual([
      ['user', { type: 'text', text: 'x' }],
      ['assistant', call],
      ['tool', result],
      ['assistant', { type: 'tool-call', id: 'w', name: 'web_search_call', arguments: { query: 'q' } }],
      [
        'assistant',
        { type: 'tool-call', id: 'm', name: 'g', arguments: '{}' },
        { type: 'tool-result', id: 'm', parts: [{ type: 'text', text: 'found' }] },
      ],
    ]);
    const held = [
      [
        { toolUse: { toolUseId: 'a', name: 'f', input: '{}' } },
        { toolResult: { toolUseId: 'a', content: [{ text: '7' }] } },
      ],
      [
        { type: 'toolUse', toolUseId: 'a', name: 'f', input: '{}' },
        { type: 'toolResult', toolUseId: 'a', content: [{ text: '7' }] },
      ],
      [
        { functionCall: { id: 'a', name: 'f', args: '{}' } },
        { functionResponse: { id: 'a', name: 'f', response: '7' } },
      ],
      [
        { type: 'tool-call', toolCallId: 'a', toolName: 'f', input: '{}' },
        { type: 'tool-result', toolCallId: 'a', output: { type: 'text', value: '7' } },
      ],
      [
        { type: 'tool_call', id: 'a', name: 'f', arguments: '{}' },
        { type: 'tool_call_response', id: 'a', response: '7' },
      ],
    ];
    for (const content of held) expect(partsOf([user(content)])).toEqual([['user', call, result]]);
    expect(
      partsOf([{ role: 'assistant', parts: [{ type: 'tool-f', toolCallId: 'a', input: '{}', output: '7' }] }]),
    ).toEqual([['assistant', call, result]]);
  });

  it('has the roles of LangChain, by the type or the class of a message', () => {
    const kinds = ['human', 'AIMessageChunk', 'SystemMessage', 'FunctionMessage', 'ToolMessageChunk'];
    const messages = [
      ...kinds.map((type) => ({ type, content: 'x' })),
      { id: ['langchain', 'schema', 'messages', 'FunctionMessage'], content: 'x' },
    ];
    expect(partsOf(messages).map(([role]) => role)).toEqual(['user', 'assistant', 'system', 'tool', 'tool', 'tool']);
  });

  it('has images by their address', () => {
    const images = [
      { type: 'image_url', image_url: { url: 'https://x.example/a' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'UklGRg==' } },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
      { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/a' } },
      { image: { format: 'jpeg', source: { bytes: '/9j/AA==' } } },
    ];
    expect(partsOf([user(images)])[0]!.slice(1)).toEqual(
      [
        ...['https://x.example/a', 'data:image/webp;base64,UklGRg==', 'data:image/png;base64,iVBORw0KGgo='],
        ...['gs://bucket/a', 'data:image/jpeg;base64,/9j/AA=='],
      ].map((url) => ({ type: 'image', url })),
    );
  });

  it('keeps what stands beside a text, and what it does not understand', () => {
    expect(partsOf({ input: 'When?', chat_history: [1] })).toEqual([
      ['user', { type: 'text', text: 'When?' }, { type: 'other', value: { chat_history: [1] } }],
    ]);
    for (const value of [{ a: 1 }, 7, { role: 'admin', name: 'Bob' }]) {
      expect(partsOf(value)).toEqual([['user', { type: 'other', value }]]);
      expect(isConversation(value)).toBe(false);
    }
  });

  it('is read from any value, however deep', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 5_000; level++)
      deep = { type: 'tool_result', content: [deep], output: deep, message: deep };
    expect(readConversation([user([deep])], { output: deep })).toHaveLength(2);
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(CALL_SHAPES)));
    fc.assert(
      fc.property(values, values, (input, output) => {
        expect(readConversation(input, output).every(({ parts }) => Array.isArray(parts))).toBe(true);
        expect(datapointKindSchema.safeParse(datapointOf(input, output)).success).toBe(true);
        lastQuestionOf(input);
      }),
    );
  });
});

describe('a datapoint', () => {
  it('has messages as they were recorded, and others in one form', () => {
    const made = (input: unknown) => (datapointOf(input, 'x') as { LlmConversation?: object }).LlmConversation;
    const expected = 'x';
    const recorded = [
      { ...user('q'), name: 'n' },
      { role: 'assistant', tool_calls: [{ id: 'a' }] },
    ];
    expect(made(recorded)).toEqual({ messages: recorded, expected, metadata: null });
    expect(made({ model: 'm', system: 's', messages: [user('q')], tools: [1] })).toEqual({
      messages: [{ role: 'system', content: 's' }, user('q')],
      expected,
      metadata: { input: { model: 'm', tools: [1] } },
    });
    const gemini = [
      { role: 'user', parts: [{ text: 'q' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { b: 2 } } }] },
    ];
    expect(made(gemini)).toMatchObject({
      messages: [
        user('q'),
        { role: 'assistant', content: null, tool_calls: [{ id: null, name: 'f', arguments: { a: 1 } }] },
        { role: 'tool', name: 'f', tool_call_id: null, content: { b: 2 } },
      ],
    });
    expect(made([[{ type: 'human', data: { content: 'q' } }]])).toMatchObject({ messages: [user('q')] });
    expect(made([user('q'), { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }])).toMatchObject({
      messages: [user('q'), { role: 'assistant', tool_calls: [{ id: 'a', name: 'f', arguments: '{}' }] }],
    });
    const items = [
      { role: 'assistant', content: null, type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { role: 'tool', content: '7', type: 'function_call_output', call_id: 'a' },
      { role: 'assistant', content: null, type: 'web_search_call', id: 'w', action: { query: 'q' } },
    ];
    expect(made([user('q'), ...items])).toMatchObject({
      messages: [
        user('q'),
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', name: 'f', arguments: '{}' }] },
        { role: 'tool', tool_call_id: 'a', content: '7' },
        items[2],
      ],
    });
    expect(made(JSON.stringify([user('q')]))).toMatchObject({ messages: [user('q')] });
  });

  it('is Generic for what is no list of messages', () => {
    for (const input of [user('q'), [user('q'), 'x'], [user(7)], [{ role: 'user' }], ['q'], { input: 'q' }, null]) {
      expect(datapointOf(input, { text: 'x', n: 1 }, false)).toEqual({
        Generic: { input, expected_output: { text: 'x', n: 1 } },
      });
    }
  });

  it('is Generic for a list of more than 10,000', () => {
    const many = Array<unknown>(10_001).fill(user('q'));
    expect(datapointOf(many, null)).toMatchObject({ Generic: {} });
    expect(datapointOf(many.slice(1), null)).toMatchObject({ LlmConversation: {} });
  });

  it('expects another text where it is given one', () => {
    const metadata = { seed: 1 };
    expect(withExpected({ Generic: { input: 'x', expected_output: ['y'], metadata } }, 'z')).toEqual({
      Generic: { input: 'x', expected_output: 'z', metadata },
    });
    const messages = [user('x')];
    expect(withExpected({ LlmConversation: { messages } }, null)).toEqual({
      LlmConversation: { messages, expected: null },
    });
  });
});
