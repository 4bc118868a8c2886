/** Real instrumentations from npm, configured where to send and nothing else, and what is there afterwards. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource, TraceListItem } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { until } from '../support/spandrel.ts';
import { EXPECTED_OUTLINES, LANGSMITH_IN_BATCHES } from './expected-outlines.ts';
import { inOrder, outlineOf } from './outline.ts';
import { runSender, SENDERS, type Sender } from './run-sender.ts';

const SYSTEM = { role: 'system', content: 'Answer in one sentence.' };
const asked = (scenario: string): string => `fake:${scenario} When is high tide?`;

/** What each trace has of its own, and all its tokens. */
const TRACES: Readonly<Record<string, Partial<TraceListItem>>> = {
  openinference: { session_id: 'session-openinference', user_id: 'ada', tags: ['harbour', 'tides'], total_tokens: 90 },
  opentelemetry: { session_id: null, user_id: null, tags: [], total_tokens: 119 },
  traceloop: { session_id: null, user_id: null, tags: [], total_tokens: 90 },
  'ai-sdk-6': { session_id: 'session-ai-sdk-6', user_id: 'ada', tags: ['harbour', 'tides'], total_tokens: 130 },
  'ai-sdk-7': { session_id: 'session-ai-sdk-7', user_id: 'ada', tags: [], total_tokens: 130 },
  langfuse: { session_id: 'session-langfuse', user_id: 'ada', tags: ['harbour', 'tides'], total_tokens: 90 },
  langsmith: { session_id: 'session-langsmith', user_id: 'ada', tags: ['harbour', 'tides'], total_tokens: 90 },
};
/** The older form of the AI SDK's seventh version has a fixture; its spans are those of the sixth. */
const SHOWN = SENDERS.filter(({ name }) => name in TRACES);
/** One for each way to report a key; how spans are read does not depend on the database that they come to. */
const WITH_KEYS = ['opentelemetry', 'langfuse', 'langsmith'];

interface Seen {
  trace: TraceListItem;
  spans: SpanResource[];
}

describeOnBothDatabases('real instrumentations', ({ takePlace, name: database }) => {
  const senders = database === 'SQLite' || THOROUGH ? SHOWN : SHOWN.filter(({ name }) => WITH_KEYS.includes(name));
  const names = senders.map(({ name }) => name);
  const allBut = (name: string): string[] => names.filter((each) => each !== name);
  const those = (...some: string[]): string[] => some.filter((name) => names.includes(name));
  let place: Place;
  let provider: FakeProvider;
  let program: Program;
  const said: Record<string, string> = {};
  const seen: Record<string, Seen> = {};

  beforeAll(async () => {
    provider = await startFakeProvider();
    place = await takePlace();
    program = await place.start({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
    // Two at a time: they are mostly loading.
    const left = senders.values();
    const work = async (): Promise<void> => {
      for (const sender of left) said[sender.name] = await runSender(sender, environmentOf(sender));
    };
    await Promise.all([work(), work()]);
    // What a sender exports is there when it ends; the gateway delivers a little later.
    const through = senders.filter(({ environment }) => !environment).length;
    await until(
      async () => (await program.api.spans()).filter((span) => span.name === 'gpt-4.1-mini').length === through,
    );
    for (const trace of await program.api.traces()) {
      const { body } = await program.api.get<Seen>(`/api/traces/${trace.id}`);
      // Langfuse gives the trace a name of its own.
      seen[trace.name === 'tides' ? 'langfuse' : trace.name!] = { trace, spans: body.spans };
    }
  });
  afterAll(async () => {
    await place?.close();
    await provider?.close();
  });

  /** Each encoding comes from one half of the senders here and from the other half in the other mode. */
  function environmentOf(sender: Sender): Record<string, string> {
    const { environment } = sender;
    const model = { OPENAI_BASE_URL: `${provider.url}/v1` };
    if (environment) return { ...model, ...environment(program.apiUrl, place.key ?? 'none is asked for') };
    const isJson = SHOWN.indexOf(sender) % 2 === (database === 'SQLite' ? 0 : 1);
    return {
      ...model,
      OTEL_EXPORTER_OTLP_ENDPOINT: program.apiUrl,
      ...(isJson && { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }),
      ...(place.key && { OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${place.key}` }),
      SENDER_GATEWAY: JSON.stringify({ baseURL: `${program.gatewayUrl}/v1`, defaultHeaders: place.gatewayHeaders }),
    };
  }

  /** Calls of models below the application's span of a step, in their order. */
  function callsOf(sender: string, step: string, type = 'llm_call'): SpanResource[] {
    const { spans } = seen[sender]!;
    const byId = new Map(spans.map((span) => [span.id, span]));
    const isBelow = (span: SpanResource | undefined): boolean =>
      span !== undefined && (span.name === step || isBelow(byId.get(span.parent_id ?? '')));
    return inOrder(spans.filter((span) => span.kind.type === type && isBelow(span)));
  }

  it('are configured where to send, have nothing to say of it, and leave one trace each', () => {
    // LangSmith's client asks its endpoint what it can do, and says that nobody answered.
    const { langsmith: _langsmith, ...others } = said;
    expect(others).toEqual(Object.fromEntries(allBut('langsmith').map((name) => [name, ''])));
    expect(Object.keys(seen).toSorted()).toEqual(names.toSorted());
  });

  describe.each(names)('%s', (sender) => {
    it('leaves a tree with each usage once', () => {
      const outline = outlineOf(seen[sender]!.spans);
      const isInBatches = sender === 'langsmith' && outline.includes('  stream: chain langchain');
      const expected = isInBatches ? LANGSMITH_IN_BATCHES : EXPECTED_OUTLINES[sender]!;
      expect(outline).toEqual(expected.trim().split('\n'));
    });

    it('names the trace, its session, its user and tags, and all tokens are counted once', () => {
      expect(seen[sender]!.trace).toMatchObject(TRACES[sender]!);
    });

    it('says what was said and answered', () => {
      const [chat] = callsOf(sender, 'chat');
      expect(chat).toMatchObject({
        input: [SYSTEM, { role: 'user', content: asked('cached+reasoning') }],
        output: { text: `You said: ${asked('cached+reasoning')}` },
        metadata: { request: { temperature: 0.5 } },
      });
    });

    it('reports a tool, its call and its result', () => {
      const [first, second] = callsOf(sender, 'tool');
      const [call] = (first!.output as { tool_calls: { arguments: unknown }[] }).tool_calls;
      expect(call).toMatchObject({ id: 'call_fake0001', name: 'get_tide' });
      const given = typeof call!.arguments === 'string' ? (JSON.parse(call!.arguments) as unknown) : call!.arguments;
      expect(given).toEqual({ harbour: '長崎' });
      const result = (second!.input as unknown[]).at(-1);
      expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call_fake0001' });
      expect(JSON.stringify(result)).toContain('11:20');
    });
  });

  it.each(allBut('langsmith'))('%s reports the answer of a stream', (sender) => {
    const [call] = callsOf(sender, 'stream');
    expect(call!.output).toMatchObject({ text: `You said: ${asked('cached')}` });
  });

  it.each(those('opentelemetry', 'ai-sdk-6', 'ai-sdk-7', 'langfuse', 'langsmith'))(
    '%s reports why a call failed',
    (sender) => {
      const [call] = callsOf(sender, 'error');
      expect(call!.status).toEqual({ failed: { error: expect.stringContaining('fake provider error 429') } });
      expect(call!.input).toEqual([{ role: 'user', content: asked('error-429') }]);
    },
  );

  it.each(those('openinference', 'ai-sdk-6', 'langfuse'))('%s reports what was embedded, without vectors', (sender) => {
    for (const call of callsOf(sender, 'embeddings', 'embedding')) {
      expect([call.input, call.output]).toEqual([['ebb', 'flow'], null]);
    }
  });

  it.each(allBut('traceloop'))('%s reports the prompt of Responses before the question', (sender) => {
    const [call] = callsOf(sender, 'responses');
    expect(call!.input).toEqual([SYSTEM, { role: 'user', content: asked('cached+reasoning') }]);
  });

  it('are priced by the table, cached tokens as such', () => {
    const [call] = callsOf('langfuse', 'chat');
    // 7 tokens at 0.40, 4 cached ones at 0.10 and 7 at 1.60 dollars for a million.
    expect(call!.metadata['cost']).toBe(0.0000144);
  });
});
