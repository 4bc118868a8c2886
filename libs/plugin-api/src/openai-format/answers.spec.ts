import { describe, expect, it } from '@jest/globals';
import type { Endpoint, RecordedAnswer } from '../provider.js';
import { chatCompletionsEndpoint, completionsEndpoint } from './chat-endpoint.js';
import { responsesEndpoint } from './responses-endpoint.js';

/** What is read of a stream of such frames, and after which of them it had begun. */
function streamed(endpoint: Endpoint, frames: readonly unknown[]): RecordedAnswer & { startedAt: number } {
  const reader = endpoint.readStream();
  let startedAt = -1;
  frames.forEach((frame, at) => {
    reader.push({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) });
    if (reader.started && startedAt === -1) startedAt = at;
  });
  return { ...reader.answer(), startedAt };
}

const chat = (message: object, finish: unknown = 'stop') =>
  chatCompletionsEndpoint.readAnswer({ choices: [{ index: 0, message, finish_reason: finish }] });
const chunk = (delta: unknown, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });

describe('a chat completion', () => {
  it.each<[what: string, message: object, expected: object]>([
    ['a text', { content: 'A' }, { text: 'A' }],
    [
      'parts',
      {
        content: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
      },
      { text: 'AB' },
    ],
    ['a spoken answer', { content: null, audio: { data: 'UklGRg==', transcript: 'Hello' } }, { text: 'Hello' }],
    ['a refusal', { content: '', refusal: 'I cannot' }, { text: 'I cannot' }],
    ['a JSON object as content', { content: { city: 'Brest' } }, { text: '{"city":"Brest"}' }],
    ['reasoning_content', { content: 'A', reasoning_content: 'Hm' }, { text: 'A', reasoning: 'Hm' }],
    [
      'reasoning in two forms',
      { content: 'A', reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] },
      { text: 'A', reasoning: 'Hm' },
    ],
    [
      'details of reasoning alone',
      { content: 'A', reasoning_details: [{ summary: 'Hm' }, { text: ', well' }, { data: 'b64' }] },
      { text: 'A', reasoning: 'Hm, well' },
    ],
    [
      'thinking among the parts (Mistral)',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'A' },
        ],
      },
      { text: 'A', reasoning: 'Hm' },
    ],
    [
      'thoughts that are marked (Gemini)',
      { content: '<thought>Hm</thought>A', extra_content: { google: { thought: true } } },
      { text: 'A', reasoning: 'Hm' },
    ],
    [
      'a signature and no mark (Gemini)',
      { content: '<thought>A', extra_content: { google: { thought_signature: 'x' } } },
      { text: '<thought>A' },
    ],
    ['nothing', {}, { text: null }],
  ])('with %s', (_what, message, expected) => {
    expect(chat(message)).toEqual({
      model: null,
      finishReason: 'stop',
      toolCalls: [],
      error: null,
      usage: expect.anything(),
      ...expected,
    });
  });

  it('has all choices in their order, and the first as its own', () => {
    const choices = [
      { index: 1, message: { content: 'B', reasoning: 'Hm' }, finish_reason: 'length' },
      { index: 0, message: { content: 'A' }, finish_reason: 'stop' },
    ];
    expect(chatCompletionsEndpoint.readAnswer({ choices })).toMatchObject({
      text: 'A',
      finishReason: 'stop',
      choices: [
        { text: 'A', finishReason: 'stop', toolCalls: [] },
        { text: 'B', finishReason: 'length', toolCalls: [], reasoning: 'Hm' },
      ],
    });
    expect(completionsEndpoint.readAnswer({ choices: [{ text: 'A' }, { text: 'B' }] })).toMatchObject({
      text: 'A',
      choices: [{ text: 'A' }, { text: 'B' }],
    });
    expect(chat({ content: 'A' })).not.toHaveProperty('choices');
  });

  it('fails with the error of a choice', () => {
    const choices = [
      { message: { content: '' }, finish_reason: 'error', error: { code: 502, message: 'no provider' } },
    ];
    expect(chatCompletionsEndpoint.readAnswer({ choices }).error).toBe('no provider');
    expect(streamed(chatCompletionsEndpoint, [{ choices }]).error).toBe('no provider');
  });

  it('has no reason where it is empty', () => {
    expect(chat({ content: 'A' }, '').finishReason).toBeNull();
  });
});

describe('a stream of chat completions', () => {
  it.each<[what: string, piece: object, expected: object]>([
    ['text', { content: 'A' }, { text: 'A' }],
    ['a text part', { content: [{ type: 'text', text: 'A' }] }, { text: 'A' }],
    ['a transcript', { audio: { id: 'a', transcript: 'Hello' } }, { text: 'Hello' }],
    ['audio', { audio: { data: 'UklGRg==' } }, { text: '' }],
    ['a refusal', { refusal: 'I cannot' }, { text: 'I cannot' }],
    ['reasoning_content', { reasoning_content: 'Hm' }, { text: '', reasoning: 'Hm' }],
    ['reasoning', { reasoning: 'Hm' }, { text: '', reasoning: 'Hm' }],
    ['details of reasoning', { reasoning_details: [{ text: 'Hm' }] }, { text: '', reasoning: 'Hm' }],
    [
      'thinking (Mistral)',
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] },
      { text: '', reasoning: 'Hm' },
    ],
    ['a tool call', { tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] }, { text: '' }],
    ['an older function call', { function_call: { name: 'f' } }, { text: '' }],
  ])('begins with %s', (_what, piece, expected) => {
    const read = streamed(chatCompletionsEndpoint, [chunk({ role: 'assistant', content: '' }), chunk(piece)]);
    expect(read).toMatchObject({ startedAt: 1, ...expected });
  });

  it('keeps its reason when a later one is empty, and has none while it is', () => {
    const frames = [chunk({ content: 'A' }, { finish_reason: '' })];
    expect(streamed(chatCompletionsEndpoint, frames).finishReason).toBeNull();
    frames.push(chunk({}, { finish_reason: 'stop' }), chunk({}, { finish_reason: '' }));
    expect(streamed(chatCompletionsEndpoint, frames).finishReason).toBe('stop');
  });

  it('has all choices', () => {
    const piece = (index: number, content: string, finish: string | null = null) => ({
      choices: [{ index, delta: { content }, finish_reason: finish }],
    });
    const frames = [piece(1, 'B'), piece(0, 'A'), piece(1, 'b', 'length'), piece(0, 'a', 'stop')];
    expect(streamed(chatCompletionsEndpoint, frames)).toMatchObject({
      text: 'Aa',
      finishReason: 'stop',
      choices: [
        { text: 'Aa', finishReason: 'stop' },
        { text: 'Bb', finishReason: 'length' },
      ],
    });
    const texts = ['A', 'B'].map((text, index) => ({ choices: [{ index, text }] }));
    expect(streamed(completionsEndpoint, texts)).toMatchObject({ text: 'A', choices: [{ text: 'A' }, { text: 'B' }] });
  });

  it('keeps the usage it has reported', () => {
    const usage = { prompt_tokens: 40, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } };
    const frames = [
      { choices: [], usage },
      { choices: [], usage: null },
      { choices: [], usage: { prompt_tokens: 0, completion_tokens: 6 } },
    ];
    expect(streamed(chatCompletionsEndpoint, frames).usage).toEqual({
      inputTokens: 40,
      outputTokens: 6,
      cachedInputTokens: 8,
      reasoningTokens: null,
    });
  });

  it('takes a whole message in place of pieces, and beside them not', () => {
    expect(streamed(chatCompletionsEndpoint, [{ choices: [{ message: { content: 'A' } }] }]).text).toBe('A');
    const both = [chunk({ content: 'A' }, { message: { content: 'A' } }), { choices: [{ message: { content: 'A' } }] }];
    expect(streamed(chatCompletionsEndpoint, both).text).toBe('A');
  });

  it('takes of a whole message at the end what had not come (MiniMax)', () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } };
    const message = { content: '', reasoning_content: 'Hm.', tool_calls: [call] };
    const end = { choices: [{ message, finish_reason: 'tool_calls' }] };
    const whole = {
      text: '',
      reasoning: 'Hm.',
      finishReason: 'tool_calls',
      toolCalls: [{ name: 'f', arguments: '{"x":1}' }],
    };
    const pieces = [chunk({ reasoning_content: 'Hm.' }), chunk({ tool_calls: [call] })];
    for (const came of [[], pieces.slice(0, 1), pieces]) {
      expect(streamed(chatCompletionsEndpoint, [...came, end])).toMatchObject(whole);
    }
  });

  it('has thoughts apart that are marked, whose end stands before the text (Gemini)', () => {
    const thought = (content: string) => chunk({ content, extra_content: { google: { thought: true } } });
    const frames = [
      thought('<thought>H'),
      thought('m'),
      chunk({ content: '</thought>A' }),
      chunk({ content: '</thought>' }),
    ];
    expect(streamed(chatCompletionsEndpoint, frames)).toMatchObject({
      startedAt: 0,
      text: 'A</thought>',
      reasoning: 'Hm',
    });
  });

  it.each([
    [
      'x_groq (Groq)',
      chunk({}, { finish_reason: 'stop' }),
      { choices: [], x_groq: { id: 'r', error: 'no such tool' } },
    ],
    ['its type', { type: 'error', code: 'x', message: 'no such tool' }],
  ])('has an error in %s', (_where, ...frames) => {
    expect(streamed(chatCompletionsEndpoint, [chunk({ content: 'A' }), ...frames, '[DONE]'])).toMatchObject({
      text: 'A',
      error: 'no such tool',
    });
  });

  it('has an error that is no JSON', () => {
    const reader = chatCompletionsEndpoint.readStream();
    reader.push({ event: 'error', data: 'out of memory' });
    expect(reader.answer().error).toBe('out of memory');
  });
});

const response = (...output: object[]) => ({ status: 'completed', model: 'm', output });
const message = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] });

describe('a response', () => {
  it.each<[item: object, expected: object]>([
    [
      { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: '{}' },
      { id: 'c', name: 'f', arguments: '{}' },
    ],
    [
      { type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'x' },
      { id: 'c', name: 'f', arguments: 'x' },
    ],
    [
      { type: 'file_search_call', id: 'i', queries: ['q'], results: null },
      { name: 'file_search_call', arguments: ['q'] },
    ],
    [{ type: 'code_interpreter_call', id: 'i', code: 'print(1)', container_id: 'c' }, { arguments: 'print(1)' }],
    [
      { type: 'apply_patch_call', call_id: 'c', operation: { type: 'delete_file' } },
      { arguments: { type: 'delete_file' } },
    ],
    [{ type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } }, { arguments: { commands: ['ls'] } }],
    [{ type: 'computer_call', call_id: 'c', actions: [{ type: 'click' }] }, { arguments: [{ type: 'click' }] }],
    [
      { type: 'program', call_id: 'c', code: 'go()', fingerprint: 'x' },
      { name: 'program', arguments: 'go()' },
    ],
    [
      { type: 'mcp_call', id: 'i', name: 'ask', server_label: 'wiki', arguments: '{"q":1}', output: 'yes' },
      { name: 'ask', arguments: '{"q":1}', server: 'wiki' },
    ],
    [
      { type: 'mcp_approval_request', id: 'i', name: 'ask', server_label: 'wiki', arguments: '{}' },
      { name: 'ask', arguments: '{}', server: 'wiki' },
    ],
    [
      { type: 'image_generation_call', id: 'i', status: 'completed', result: 'iVBORw0KGgo=', revised_prompt: 'a pier' },
      { name: 'image_generation_call', arguments: { revised_prompt: 'a pier' } },
    ],
    [
      { type: 'image_generation_call', id: 'i', action: 'edit', result: 'iVBORw0KGgo=', revised_prompt: 'a pier' },
      { name: 'image_generation_call', arguments: { action: 'edit', revised_prompt: 'a pier' } },
    ],
    [
      { type: 'web_search_call', id: 'i' },
      { name: 'web_search_call', arguments: null },
    ],
    [
      { type: 'from_the_future', id: 'i', wish: 'more' },
      { name: 'from_the_future', arguments: { wish: 'more' } },
    ],
  ])('keeps what a tool was asked: %j', (item, expected) => {
    expect(responsesEndpoint.readAnswer(response(item)).toolCalls).toMatchObject([expected]);
  });

  it.each([
    [{ type: 'mcp_approval_response', approval_request_id: 'i', approve: true }, 'user'],
    [{ type: 'compaction_trigger' }, 'user'],
    [{ type: 'additional_tools', role: 'developer', tools: [] }, 'developer'],
    [{ type: 'reasoning', summary: [] }, 'assistant'],
  ])('was asked by its sender: %j', (item, role) => {
    expect(responsesEndpoint.readRequest({ input: [item] }).input).toMatchObject([{ ...item, role }]);
  });

  it('takes nothing else for a call', () => {
    const others = [
      'message',
      'agent_message',
      'reasoning',
      'compaction',
      'compaction_trigger',
      'mcp_list_tools',
      'function_call_output',
      'program_output',
    ];
    const items = others.map((type) => ({ type, id: 'i', output: 'x' }));
    expect(responsesEndpoint.readAnswer(response(...items, {}, { type: 7 })).toolCalls).toEqual([]);
  });

  it.each(['queued', 'in_progress'])('in the background has no text and its status as reason: %s', (status) => {
    const read = responsesEndpoint.readAnswer({ status, model: 'm', output: [], usage: null, background: true });
    expect(read).toMatchObject({ text: null, finishReason: status, error: null });
  });

  it('has its text, spoken or refused, and its reasoning', () => {
    const read = (...output: object[]) => responsesEndpoint.readAnswer(response(...output));
    expect(read({ type: 'message', content: [{ type: 'refusal', refusal: 'no' }] }).text).toBe('no');
    expect(read({ type: 'message', content: [{ type: 'output_audio', data: 'b', transcript: 'Hi' }] }).text).toBe('Hi');
    expect(read({ role: 'assistant', content: 'Hi' }).text).toBe('Hi');
    const summary = [
      { type: 'summary_text', text: 'One' },
      { type: 'summary_text', text: 'Two' },
    ];
    expect(read({ type: 'reasoning', summary }, message('Hi'))).toMatchObject({ text: 'Hi', reasoning: 'One\n\nTwo' });
  });

  it('counts searches of the web, and no pages opened', () => {
    const search = (type: string) => ({ type: 'web_search_call', action: { type } });
    const usage = { input_tokens: 1, output_tokens: 1 };
    const read = { ...response(search('search'), search('open_page'), search('search')), usage };
    expect(responsesEndpoint.readAnswer(read).usage.webSearchRequests).toBe(2);
    expect(responsesEndpoint.readAnswer({ ...response(message('x')), usage }).usage.webSearchRequests).toBeUndefined();
    const counted = { ...read, tool_usage: { web_search: { num_requests: 5 } } };
    expect(responsesEndpoint.readAnswer(counted).usage.webSearchRequests).toBe(5);
    const discounted = { ...read, tool_usage: { web_search: { num_requests: 0 } }, status: 'completed' };
    expect(responsesEndpoint.readAnswer(discounted).usage.webSearchRequests).toBe(0);
    const cut = { ...discounted, status: 'in_progress' };
    expect(responsesEndpoint.readAnswer(cut).usage.webSearchRequests).toBe(2);
    const failed = { ...response({ ...search('search'), status: 'failed' }, search('search')), usage };
    expect(responsesEndpoint.readAnswer(failed).usage.webSearchRequests).toBe(1);
  });

  it('has the tokens of pictures that it made, which are no texts', () => {
    const image_gen = {
      ...{ input_tokens: 60, input_tokens_details: { image_tokens: 50, text_tokens: 10 } },
      ...{ output_tokens: 4_000, total_tokens: 4_060 },
    };
    const read = (made: object) =>
      responsesEndpoint.readAnswer({
        ...response(message('x')),
        usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
        tool_usage: { image_gen: made, web_search: { num_requests: 0 } },
      }).usage;
    expect(read(image_gen)).toMatchObject({
      ...{ inputTokens: 160, inputImageTokens: 50, outputTokens: 4_020, outputImageTokens: 4_000 },
    });
    expect(read({ input_tokens: 0, output_tokens: 0, total_tokens: 0 })).toMatchObject({ outputTokens: 20 });
  });

  it('that failed without a word is an error', () => {
    expect(responsesEndpoint.readAnswer({ status: 'failed', output: [] }).error).toBe('the response failed');
  });
});

describe('a stream of a response', () => {
  const created = { type: 'response.created', response: { status: 'in_progress', model: 'm', output: [] } };
  const event = (type: string, more: object) => ({ type: `response.${type}`, output_index: 0, ...more });

  it.each<[what: string, frames: object[], expected: object]>([
    ['text', [event('output_text.delta', { delta: 'A' })], { text: 'A' }],
    ['text that comes at once', [event('output_text.done', { text: 'A' })], { text: 'A' }],
    ['a transcript', [{ type: 'response.audio.transcript.delta', delta: 'A' }], { text: 'A' }],
    ['a refusal', [event('refusal.delta', { delta: 'A' })], { text: 'A' }],
    ['reasoning', [event('reasoning_text.delta', { delta: 'Hm' })], { reasoning: 'Hm' }],
    ['a summary of reasoning', [event('reasoning_summary_text.delta', { delta: 'Hm' })], { reasoning: 'Hm' }],
    [
      'code',
      [event('code_interpreter_call_code.delta', { delta: 'print(1)' })],
      { toolCalls: [{ name: 'code_interpreter_call', arguments: 'print(1)' }] },
    ],
    [
      'arguments',
      [event('function_call_arguments.delta', { delta: '{}' })],
      { toolCalls: [{ name: 'function_call', arguments: '{}' }] },
    ],
    [
      'a hosted tool',
      [event('output_item.added', { item: { type: 'file_search_call', id: 'i', queries: ['q'] } })],
      { toolCalls: [{ id: 'i', arguments: ['q'] }] },
    ],
  ])('begins with %s, and keeps it where the stream is cut', (_what, frames, expected) => {
    expect(streamed(responsesEndpoint, [created, ...frames])).toMatchObject({
      startedAt: 1,
      finishReason: null,
      ...expected,
    });
  });

  it('keeps no image', () => {
    const read = streamed(responsesEndpoint, [
      created,
      event('image_generation_call.partial_image', { partial_image_b64: 'iVBORw0KGgo=' }),
      event('output_item.done', { item: { type: 'image_generation_call', id: 'i', result: 'iVBORw0KGgo=' } }),
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    ]);
    expect(JSON.stringify(read)).not.toContain('iVBORw0KGgo');
    expect(read).toMatchObject({ finishReason: 'completed', model: 'm', toolCalls: [{ arguments: null }] });
  });

  it('finds the items of events that do not number them', () => {
    const piece = (id: string, delta: string) => ({ type: 'response.output_text.delta', item_id: id, delta });
    expect(streamed(responsesEndpoint, [created, piece('a', 'A'), piece('b', 'B'), piece('a', 'a')]).text).toBe('AaB');
  });

  it('keeps what it has reported where its end says less', () => {
    const usage = { input_tokens: 4, output_tokens: 2 };
    const frames = [
      created,
      event('output_text.delta', { delta: 'A' }),
      { type: 'response.completed', response: { usage } },
    ];
    expect(streamed(responsesEndpoint, frames)).toMatchObject({
      model: 'm',
      text: 'A',
      finishReason: 'completed',
      usage: { inputTokens: 4 },
    });
  });

  it('ends with [DONE] where nothing else ends it', () => {
    const reader = responsesEndpoint.readStream();
    reader.push({ data: JSON.stringify(created) });
    reader.push({ data: '[DONE]' });
    expect(reader.ended).toBe(true);
    expect(reader.answer().finishReason).toBeNull();
  });

  it('has an error that no event names', () => {
    expect(streamed(responsesEndpoint, [{ error: { message: 'no' } }]).error).toBe('no');
    expect(streamed(responsesEndpoint, [{ type: 'error', message: 'no' }]).error).toBe('no');
  });
});
