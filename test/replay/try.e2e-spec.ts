/** Calls that are tried again (docs/spec/replay.md#trying-a-call), on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ConnectionResource, Problem, SpanResource, TryCall, TryEvent } from '@spandrel/contract';
import { TrySettings } from '@spandrel/replay';
import { FAKE_USAGE } from '../fake-provider/usage.ts';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';

const KEY = 'sk-fake-2f6c81d94b7e';

describeOnBothDatabases('a try', ({ newDatabase }) => {
  let server: ServerApp;
  let provider: FakeProvider;
  let connections: Record<'openai' | 'anthropic' | 'ollama' | 'custom', string>;

  beforeAll(async () => {
    provider = await startFakeProvider();
    server = await startServerApp(await newDatabase('tries'), {
      settings: (settings) => void (settings.of(TrySettings).callsMax = 2),
    });
    const connect = async (name: string, base: string): Promise<string> => {
      const body = { name, provider: name, api_key: KEY, base_url: provider.url + base, default_model: 'gpt-5.1' };
      return (await server.api.post<ConnectionResource>('/api/provider-connections', body)).body.id;
    };
    connections = {
      ...{ openai: await connect('openai', '/v1'), anthropic: await connect('anthropic', '') },
      ...{ ollama: await connect('ollama', ''), custom: await connect('custom', '/v1') },
    };
  });
  afterAll(async () => {
    await server?.close();
    await provider?.close();
  });

  const send = (body: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${server.url}/api/try`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ connection_id: connections.openai, ...body }),
      ...(signal && { signal }),
    });
  const eventsOf = (text: string): TryEvent[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as TryEvent);
  const tried = async (body: object): Promise<TryEvent[]> => {
    const response = await send(body);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    return eventsOf(await response.text());
  };
  const problem = async (body: object) => {
    const response = await send(body);
    return { headers: response.headers, ...((await response.json()) as Problem) };
  };
  const last = <Type extends TryEvent['type']>(events: TryEvent[], type: Type) => {
    const event = events.at(-1)!;
    expect(event.type).toBe(type);
    return event as Extract<TryEvent, { type: Type }>;
  };
  const textOf = (events: TryEvent[]): string =>
    events.map((event) => (event.type === 'delta' ? (event.text ?? '') : '')).join('');
  const spanOf = async (traceId: string): Promise<SpanResource> => {
    const { body } = await server.api.get<{ trace: { tags: string[] }; spans: SpanResource[] }>(
      `/api/traces/${traceId}`,
    );
    expect(body.trace.tags).toEqual(['try']);
    return body.spans.at(-1)!;
  };
  const say = (content: string): Pick<TryCall, 'messages'> => ({ messages: [{ role: 'user', content }] });
  const sentLast = () => JSON.parse(provider.requests.at(-1)!.body.toString()) as Record<string, unknown>;

  it.each(['openai', 'anthropic', 'ollama', 'custom'] as const)(
    'streams the answer of %s and records it',
    async (name) => {
      const asked = 'fake:slow-stream:5 Six o’clock?';
      const events = await tried({
        ...say(asked),
        connection_id: connections[name],
        parameters: { temperature: 0.5 },
      });
      const text = `You said: ${asked}`;
      expect(textOf(events)).toBe(text);
      expect(events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(2);
      const { runs, trace_id: traceId } = last(events, 'done');
      expect(runs).toMatchObject([{ run: 0, output: { text }, output_tokens: FAKE_USAGE.output }]);
      expect(events[0]).toEqual({ type: 'begun', run: 0, trace_id: traceId, span_id: runs[0]!.span_id });
      const span = await spanOf(traceId);
      expect(span).toMatchObject({
        id: runs[0]!.span_id,
        status: 'completed',
        kind: { type: 'llm_call', model: 'gpt-5.1', provider: name, cost: runs[0]!.cost },
        ...{ ...{ input: say(asked).messages, output: runs[0]!.output } },
        metadata: { streaming: true, connection_id: connections[name], request: { temperature: 0.5 } },
      });
      expect(JSON.stringify(span)).not.toContain(KEY);
    },
  );

  it('is of a recorded call, with its tools and parameters, changed as the request says', async () => {
    const tool = { type: 'function', function: { name: 'get_tide', parameters: { type: 'object' } } };
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const started = new Date().toISOString();
    const input = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Brest?' }, image] },
    ];
    await server.api.post('/api/ingest', {
      traces: [{ id: 'recorded', started_at: started }],
      spans: [
        {
          ...{ id: 'recorded-span', trace_id: 'recorded', name: 'call', started_at: started, ended_at: started },
          kind: { type: 'llm_call', model: 'gpt-4.1', provider: 'openai' },
          ...{ input, output: { text: 'Noon.' } },
          metadata: { request: { tools: [tool], max_completion_tokens: 50, seed: 7, stream: true, temperature: 1 } },
        },
      ],
    });
    const spanId = { span_id: 'recorded-span' };
    const { trace_id: traceId } = last(await tried({ ...spanId, model: 'fake:tools' }), 'done');
    expect(sentLast()).toMatchObject({
      model: 'fake:tools',
      messages: input,
      tools: [tool],
      seed: 7,
      temperature: 1,
      max_completion_tokens: 50,
    });
    expect(await spanOf(traceId)).toMatchObject({
      output: { finish_reason: 'tool_calls', tool_calls: [{ name: 'get_tide' }] },
      metadata: { tried_span_id: 'recorded-span', request: { tools: [tool], max_tokens: 50, seed: 7 } },
    });
    await tried({
      ...{ ...spanId, connection_id: connections.anthropic, changes: { system_prompt: { append: 'In French.' } } },
    });
    expect(sentLast()).toMatchObject({
      ...{ system: 'Be brief.\n\nIn French.', max_tokens: 50, temperature: 1 },
      tools: [{ name: 'get_tide', input_schema: { type: 'object' } }],
    });
    expect(sentLast()).not.toHaveProperty('seed');
    const changes = { system_prompt: { replace: 'Be long.' }, messages: [{ index: 1, content: 'Nice?' }] };
    await tried({ ...spanId, changes, tools: [], parameters: {} });
    expect(sentLast()).toEqual({
      ...{ model: 'gpt-5.1', stream: true, stream_options: { include_usage: true } },
      messages: [
        { role: 'system', content: 'Be long.' },
        { role: 'user', content: 'Nice?' },
      ],
    });
    expect(await problem({ ...spanId, changes: { messages: [{ index: 2, content: '' }] } })).toMatchObject({
      status: 400,
    });
    expect(await problem({ span_id: 'none' })).toMatchObject({ status: 404, code: 'span_not_found' });
  });

  it('may have an image of nine megabytes, which counts as an image', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(9_000_000)}` } };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'fake:error-500' }, image] }];
    expect(await problem({ messages })).toMatchObject({ code: 'bad_gateway' });
  });

  it('is made n times, and added to a trace of tries alone', async () => {
    const first = last(await tried({ ...say('Often'), n: 3 }), 'done');
    expect(first.runs.map(({ run }) => run)).toEqual([0, 1, 2]);
    const again = last(await tried({ ...say('Once'), trace_id: first.trace_id }), 'done');
    expect(again.trace_id).toBe(first.trace_id);
    const { body } = await server.api.get<{ spans: SpanResource[] }>(`/api/traces/${first.trace_id}`);
    expect(body.spans).toHaveLength(4);
    await server.api.post('/api/ingest', { traces: [{ id: 'production', started_at: new Date().toISOString() }] });
    expect(await problem({ ...say('Once'), trace_id: 'production' })).toMatchObject({
      status: 409,
      code: 'id_conflict',
    });
  });

  it('finds nothing of another project, and takes its ids as new ones', async () => {
    const theirs = { 'x-test-project': 'theirs' };
    const { trace_id: traceId, runs } = last(await tried(say('Ours')), 'done');
    const sent = (body: object) => server.api.send('POST', '/api/try', { ...say('Mine'), ...body }, theirs);
    expect((await sent({ connection_id: connections.openai })).body).toMatchObject({ code: 'connection_not_found' });
    const connection = { name: 'theirs', provider: 'custom', api_key: '', base_url: `${provider.url}/v1` };
    const made = await server.api.send<ConnectionResource>('POST', '/api/provider-connections', connection, theirs);
    const own = { connection_id: made.body.id, model: 'm', ...say('fake:error-500 theirs') };
    expect((await sent({ ...own, span_id: runs[0]!.span_id })).body).toMatchObject({ code: 'span_not_found' });
    expect((await sent({ ...own, trace_id: traceId })).body).toMatchObject({ code: 'bad_gateway' });
    const { body } = await server.api.get<{ spans: SpanResource[] }>(`/api/traces/${traceId}`);
    expect(body.spans).toMatchObject([{ input: say('Ours').messages }]);
  });

  it('says what went wrong, before the first byte as a problem and after it as an event', async () => {
    const failed = await problem(say('fake:error-key leak'));
    expect(failed).toMatchObject({ status: 502, code: 'bad_gateway' });
    expect(failed.detail).toMatch(/^HTTP 401 from http:\/\/127\.0\.0\.1:\d+: Incorrect API key provided: \[redacted\]/);
    const [recorded] = (await server.api.spans('status=failed')).filter(({ input }) =>
      JSON.stringify(input).includes('leak'),
    );
    expect(recorded).toMatchObject({ error: failed.detail, metadata: { connection_id: connections.openai } });
    const events = await tried(say('fake:cut+slow-stream:5 Some words that will never come to their end'));
    const { detail, trace_id: traceId } = last(events, 'error');
    expect(detail).not.toBe('');
    expect(textOf(events)).toMatch(/^You said: fake:cut\+slow/);
    expect(await spanOf(traceId)).toMatchObject({ error: detail, output: { text: textOf(events) } });
    expect(await problem({ ...say('x'), connection_id: 'none' })).toMatchObject({ status: 404 });
    expect(await problem({})).toMatchObject({ status: 400, code: 'validation_failed' });
    for (const parameters of [{ max_tokens: 10_000_000 }, { max_completion_tokens: 10_000_000 }, { n: 10_000 }]) {
      expect(await problem({ ...say('x'), parameters })).toMatchObject({
        ...{ status: 422, code: 'cost_too_high', detail: expect.stringContaining('lower parameters.max_tokens') },
      });
    }
  });

  it('shows nothing of a key that a model says, however it comes in pieces', async () => {
    const events = await tried(say(`fake:split before ${KEY} behind sk-fake-2f6c8`));
    expect(textOf(events)).toBe('You said: fake:split before [redacted] behind sk-fake-2f6c8');
    expect(JSON.stringify(events)).not.toContain(KEY);
  });

  it('ends with its client, and records what was said until then', async () => {
    const client = new AbortController();
    const response = await send(
      say('fake:slow-stream:20 one two three four five six seven eight nine ten'),
      client.signal,
    );
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('two')) text += (await reader.read()).value ?? '';
    const { trace_id: traceId } = eventsOf(text)[0] as Extract<TryEvent, { type: 'begun' }>;
    client.abort();
    await until(async () => (await server.api.get(`/api/traces/${traceId}`)).status === 200);
    const span = await spanOf(traceId);
    expect(span).toMatchObject({ error: 'client disconnected' });
    const said = (span.output as { text: string }).text;
    expect('You said: fake:slow-stream:20 one two three four five six seven eight nine ten'.startsWith(said)).toBe(
      true,
    );
    expect(said).toContain('two');
    await until(() => provider.requests.at(-1)!.aborted);
  });

  it('is refused while as many are under way as may be', async () => {
    const before = provider.requests.length;
    const held = [send(say('fake:held one')), send(say('fake:held two'))];
    await until(() => provider.requests.length === before + 2);
    const refused = await problem(say('three'));
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(refused.headers.get('retry-after')).toBe('2');
    provider.release();
    for (const response of await Promise.all(held))
      expect(last(eventsOf(await response.text()), 'done').runs).toHaveLength(1);
    last(await tried(say('three')), 'done');
  });

  it('is left to capture rules that ask for it', async () => {
    const { body: dataset } = await server.api.post<{ id: string }>('/api/datasets', { name: 'captured' });
    const rules = `/api/datasets/${dataset.id}/capture-rules`;
    const rule = async (filters: object) =>
      (await server.api.post<{ id: string }>(rules, { name: 'rule', filters })).body.id;
    const [any, asking] = [await rule({}), await rule({ tag: 'try' })];
    await tried(say('Captured?'));
    const captured = async (id: string) =>
      (await server.api.get<{ captured_count: number }>(`${rules}/${id}`)).body.captured_count;
    await until(async () => (await captured(asking)) === 1);
    expect(await captured(any)).toBe(0);
  });
});
