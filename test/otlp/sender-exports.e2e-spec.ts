/** What became of exports that senders were reported to write, through the routes of OTLP. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { describeOnBothDatabases } from '../support/databases.ts';
import { OtlpDoor, partialSuccessOf } from './otlp-door.ts';
import { logsOf, spanIdOf, tracesOf, type SentRecord, type SentSpan } from './sender-exports.ts';

const QUESTION = [{ role: 'user', content: 'Tide at noon?' }];
const ANSWER = { text: 'Ebb.', finish_reason: 'stop' };
const CALL = { 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-4o-mini' };
const COUNTS = { 'gen_ai.usage.input_tokens': 21, 'gen_ai.usage.output_tokens': 9 };

describeOnBothDatabases('exports of senders', ({ newDatabase }) => {
  let door: OtlpDoor;
  beforeAll(async () => void (door = await OtlpDoor.open(await newDatabase('otlp_senders'))));
  afterAll(() => door.close());

  async function post(body: object, path = '/v1/traces'): Promise<void> {
    const answer = await door.post(body, { path });
    expect([answer.status, partialSuccessOf(answer)]).toEqual([200, { rejected: 0, message: '' }]);
  }

  /** Sends spans of one trace, and log records of the first of them. @returns the stored spans in their order, and the trace. */
  async function sent(
    scope: string,
    spans: readonly SentSpan[],
    records: readonly SentRecord[] = [],
    resource?: object,
  ) {
    const { traceId, body } = tracesOf(scope, spans, resource);
    await post(body);
    if (records.length > 0) await post(logsOf(traceId, records), '/v1/logs');
    const { body: read } = await door.api.get<{ trace: Record<string, unknown>; spans: SpanResource[] }>(
      `/api/traces/${traceId}`,
    );
    const ordered = spans.map((_span, at) => read.spans.find(({ id }) => id.startsWith(spanIdOf(at)))!);
    return { trace: read.trace, spans: ordered, first: ordered[0]! };
  }

  /** Sends spans of one trace in several exports. @param parts the places of the spans of each. @returns the last span. */
  async function sentInParts(scope: string, spans: readonly SentSpan[], parts: number[][]): Promise<SpanResource> {
    const { traceId, body } = tracesOf(scope, spans);
    const [{ scopeSpans, ...resource }] = body.resourceSpans;
    const [all] = scopeSpans;
    for (const places of parts) {
      const some = places.map((place) => all.spans[place]!);
      await post({ resourceSpans: [{ ...resource, scopeSpans: [{ ...all, spans: some }] }] });
    }
    const { body: read } = await door.api.get<{ spans: SpanResource[] }>(`/api/traces/${traceId}`);
    return read.spans.find(({ id }) => id.startsWith(spanIdOf(spans.length - 1)))!;
  }

  const SK = 'semantic_kernel.utils.telemetry.model_diagnostics.decorators';

  it.each(['chat.streaming_completions', 'text.streaming_completions'])(
    'of Semantic Kernel: %s is a call that streams',
    async (operation) => {
      const attributes = { ...CALL, ...COUNTS, 'gen_ai.operation.name': operation };
      const { first } = await sent(SK, [{ name: `${operation} gpt-4o-mini`, attributes }]);
      expect(first.kind).toMatchObject({ type: 'llm_call', model: 'gpt-4o-mini', input_tokens: 21, output_tokens: 9 });
      expect(first.metadata).toMatchObject({ streaming: true });
    },
  );

  it('of Semantic Kernel: log bodies that are JSON text are read like the same JSON', async () => {
    const named = (name: string, body: object): SentRecord => ({
      body: JSON.stringify(body),
      attributes: { 'event.name': name },
    });
    const { first } = await sent(
      SK,
      [
        {
          name: 'chat.completions gpt-4o-mini',
          kind: 3,
          attributes: { ...CALL, 'gen_ai.operation.name': 'chat.completions' },
        },
      ],
      [
        named('gen_ai.user.message', { role: 'user', content: 'Tide at noon?' }),
        named('gen_ai.choice', { message: { role: 'assistant', content: 'Ebb.' }, finish_reason: 'stop' }),
      ],
    );
    expect([first.input, first.output]).toEqual([QUESTION, ANSWER]);
  });

  it('of LiteLLM: the cost that is reported, streaming as text, the name of its provider', async () => {
    const attributes = {
      'llm.request.type': 'acompletion',
      'gen_ai.system': 'hosted_vllm',
      'gen_ai.request.model': 'local/own-8b',
      'gen_ai.response.model': 'local/own-8b',
      'llm.is_streaming': 'True',
      'gen_ai.cost.input_cost': 0.011,
      'gen_ai.cost.output_cost': 0.022,
      'gen_ai.cost.total_cost': 0.033,
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 8,
      'gen_ai.usage.total_tokens': 48,
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Tide at noon?',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Ebb.',
      'gen_ai.completion.0.finish_reason': 'stop',
      'metadata.user_api_key_user_id': 'u1',
    };
    const { first } = await sent('litellm', [{ name: 'litellm_request', attributes }]);
    expect(first.kind).toMatchObject({
      type: 'llm_call',
      model: 'local/own-8b',
      provider: 'vllm',
      input_tokens: 40,
      output_tokens: 8,
    });
    expect(first.metadata).toMatchObject({ cost: 0.033, streaming: true });
    expect([first.input, first.output]).toEqual([QUESTION, ANSWER]);
  });

  it('of Spring AI: counts that are text', async () => {
    const attributes = {
      ...CALL,
      'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
      'gen_ai.request.temperature': '0.7',
      'gen_ai.response.finish_reasons': '["STOP"]',
      'gen_ai.usage.input_tokens': '21',
      'gen_ai.usage.output_tokens': '9',
      'gen_ai.usage.total_tokens': '30',
    };
    const { first } = await sent('org.springframework.boot', [{ name: 'chat gpt-4o-mini', attributes }]);
    expect(first.kind).toMatchObject({ input_tokens: 21, output_tokens: 9 });
    expect(first.metadata['cost']).toBeCloseTo(0.00000855, 12);
  });

  it('of Codex: an answer is a call of the model of its turn, counted once', async () => {
    const turn = {
      'thread.id': '0199-aa',
      'turn.id': 't1',
      model: 'gpt-5',
      'codex.turn.token_usage.input_tokens': 30,
      'codex.turn.token_usage.cached_input_tokens': 10,
      'codex.turn.token_usage.non_cached_input_tokens': 20,
      'codex.turn.token_usage.output_tokens': 7,
      'codex.turn.token_usage.reasoning_output_tokens': 3,
      'codex.turn.token_usage.total_tokens': 37,
    };
    const answered = {
      'otel.name': 'completed',
      from: 'x',
      'codex.request.reasoning_effort': 'medium',
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.cache_read.input_tokens': 10,
      'gen_ai.usage.output_tokens': 7,
      'codex.usage.reasoning_output_tokens': 3,
      'codex.usage.total_tokens': 37,
    };
    const event = { 'event.name': 'codex.sse_event', model: 'gpt-5', 'conversation.id': '0199-aa' };
    const { trace, spans } = await sent('codex_exec', [
      { name: 'session_task.turn', attributes: turn },
      {
        name: 'handle_responses',
        parent: spanIdOf(0),
        attributes: answered,
        events: [{ name: 'event codex.sse_event', attributes: event }],
      },
    ]);
    expect(spans[1]!.kind).toMatchObject({
      ...{ type: 'llm_call', model: 'gpt-5', provider: 'openai' },
      ...{ input_tokens: 30, cached_input_tokens: 10, output_tokens: 7, reasoning_tokens: 3 },
    });
    expect(spans[0]!.metadata['reported_usage']).toMatchObject({ input_tokens: 30, output_tokens: 7 });
    expect(trace).toMatchObject({ session_id: '0199-aa', total_tokens: 37 });
  });

  it.each(['all at once', 'inner ones first', 'outer ones first'])(
    'of Codex: a call that names no model has that of the span around it, sent %s',
    async (order) => {
      const usage = { 'gen_ai.usage.input_tokens': 30, 'gen_ai.usage.output_tokens': 7 };
      const spans = [
        { name: 'session_task.turn', attributes: { model: 'gpt-5', 'thread.id': '0199-aa' } },
        { name: 'run_sampling_request', parent: spanIdOf(0), attributes: { model: 'gpt-5-mini', turn_id: 't1' } },
        { name: 'receiving_stream', parent: spanIdOf(1), attributes: {} },
        { name: 'handle_responses', parent: spanIdOf(2), attributes: { 'otel.name': 'completed', ...usage } },
      ];
      const places = order === 'outer ones first' ? [0, 1, 2, 3] : [3, 2, 1, 0];
      const exports = order === 'all at once' ? [[0, 1, 2, 3]] : places.map((place) => [place]);
      const call = await sentInParts('codex_exec', spans, [...exports, [3]]);
      expect(call.kind).toMatchObject({ type: 'llm_call', model: 'gpt-5-mini', input_tokens: 30, output_tokens: 7 });
      // gpt-5-mini: 0.25 and 2 dollars per million tokens.
      expect(call.metadata).toMatchObject({
        cost: expect.closeTo((30 * 0.25 + 7 * 2) / 1e6, 12),
        cost_source: 'table',
      });
    },
  );

  it('of google-genai: contents of Gemini in log events', async () => {
    const attributes = {
      ...COUNTS,
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.system': 'gemini',
      'gen_ai.request.model': 'gemini-2.5-flash',
    };
    const said = (role: string, text: string): object => ({ role, parts: [{ text }] });
    const { first } = await sent(
      'opentelemetry.instrumentation.google_genai',
      [{ name: 'generate_content gemini-2.5-flash', kind: 3, attributes }],
      [
        { eventName: 'gen_ai.user.message', body: { content: said('user', 'Tide at noon?') } },
        { eventName: 'gen_ai.choice', body: { index: 0, content: said('model', 'Ebb.'), finish_reason: 'STOP' } },
      ],
    );
    expect([first.input, first.output]).toEqual([QUESTION, { text: 'Ebb.', finish_reason: 'STOP' }]);
    expect(first.kind).toMatchObject({ provider: 'gcp.gemini', input_tokens: 21 });
  });

  it('of Azure AI Inference: messages as JSON text in an attribute of events', async () => {
    const event = (name: string, content: object) => ({
      name,
      attributes: { 'gen_ai.system': 'az.ai.inference', 'gen_ai.event.content': JSON.stringify(content) },
    });
    const { first } = await sent('test', [
      {
        name: 'chat gpt-4o-mini',
        attributes: {
          ...CALL,
          ...COUNTS,
          'gen_ai.system': 'az.ai.inference',
          'gen_ai.response.finish_reasons': ['stop'],
        },
        events: [
          event('gen_ai.system.message', { role: 'system', content: 'Be brief.' }),
          event('gen_ai.user.message', { role: 'user', content: 'Tide at noon?' }),
          event('gen_ai.choice', { message: { content: 'Ebb.' }, finish_reason: 'stop', index: 0 }),
        ],
      },
    ]);
    expect(first.input).toEqual([{ role: 'system', content: 'Be brief.' }, ...QUESTION]);
    expect(first.output).toEqual(ANSWER);
    expect(first.kind).toMatchObject({ provider: 'azure.ai.inference' });
  });

  it('of Azure AI Inference by logs: the same attribute of records, of any role', async () => {
    const record = (eventName: string, content: object): SentRecord => ({
      eventName,
      attributes: { 'gen_ai.event.content': JSON.stringify(content) },
    });
    const { first } = await sent(
      'test',
      [{ name: 'chat', attributes: CALL }],
      [
        record('gen_ai.developer.message', { role: 'developer', content: 'Be brief.' }),
        record('gen_ai.choice', { content: 'Ebb.', finish_reason: 'stop' }),
      ],
    );
    expect(first.input).toEqual([{ role: 'developer', content: 'Be brief.' }]);
    expect(first.output).toEqual(ANSWER);
  });

  it('of OpenInference: a call of a tool among the parts of a message', async () => {
    const said = 'llm.output_messages.0.message';
    const attributes = {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'claude-3-5-haiku-latest',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Weather?',
      [`${said}.role`]: 'assistant',
      [`${said}.contents.0.message_content.type`]: 'text',
      [`${said}.contents.0.message_content.text`]: 'Let me look.',
      [`${said}.contents.1.message_content.type`]: 'tool_use',
      [`${said}.contents.1.tool_call.id`]: 't1',
      [`${said}.contents.1.tool_call.function.name`]: 'weather',
      [`${said}.contents.1.tool_call.function.arguments`]: '{"city":"Paris"}',
    };
    const { first } = await sent('test', [{ name: 'Anthropic Messages', attributes }]);
    expect(first.output).toEqual({
      text: 'Let me look.',
      finish_reason: null,
      tool_calls: [{ id: 't1', name: 'weather', arguments: '{"city":"Paris"}' }],
    });
  });

  it('of Genkit: flow, model and tool', async () => {
    const action = (name: string, subtype: string, input: unknown, output: unknown): object => ({
      'genkit:name': name,
      'genkit:type': 'action',
      'genkit:metadata:subtype': subtype,
      'genkit:input': JSON.stringify(input),
      'genkit:output': JSON.stringify(output),
      'genkit:state': 'success',
    });
    const asked = {
      messages: [
        { role: 'system', content: [{ text: 'Be brief.' }] },
        { role: 'user', content: [{ text: 'Weather in Paris?' }] },
      ],
      tools: [],
      config: {},
    };
    const answered = {
      message: { role: 'model', content: [{ text: 'It is mild.' }] },
      finishReason: 'stop',
      usage: { inputTokens: 21, outputTokens: 9, totalTokens: 30 },
    };
    const { spans } = await sent('genkit-tracer', [
      { name: 'ask', attributes: action('ask', 'flow', 'Weather in Paris?', 'It is mild.') },
      {
        name: 'openai/gpt-4o-mini',
        parent: spanIdOf(0),
        attributes: action('openai/gpt-4o-mini', 'model', asked, answered),
      },
      { name: 'weather', parent: spanIdOf(0), attributes: action('weather', 'tool', { city: 'Paris' }, 'mild') },
    ]);
    expect(spans[0]).toMatchObject({
      kind: { type: 'custom', kind: 'flow', name: 'ask' },
      input: 'Weather in Paris?',
      output: 'It is mild.',
    });
    expect(spans[1]!.kind).toMatchObject({
      ...{ type: 'llm_call', model: 'gpt-4o-mini', provider: 'openai' },
      ...{ input_tokens: 21, output_tokens: 9 },
    });
    expect(spans[1]!.input).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Paris?' },
    ]);
    expect(spans[1]!.output).toEqual({ text: 'It is mild.', finish_reason: 'stop' });
    expect(spans[2]).toMatchObject({
      kind: { type: 'tool_call', name: 'weather' },
      input: { city: 'Paris' },
      output: 'mild',
    });
  });

  describe('with sessions and users', () => {
    it('that are whole numbers', async () => {
      const ids = { 'session.id': 12345, 'user.id': 42, 'gen_ai.conversation.id': 7 };
      const { trace } = await sent('test', [{ name: 'chat', attributes: { ...CALL, ...ids } }]);
      expect(trace).toMatchObject({ session_id: '12345', user_id: '42' });
      const { trace: other } = await sent('test', [
        { name: 'chat', attributes: { ...CALL, 'gen_ai.conversation.id': 7 } },
      ]);
      expect(other).toMatchObject({ session_id: '7', user_id: null });
    });

    it('of the resource, where no span names one', async () => {
      const resource = { 'session.id': 'of the resource', 'user.id': 'ada' };
      const { trace } = await sent('test', [{ name: 'chat', attributes: CALL }], [], resource);
      expect(trace).toMatchObject({ session_id: 'of the resource', user_id: 'ada' });
      const attributes = { ...CALL, 'gen_ai.conversation.id': 'own' };
      const { trace: other } = await sent('test', [{ name: 'first' }, { name: 'chat', attributes }], [], resource);
      expect(other).toMatchObject({ session_id: 'own', user_id: 'ada' });
    });
  });

  it('of general printers of protobuf: names of enums', async () => {
    const status = { code: 'STATUS_CODE_ERROR', message: 'boom' };
    const { first } = await sent('test', [{ name: 'enum', kind: 'SPAN_KIND_CLIENT', status }]);
    expect(first.status).toEqual({ failed: { error: 'boom' } });
    expect(first.metadata['otel']).toMatchObject({ kind: 'client' });
  });

  it('of general printers of protobuf: names in snake_case', async () => {
    const { traceId, body } = tracesOf('test', [
      {
        name: 'chat',
        attributes: { ...CALL, ...COUNTS, nested: { list: ['a', true] } },
        events: [{ name: 'gen_ai.user.message', attributes: { content: 'Tide at noon?' } }],
        status: { code: 2, message: 'boom' },
      },
    ]);
    await post(inSnakeCase(body) as object);
    await post(
      inSnakeCase(logsOf(traceId, [{ eventName: 'gen_ai.choice', body: { message: 'Ebb.' } }])) as object,
      '/v1/logs',
    );
    const [span] = await door.spansOf(traceId);
    expect(span).toMatchObject({
      name: 'chat',
      kind: { type: 'llm_call', model: 'gpt-4o-mini', input_tokens: 21 },
      status: { failed: { error: 'boom' } },
      input: QUESTION,
      output: { text: 'Ebb.' },
      metadata: {
        otel: { scope: { name: 'test' }, service: 'harbour', attributes: { nested: { list: ['a', true] } } },
      },
    });
  });
});

/** JSON with the names that protobuf has, all through. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(member),
    ]),
  );
}
