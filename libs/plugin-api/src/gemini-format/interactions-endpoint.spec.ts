import { describe, expect, it } from '@jest/globals';
import { geminiEndpointOf } from './generate-endpoint.js';

const post = (path: string) => geminiEndpointOf({ method: 'POST', path, headers: {} });
const endpoint = post('/v1beta/interactions')!;
const text = (said: string) => [{ type: 'text', text: said }];
const usage = {
  ...{ total_input_tokens: 10, total_tool_use_tokens: 90, total_cached_tokens: 4 },
  ...{ total_output_tokens: 8, total_thought_tokens: 40, total_tokens: 148 },
  input_tokens_by_modality: [{ modality: 'image', tokens: 6 }],
  grounding_tool_count: [
    { type: 'google_maps', count: 9 },
    { type: 'google_search', count: 2 },
  ],
};
const READ = {
  ...{ model: 'gemini-3.8-flash', text: 'At 11:20', reasoning: 'Tables first.', error: null },
  toolCalls: [
    { id: 's', name: 'google_search_call', arguments: { queries: ['tide'] } },
    { id: 'c', name: 'tide', arguments: expect.anything() },
    { id: 'm', name: 'ask', arguments: { q: 1 }, server: 'wiki' },
  ],
  usage: expect.objectContaining({
    ...{ inputTokens: 100, outputTokens: 48, cachedInputTokens: 4, reasoningTokens: 40 },
    ...{ inputImageTokens: 6, webSearchRequests: 2, serviceTier: 'flex' },
  }),
};

describe("Gemini's Interactions API", () => {
  it('is known by its path, and only that', () => {
    expect(post('/v1beta1/projects/p/locations/global/interactions')).toBe(endpoint);
    for (const path of ['/v1beta/interactions/v1_1', '/interactions', '/v1beta/interactions:cancel']) {
      expect(post(path)).toBeUndefined();
    }
  });

  it('reads what is asked of a model or an agent, as text or steps', () => {
    const request = { model: 'gemini-3.8-flash', system_instruction: 'Be brief.', input: 'Tide?', store: false };
    expect(endpoint.readRequest(request)).toEqual({
      ...{ model: 'gemini-3.8-flash', streaming: false, parameters: { store: false } },
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Tide?' },
      ],
    });
    const input = [
      { type: 'user_input', content: text('Tide?') },
      { type: 'function_call', id: 'c', name: 'tide', arguments: {} },
      { type: 'function_result', call_id: 'c', name: 'tide', result: '11:20' },
      { type: 'model_output', content: text('At 11:20') },
    ];
    expect(endpoint.readRequest({ agent: 'deep-research', input, stream: true })).toMatchObject({
      ...{ model: 'deep-research', streaming: true },
      input: [
        { role: 'user', content: text('Tide?') },
        { role: 'assistant', type: 'function_call', name: 'tide' },
        { role: 'tool', call_id: 'c', content: '11:20' },
        { role: 'assistant', content: text('At 11:20') },
      ],
    });
  });

  it('reads the steps of an answer, the question left out', () => {
    const steps = [
      { type: 'user_input', content: text('Tide?') },
      { type: 'thought', signature: 'x', summary: text('Tables first.') },
      { type: 'google_search_call', id: 's', arguments: { queries: ['tide'] } },
      { type: 'google_search_result', call_id: 's', result: [{ title: 'Tides' }] },
      { type: 'function_call', id: 'c', name: 'tide', arguments: { harbour: 'Nagasaki' } },
      { type: 'mcp_server_tool_call', id: 'm', name: 'ask', server_name: 'wiki', arguments: { q: 1 } },
      { type: 'model_output', content: [...text('At '), ...text('11:20')] },
    ];
    const answer = { id: 'v1_1', model: 'gemini-3.8-flash', status: 'requires_action', service_tier: 'flex' };
    expect(endpoint.readAnswer({ ...answer, steps, usage })).toEqual({ ...READ, finishReason: 'requires_action' });
    expect(endpoint.readAnswer({ status: 'failed', errors: [{ code: '500', message: 'boom' }] }).error).toBe('boom');
    const failed = { type: 'model_output', error: { code: 13, message: 'no room' } };
    expect(endpoint.readAnswer({ status: 'incomplete', steps: [failed] }).error).toBe('no room');
    expect(endpoint.readAnswer({ status: 'in_progress' })).toMatchObject({ text: null, finishReason: 'in_progress' });
  });

  it('puts a stream together, which has no reason to finish before its end', () => {
    const stream = endpoint.readStream();
    const push = (event: object) => stream.push({ data: JSON.stringify(event) });
    const start = (index: number, step: object) => push({ event_type: 'step.start', index, step });
    const piece = (index: number, delta: object) => push({ event_type: 'step.delta', index, delta });
    push({ event_type: 'interaction.created', interaction: { model: 'gemini-3.8-flash', status: 'in_progress' } });
    start(0, { type: 'thought' });
    piece(0, { type: 'thought_signature', signature: 'x' });
    expect(stream.started).toBe(false);
    piece(0, { type: 'thought_summary', content: { type: 'text', text: 'Tables ' } });
    piece(0, { type: 'thought_summary', content: { type: 'text', text: 'first.' } });
    expect(stream.started).toBe(true);
    start(1, { type: 'google_search_call', id: 's' });
    piece(1, { type: 'google_search_call', arguments: { queries: ['tide'] } });
    start(2, { type: 'function_call', id: 'c', name: 'tide', arguments: {} });
    piece(2, { type: 'arguments_delta', arguments: '{"harbour":' });
    piece(2, { type: 'arguments_delta', arguments: '"Nagasaki"}' });
    start(3, { type: 'mcp_server_tool_call', id: 'm' });
    piece(3, { type: 'mcp_server_tool_call', name: 'ask', server_name: 'wiki', arguments: { q: 1 } });
    start(4, { type: 'model_output', content: text('At ') });
    piece(4, { type: 'text', text: '11:20' });
    expect(stream.answer()).toMatchObject({ text: 'At 11:20', finishReason: null });
    const interaction = { status: 'completed', service_tier: 'flex', steps: [], usage };
    push({ event_type: 'interaction.completed', interaction });
    expect(stream.ended).toBe(true);
    expect(stream.answer()).toEqual({ ...READ, finishReason: 'completed' });
    expect(stream.answer().toolCalls[1]!.arguments).toBe('{"harbour":"Nagasaki"}');
    push({ event_type: 'error', error: { code: 'unavailable', message: 'overloaded' } });
    expect(stream.answer().error).toBe('overloaded');
  });

  it('knows the usage and the status of a stream that is cut, from other events', () => {
    const stream = endpoint.readStream();
    const push = (event: object) => stream.push({ data: JSON.stringify(event) });
    const total_usage = { total_input_tokens: 40, total_output_tokens: 2, total_tokens: 42 };
    push({ event_type: 'step.start', index: 0, step: { type: 'model_output' } });
    push({ event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'At' }, metadata: { total_usage } });
    expect(stream.answer()).toMatchObject({ usage: { inputTokens: 40, outputTokens: 2 }, finishReason: null });
    push({ event_type: 'step.stop', index: 0, usage: { ...total_usage, total_output_tokens: 5, total_tokens: 45 } });
    expect(stream.answer().usage).toMatchObject({ inputTokens: 40, outputTokens: 5 });
    push({ event_type: 'interaction.status_update', status: 'in_progress' });
    expect(stream.ended).toBe(false);
    push({ event_type: 'interaction.status_update', status: 'requires_continuation' });
    expect(stream.ended).toBe(true);
    expect(stream.answer()).toMatchObject({ text: 'At', finishReason: 'requires_continuation' });
  });
});
