/** The main job: official clients through a started gateway to a fake provider, read back from the API. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { FAKE_USAGE } from './fake-provider/usage.ts';
import type { Api } from './support/api.ts';
import type { Place, Program } from './support/places.ts';
import { until } from './support/spandrel.ts';
import { describeOnBothDatabases, showsAll } from './support/databases.ts';

const OPENAI_KEY = 'sk-canary-openai-0123456789';
const ANTHROPIC_KEY = 'sk-ant-canary-0123456789';

describeOnBothDatabases('official clients', ({ name, takePlace }) => {
  /** What the gateway makes of a call, whatever keeps it. */
  const itOfGateway = (title: string, test: () => Promise<void>): void => {
    if (showsAll(name)) it(title, test);
  };
  let place: Place;
  let provider: FakeProvider;
  let program: Program;
  let api: Api;

  beforeAll(async () => {
    provider = await startFakeProvider();
    place = await takePlace();
    program = await place.start({
      env: {
        SPANDREL_OPENAI_BASE_URL: provider.url,
        SPANDREL_ANTHROPIC_BASE_URL: provider.url,
        SPANDREL_OLLAMA_BASE_URL: provider.url,
      },
    });
    api = program.api;
  });
  afterAll(async () => {
    await place?.close();
    await provider?.close();
  });
  beforeEach(async () => {
    await api.delete('/api/traces');
    provider.requests.length = 0;
  });

  /** A fetch that keeps the bytes of the last answer as the client got them. */
  let received: Promise<Buffer> | undefined;
  const keepingFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    received = response
      .clone()
      .arrayBuffer()
      .then(
        (bytes) => Buffer.from(bytes),
        () => Buffer.from('the answer was cut'),
      );
    return response;
  };

  /** The spans of the calls of a test, in their order, once all are finished. */
  async function recordings(count: number): Promise<SpanResource[]> {
    let spans: SpanResource[] = [];
    await until(
      async () => (spans = await api.spans()).length >= count && spans.every(({ status }) => status !== 'running'),
      5_000,
      () => `not ${count} finished spans; there are: ${JSON.stringify(spans)}`,
    );
    expect(spans).toHaveLength(count);
    return spans.toReversed();
  }

  /** The only span, once it is finished. */
  const recorded = async (): Promise<SpanResource> => (await recordings(1))[0]!;

  /** The client of the last call received the bytes that the provider sent. */
  async function expectSameBytes(): Promise<void> {
    expect((await received)?.equals(provider.requests.at(-1)!.answer.body)).toBe(true);
  }

  /** Each streamed and not. */
  const BOTH = [false, true];

  const clientOptions = () => ({
    apiKey: OPENAI_KEY,
    baseURL: `${program.gatewayUrl}/v1`,
    maxRetries: 0,
    defaultHeaders: place.gatewayHeaders,
  });
  const openai = () => new OpenAI({ ...clientOptions(), fetch: keepingFetch });
  /** Without a second reader of the answer, which would keep reading when the first goes away. */
  const plainOpenai = () => new OpenAI(clientOptions());
  const anthropic = () =>
    new Anthropic({ ...clientOptions(), apiKey: ANTHROPIC_KEY, baseURL: program.gatewayUrl, fetch: keepingFetch });
  const ollama = () => new Ollama({ host: program.gatewayUrl, headers: place.gatewayHeaders, fetch: keepingFetch });

  const asked = [
    { role: 'system' as const, content: 'You know the tides.' },
    { role: 'user' as const, content: 'When is high water in 長崎? 🌊' },
  ];
  const said = 'You said: When is high water in 長崎? 🌊';
  const tool = {
    type: 'function' as const,
    function: { name: 'get_tide', description: 'Tide times', parameters: { type: 'object', properties: {} } },
  };

  describe('the openai client', () => {
    it('is recorded: chat completion', async () => {
      const answer = await openai().chat.completions.create({
        model: 'gpt-4o-mini',
        messages: asked,
        temperature: 0.2,
      });
      expect(answer.choices[0]?.message.content).toBe(said);
      const span = await recorded();
      await expectSameBytes();
      expect(span).toMatchObject({
        name: 'gpt-4o-mini',
        status: 'completed',
        error: null,
        kind: {
          type: 'llm_call',
          provider: 'openai',
          model: 'gpt-4o-mini',
          input_tokens: FAKE_USAGE.input,
          output_tokens: FAKE_USAGE.output,
        },
        input: asked,
        output: { text: said, finish_reason: 'stop' },
        metadata: {
          status_code: 200,
          streaming: false,
          request: { temperature: 0.2 },
          total_tokens: FAKE_USAGE.input + FAKE_USAGE.output,
        },
      });
      // gpt-4o-mini: 0.15 and 0.60 dollars per million tokens
      expect(span.kind['cost']).toBeCloseTo((FAKE_USAGE.input * 0.15 + FAKE_USAGE.output * 0.6) / 1e6, 12);
      expect(span.metadata['cost']).toBe(span.kind['cost']);
      const [trace] = await api.traces();
      expect(trace).toMatchObject({
        id: span.trace_id,
        name: 'gpt-4o-mini',
        status: 'completed',
        span_count: 1,
        models: ['gpt-4o-mini'],
      });
      expect(trace?.ended_at).toBe(span.ended_at);
    });

    itOfGateway('is recorded: streamed chat completion with usage', async () => {
      const stream = await openai().chat.completions.create({
        model: 'gpt-4o',
        messages: asked,
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      expect(text).toBe(said);
      const span = await recorded();
      await expectSameBytes();
      expect(span).toMatchObject({
        status: 'completed',
        kind: { model: 'gpt-4o', input_tokens: FAKE_USAGE.input, output_tokens: FAKE_USAGE.output },
        output: { text: said, finish_reason: 'stop' },
        metadata: { streaming: true, time_to_first_token_ms: expect.any(Number) },
      });
    });

    itOfGateway('is recorded: a stream without usage leaves the tokens empty', async () => {
      const stream = await openai().chat.completions.create({ model: 'gpt-4o', messages: asked, stream: true });
      for await (const chunk of stream) void chunk;
      const span = await recorded();
      expect(span).toMatchObject({
        kind: { input_tokens: null, output_tokens: null, cost: null },
        output: { text: said },
      });
    });

    itOfGateway('is recorded: tools, streamed and not', async () => {
      for (const stream of BOTH) {
        const answer = await openai().chat.completions.create({
          model: 'fake:tools',
          messages: asked,
          tools: [tool],
          stream,
        });
        if (Symbol.asyncIterator in answer) for await (const chunk of answer) void chunk;
        await expectSameBytes();
      }
      for (const [index, span] of (await recordings(2)).entries()) {
        expect(span.metadata).toMatchObject({ streaming: BOTH[index], request: { tools: [tool] } });
        expect(span.output).toMatchObject({
          finish_reason: 'tool_calls',
          tool_calls: [{ name: 'get_tide', arguments: '{"harbour":"長崎"}' }],
        });
      }
    });

    itOfGateway('is recorded: cached and reasoning tokens', async () => {
      await openai().chat.completions.create({ model: 'fake:cached+reasoning', messages: asked });
      expect((await recorded()).kind).toMatchObject({
        input_tokens: FAKE_USAGE.input,
        cached_input_tokens: FAKE_USAGE.cached,
        reasoning_tokens: FAKE_USAGE.reasoning,
        cost: null,
      });
    });

    itOfGateway('is recorded: responses, streamed and not', async () => {
      for (const stream of BOTH) {
        const answer = await openai().responses.create({
          model: 'gpt-4o',
          instructions: asked[0]!.content,
          input: asked[1]!.content,
          stream,
        });
        if (Symbol.asyncIterator in answer) for await (const event of answer) void event;
        await expectSameBytes();
      }
      for (const [index, span] of (await recordings(2)).entries()) {
        expect(span).toMatchObject({
          status: 'completed',
          kind: {
            provider: 'openai',
            model: 'gpt-4o',
            input_tokens: FAKE_USAGE.input,
            output_tokens: FAKE_USAGE.output,
          },
          input: asked,
          output: { text: said },
          metadata: { streaming: BOTH[index] },
        });
      }
    });

    itOfGateway('is recorded: completions and embeddings', async () => {
      await openai().completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: 'Once' });
      await openai().embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] });
      expect(await recordings(2)).toMatchObject([
        { status: 'completed', kind: { model: 'gpt-3.5-turbo-instruct' }, input: 'Once' },
        { status: 'completed', kind: { model: 'text-embedding-3-small' }, input: ['a', 'b'] },
      ]);
    });

    itOfGateway('gets and records errors', async () => {
      const statuses = [400, 401, 429, 500];
      for (const status of statuses) {
        const failing = openai().chat.completions.create({ model: `fake:error-${status}`, messages: asked });
        await expect(failing).rejects.toMatchObject({ status });
        await expectSameBytes();
      }
      const spans = await recordings(statuses.length);
      for (const [index, span] of spans.entries()) {
        expect(span.status).toEqual({ failed: { error: span.error } });
        expect(span.error).toMatch(new RegExp(`^HTTP ${statuses[index]}: .+`));
        expect(span.metadata['status_code']).toBe(statuses[index]);
      }
      for (const trace of await api.traces()) expect(trace).toMatchObject({ status: 'failed', error_count: 1 });
    });

    itOfGateway('gets and records a stream that is cut', async () => {
      const stream = await plainOpenai().chat.completions.create({
        model: 'fake:cut:5+slow-stream:5',
        messages: asked,
        stream: true,
      });
      await expect(
        (async () => {
          for await (const chunk of stream) void chunk;
        })(),
      ).rejects.toThrow();
      const span = await recorded();
      expect(span.error).toEqual(expect.any(String));
      expect((span.output as { text: string }).text.length).toBeGreaterThan(0);
    });

    itOfGateway('that goes away mid-stream is recorded as failed, and upstream hears of it', async () => {
      const stream = await plainOpenai().chat.completions.create({
        model: 'fake:slow-stream:50',
        messages: asked,
        stream: true,
      });
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
      stream.controller.abort();
      const span = await recorded();
      expect(span.error).toBe('client disconnected');
      await until(() => provider.requests[0]?.aborted === true, 1_000);
    });

    itOfGateway('reads compressed answers, which are recorded', async () => {
      const encodings = ['gzip', 'br', 'deflate'];
      for (const encoding of encodings) {
        await openai().chat.completions.create({ model: `fake:${encoding}`, messages: asked });
      }
      expect(await recordings(encodings.length)).toMatchObject(
        encodings.map(() => ({ status: 'completed', output: { text: said } })),
      );
    });

    itOfGateway('lists models, which is not recorded', async () => {
      expect((await openai().models.list()).data.length).toBeGreaterThan(0);
      await openai().chat.completions.create({ model: 'gpt-4o', messages: asked });
      await recorded();
    });

    it('sees a running span while it waits', async () => {
      const call = openai().chat.completions.create({ model: 'fake:held', messages: asked });
      await until(async () => (await api.spans('status=running')).length === 1);
      const [running] = await api.spans();
      expect(running).toMatchObject({ status: 'running', input: asked, ended_at: null });
      provider.release();
      await call;
      expect((await recorded()).id).toBe(running!.id);
    });

    it('is grouped by the correlation headers', async () => {
      const headers = {
        'X-Spandrel-Trace-Id': 'my-trace',
        'X-Spandrel-Parent-Id': 'my-step',
        'X-Spandrel-Session-Id': 'session 1',
        'X-Spandrel-User-Id': 'ada',
        'X-Spandrel-Tags': 'prod, tides',
        'X-Spandrel-Name': 'tide question',
      };
      await openai().chat.completions.create({ model: 'gpt-4o', messages: asked }, { headers });
      expect(await recorded()).toMatchObject({ trace_id: 'my-trace', parent_id: 'my-step' });
      const [trace] = await api.traces('session_id=session%201');
      expect(trace).toMatchObject({ id: 'my-trace', name: 'tide question', user_id: 'ada', tags: ['prod', 'tides'] });
      const sent = provider.requests[0]!.rawHeaders.join('\n').toLowerCase();
      expect(sent).not.toContain('x-spandrel');
    });

    it('joins a trace the application made, and does not rename it', async () => {
      const { body: trace } = await api.post<{ id: string }>('/api/traces', { name: 'my workflow' });
      await openai().chat.completions.create(
        { model: 'gpt-4o', messages: asked },
        { headers: { 'X-Spandrel-Trace-Id': trace.id } },
      );
      await recorded();
      expect(await api.traces()).toMatchObject([{ id: trace.id, name: 'my workflow', span_count: 1 }]);
    });

    it('is recorded without content when capture is off', async () => {
      await openai().chat.completions.create(
        { model: 'gpt-4o', messages: asked },
        { headers: { 'X-Spandrel-Capture': 'Off' } },
      );
      const span = await recorded();
      expect(span).toMatchObject({
        input: null,
        output: null,
        kind: { model: 'gpt-4o', input_tokens: FAKE_USAGE.input },
      });
      expect(span.kind['cost']).toBeGreaterThan(0);
      expect(JSON.stringify(span)).not.toContain('長崎');
    });
  });

  describe('the anthropic client', () => {
    const request = {
      model: 'claude-sonnet-4-6',
      max_tokens: 256,
      system: asked[0]!.content,
      messages: [asked[1]! as { role: 'user'; content: string }],
    };

    it('is recorded: message', async () => {
      const answer = await anthropic().messages.create(request);
      expect(answer.content).toMatchObject([{ type: 'text', text: said }]);
      const span = await recorded();
      await expectSameBytes();
      expect(span).toMatchObject({
        name: 'claude-sonnet-4-6',
        status: 'completed',
        kind: {
          provider: 'anthropic',
          model: 'claude-sonnet-4-6',
          input_tokens: FAKE_USAGE.input,
          output_tokens: FAKE_USAGE.output,
        },
        input: asked,
        output: { text: said, finish_reason: 'end_turn' },
        metadata: { request: { max_tokens: 256 } },
      });
      // claude-sonnet-4-6: 3 and 15 dollars per million tokens
      expect(span.kind['cost']).toBeCloseTo((FAKE_USAGE.input * 3 + FAKE_USAGE.output * 15) / 1e6, 12);
    });

    itOfGateway('is recorded: streamed message', async () => {
      const stream = anthropic().messages.stream(request);
      expect(await stream.finalText()).toBe(said);
      const span = await recorded();
      await expectSameBytes();
      expect(span).toMatchObject({
        status: 'completed',
        kind: { input_tokens: FAKE_USAGE.input, output_tokens: FAKE_USAGE.output },
        output: { text: said, finish_reason: 'end_turn' },
        metadata: { streaming: true },
      });
    });

    itOfGateway('is recorded: tools, streamed and not', async () => {
      for (const stream of BOTH) {
        const answer = await anthropic().messages.create({
          ...request,
          model: 'fake:tools',
          tools: [{ name: 'get_tide', input_schema: { type: 'object' } }],
          stream,
        });
        if (Symbol.asyncIterator in answer) for await (const event of answer) void event;
      }
      const output = { finish_reason: 'tool_use', tool_calls: [{ name: 'get_tide' }] };
      expect(await recordings(2)).toMatchObject(BOTH.map((streaming) => ({ output, metadata: { streaming } })));
    });

    itOfGateway('is recorded: cache reads and writes count as input', async () => {
      await anthropic().messages.create({ ...request, model: 'fake:cached' });
      const { kind } = await recorded();
      expect(kind['cached_input_tokens']).toBe(FAKE_USAGE.cached);
      expect(kind['input_tokens']).toBe(FAKE_USAGE.input);
    });

    itOfGateway('gets and records errors', async () => {
      const statuses = [400, 429, 529];
      for (const status of statuses) {
        const failing = anthropic().messages.create({ ...request, model: `fake:error-${status}` });
        await expect(failing).rejects.toMatchObject({ status });
      }
      const errors = (await recordings(statuses.length)).map(({ error }) => error);
      for (const [index, error] of errors.entries()) expect(error).toMatch(new RegExp(`^HTTP ${statuses[index]}: .+`));
    });
  });

  describe('the ollama client', () => {
    it('is recorded: chat', async () => {
      const answer = await ollama().chat({ model: 'llama3.2', messages: asked });
      expect(answer.message.content).toBe(said);
      const span = await recorded();
      await expectSameBytes();
      expect(span).toMatchObject({
        status: 'completed',
        kind: {
          provider: 'ollama',
          model: 'llama3.2',
          input_tokens: FAKE_USAGE.input,
          output_tokens: FAKE_USAGE.output,
        },
        input: asked,
        output: { text: said, finish_reason: 'stop' },
      });
    });

    itOfGateway('is recorded: streamed chat', async () => {
      let text = '';
      for await (const part of await ollama().chat({ model: 'llama3.2', messages: asked, stream: true }))
        text += part.message.content;
      expect(text).toBe(said);
      const span = await recorded();
      await expectSameBytes();
      expect(span).toMatchObject({
        status: 'completed',
        output: { text: said, finish_reason: 'stop' },
        metadata: { streaming: true },
      });
    });

    itOfGateway('is recorded: tools, streamed and not', async () => {
      for (const stream of BOTH) {
        const answer = await ollama().chat({
          model: 'fake:tools',
          messages: asked,
          tools: [tool],
          stream: stream as true,
        });
        if (Symbol.asyncIterator in answer) for await (const part of answer) void part;
      }
      const output = { tool_calls: [{ name: 'get_tide' }] };
      expect(await recordings(2)).toMatchObject(BOTH.map((streaming) => ({ output, metadata: { streaming } })));
    });

    itOfGateway('is recorded: generate and embed', async () => {
      await ollama().generate({ model: 'llama3.2', prompt: asked[1]!.content, system: asked[0]!.content });
      await ollama().embed({ model: 'nomic-embed-text', input: 'tide' });
      expect(await recordings(2)).toMatchObject([
        { status: 'completed', input: asked, output: { text: said } },
        { status: 'completed', kind: { model: 'nomic-embed-text' }, input: 'tide' },
      ]);
    });

    itOfGateway('gets and records an error', async () => {
      await expect(ollama().chat({ model: 'fake:error-400', messages: asked })).rejects.toMatchObject({
        status_code: 400,
      });
      expect((await recorded()).error).toMatch(/^HTTP 400: .+/);
    });
  });

  describe('any client', () => {
    const chat = (headers: Record<string, string>, path = '/v1/chat/completions') =>
      fetch(program.gatewayUrl + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...place.gatewayHeaders, ...headers },
        body: JSON.stringify({ model: 'mixtral', messages: asked }),
      });

    it('names another target with X-Forward-URL, in cloud mode one that the operator lists', async () => {
      const answer = await chat({ 'X-Forward-URL': `${provider.url}/inference` });
      if (place.mode === 'cloud') {
        expect(answer.status).toBe(403);
        expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('X-Forward-URL') } });
        expect(provider.requests).toEqual([]);
        return;
      }
      expect(answer.status).toBe(200);
      expect(provider.requests[0]?.url).toBe('/inference/v1/chat/completions');
      expect((await recorded()).kind).toMatchObject({ provider: 'custom', model: 'mixtral' });
    });

    itOfGateway('answers which header is missing', async () => {
      const answer = await chat({}, '/some/path');
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('X-Forward-URL');
    });

    describe('at the wrong port is answered with the right address', () => {
      const chatWith = (baseURL: string) =>
        new OpenAI({ ...clientOptions(), baseURL }).chat.completions.create({ model: 'gpt-4o', messages: asked });
      const messageWith = (baseURL: string) =>
        new Anthropic({ ...clientOptions(), apiKey: ANTHROPIC_KEY, baseURL }).messages.create({
          model: 'claude-sonnet-4-6',
          max_tokens: 5,
          messages: [{ role: 'user', content: 'x' }],
        });
      const ollamaWith = (host: string) =>
        new Ollama({ host, headers: place.gatewayHeaders }).chat({ model: 'llama3.2', messages: asked });
      /** The address in an error that a client shows: with its port in local mode, without a host in cloud mode. */
      const reportedFor = (path: string): unknown =>
        expect.objectContaining({
          message: expect.stringContaining(
            place.mode === 'local' ? `the right address is ${program.gatewayUrl}${path} ` : `${path} of the gateway`,
          ),
        });

      it('by every client that was given the address of the API', async () => {
        const call = chatWith(`${program.apiUrl}/v1`);
        await expect(call).rejects.toMatchObject({ status: 404 });
        await expect(call).rejects.toEqual(reportedFor('/v1/chat/completions'));
        await expect(chatWith(program.apiUrl)).rejects.toEqual(reportedFor('/v1/chat/completions'));
        await expect(messageWith(program.apiUrl)).rejects.toEqual(reportedFor('/v1/messages'));
        await expect(ollamaWith(program.apiUrl)).rejects.toEqual(reportedFor('/api/chat'));
        expect(provider.requests).toEqual([]);
      });

      it('by every client whose base URL has /v1 too little or too much', async () => {
        const { gatewayUrl } = program;
        await expect(chatWith(gatewayUrl)).rejects.toEqual(reportedFor('/v1/chat/completions'));
        await expect(chatWith(`${gatewayUrl}/v1/v1`)).rejects.toEqual(reportedFor('/v1/chat/completions'));
        await expect(messageWith(`${gatewayUrl}/v1`)).rejects.toEqual(reportedFor('/v1/messages'));
        await expect(ollamaWith(`${gatewayUrl}/v1`)).rejects.toEqual(reportedFor('/api/chat'));
        expect(provider.requests).toEqual([]);
      });

      it('by a browser or curl', async () => {
        const detailOf = async (url: string): Promise<unknown> => {
          const answer = await fetch(url);
          expect(answer.headers.get('content-type')).toBe('application/problem+json');
          const { status, code, detail } = (await answer.json()) as Record<string, unknown>;
          expect([status, code]).toEqual([404, 'not_found']);
          return detail;
        };
        const { gatewayUrl, apiUrl } = program;
        const local = place.mode === 'local';
        expect(await detailOf(`${gatewayUrl}/api/traces`)).toContain(local ? `${apiUrl}/api/traces` : 'ask the API');
        expect(await detailOf(`${gatewayUrl}/docs`)).toContain(local ? `${apiUrl}/docs` : 'ask the API');
        expect(await detailOf(`${gatewayUrl}/`)).toContain(local ? `${gatewayUrl}/v1` : 'followed by /v1');
        // A browser is shown the dashboard.
        const page = await fetch(`${apiUrl}/`);
        expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      });
    });

    it('gets the provider’s error shape when upstream is unreachable', async () => {
      // The operator names the target here: in cloud mode no caller may name an address of this machine.
      const { port } = provider;
      await provider.close();
      const answer = await chat({});
      expect(answer.status).toBe(502);
      expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
      expect((await recorded()).error).toEqual(expect.any(String));
      provider = await startFakeProvider({ port });
    });

    it('leaves no credential anywhere, not even one an upstream error repeats', async () => {
      await expect(openai().chat.completions.create({ model: 'fake:error-key', messages: asked })).rejects.toThrow();
      await anthropic().messages.create({
        model: 'claude-sonnet-4-6',
        max_tokens: 5,
        messages: [{ role: 'user', content: 'x' }],
      });
      const everything = JSON.stringify([await recordings(2), await api.traces()]) + program.output();
      expect(everything).not.toContain(OPENAI_KEY);
      expect(everything).not.toContain(ANTHROPIC_KEY);
      if (place.key !== undefined) expect(everything).not.toContain(place.key);
      expect(provider.requests[0]?.rawHeaders).toContain(`Bearer ${OPENAI_KEY}`);
    });
  });
});
