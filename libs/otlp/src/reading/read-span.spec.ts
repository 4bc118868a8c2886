import { describe, expect, it } from '@jest/globals';
import type { Dialect, OtelSpan, SpanReading } from '@spandrel/plugin-api';
import { otelSpan, type PlainSpan } from '@spandrel/plugin-api/testing';
import { DialectReader } from './dialect-reader.js';
import { readSpan } from './read-span.js';
import { NAME_RANK } from './trace-reading.js';

const BYTES_MAX = 10_485_760;

const dialect = (read: (span: OtelSpan) => SpanReading | undefined, name = 'mine') => ({
  name,
  extension: { claims: { spans: ['*'] }, read } satisfies Dialect,
});

/** Reads a span that one dialect reads as told. */
const read = (plain: PlainSpan, reading: SpanReading = {}, bytesMax = BYTES_MAX) =>
  readSpan(otelSpan(plain), new DialectReader([dialect(() => reading)], fail), bytesMax);
const otelOf = (plain: PlainSpan, reading?: SpanReading) =>
  read(plain, reading).span.metadata!['otel'] as Record<string, unknown>;
const fail = (name: string, error: unknown): never => {
  throw new Error(`${name} threw`, { cause: error });
};

describe('the name of a span', () => {
  it.each([
    ['chat', 'chat'],
    ['', 'span'],
    ['\0', 'span'],
    ['a\0b\ud800c\u{1f30a}', 'abc\u{1f30a}'],
    ['x'.repeat(2_001), 'x'.repeat(2_000)],
    [`${'x'.repeat(1_999)}\u{1f30a}`, 'x'.repeat(1_999)],
  ])('%j', (name, stored) => {
    expect(read({ name }).span.name).toBe(stored);
  });
});

describe('times of a span', () => {
  it.each([
    ['both', 1_000_999_999n, 2_000_000_000n, 1_000, 2_000],
    ['no start', 0n, 2_000_000_000n, 2_000, 2_000],
    ['an end before the start', 2_000_000_000n, 1_000_000_000n, 2_000, 2_000],
    ['no end', 1_000_000_000n, 0n, 1_000, undefined],
  ])('%s', (_what, startUnixNano, endUnixNano, startedAt, endedAt) => {
    const { span } = read({ startUnixNano, endUnixNano });
    expect([span.started_at, span.ended_at]).toEqual([startedAt, endedAt]);
    expect(span.status).toBe(endedAt === undefined ? 'running' : 'completed');
    expect(span.metadata!['otel']).toMatchObject({
      start_unix_nano: String(startUnixNano),
      end_unix_nano: String(endUnixNano),
    });
  });
});

describe('the status of a span', () => {
  const exception = (attributes: Record<string, unknown>) => [{ name: 'exception', attributes }];
  it.each<[what: string, plain: PlainSpan, error: string | null, reading?: SpanReading]>([
    ['ok', { status: { code: 'ok' } }, null],
    ['unset, with an exception', { events: exception({ 'exception.message': 'caught' }) }, null],
    ['error with a message', { status: { code: 'error', message: 'gone' } }, 'gone'],
    ['error by exception', { status: { code: 'error' }, events: exception({ 'exception.message': 'boom' }) }, 'boom'],
    ['error by type', { status: { code: 'error' }, events: exception({ 'exception.type': 'Boom' }) }, 'Boom'],
    ['error by attribute', { status: { code: 'error' }, attributes: { 'error.type': '500' } }, '500'],
    ['error and nothing else', { status: { code: 'error' } }, 'error'],
    ['failed by a dialect', {}, 'level', { failure: 'level' }],
  ])('%s', (_what, plain, error, reading) => {
    expect(read(plain, reading).span.status).toEqual(error === null ? 'completed' : { failed: { error } });
  });
});

describe('the kind of a span', () => {
  it('has model, provider and counts of a call', () => {
    const { span, usage } = read(
      {},
      {
        kind: { type: 'llm_call' },
        model: 'gpt-4o',
        responseModel: 'gpt-4o-2024',
        provider: 'openai.chat',
        usage: { inputTokens: 21, outputTokens: 9, cachedInputTokens: 8, reasoningTokens: 3, cost: 0.5 },
      },
    );
    const counts = { input_tokens: 21, output_tokens: 9, cached_input_tokens: 8, reasoning_tokens: 3, cost: 0.5 };
    expect(span.kind).toEqual({ type: 'llm_call', model: 'gpt-4o', provider: 'openai', ...counts });
    expect(usage).toEqual(counts);
    expect(span.metadata).toMatchObject({ response_model: 'gpt-4o-2024' });
  });

  it('takes the answering model where no other is told, and says when there is none', () => {
    expect(read({}, { kind: { type: 'llm_call' }, responseModel: 'm-1' }).span.kind!['model']).toBe('m-1');
    expect(read({}, { kind: { type: 'llm_call' } }).span.kind!['model']).toBe('unknown');
  });

  it('names a tool by its span where it has no name', () => {
    const kind = { type: 'tool_call', toolType: 'function', callId: 'c1' } as const;
    expect(read({ name: 'weather' }, { kind }).span.kind).toEqual({
      type: 'tool_call',
      name: 'weather',
      call_id: 'c1',
      tool_type: 'function',
    });
  });

  it('has the counts of whatever tells them', () => {
    const kind = { type: 'custom', kind: 'agent', name: 'planner' } as const;
    expect(read({}, { kind, model: 'm', usage: { inputTokens: 1 } }).span.kind).toEqual({
      type: 'custom',
      kind: 'agent',
      name: 'planner',
      attributes: {},
      model: 'm',
      input_tokens: 1,
    });
  });

  it.each([
    ['http.request.method', 'http'],
    ['http.method', 'http'],
    ['db.system.name', 'db'],
    ['db.system', 'db'],
    ['rpc.system', 'rpc'],
    ['messaging.system', 'messaging'],
    ['code.function', 'span'],
  ])('by %s without a dialect', (name, kind) => {
    expect(read({ attributes: { [name]: 'x' } }).span.kind).toEqual({ type: 'custom', kind, attributes: {} });
  });
});

describe('counts', () => {
  it.each([
    ['cached tokens that are in the input', { inputTokens: 10, cachedInputTokens: 10 }, 10],
    ['more cached tokens than input', { inputTokens: 10, cachedInputTokens: 8, cacheWriteTokens: 3 }, 21],
    ['an input that leaves them out', { inputTokens: 10, cachedInputTokens: 1, inputExcludesCached: true }, 11],
    ['a count below zero', { inputTokens: -1, outputTokens: 2 }, undefined],
    ['a fraction', { inputTokens: 1.5, outputTokens: 2 }, undefined],
  ])('%s', (_what, usage, input) => {
    expect(read({}, { usage }).usage?.input_tokens).toBe(input);
  });
});

describe('providers', () => {
  it.each([
    ['OpenAI', 'openai'],
    ['openai.responses', 'openai'],
    ['az.ai.openai', 'azure.ai.openai'],
    ['azure', 'azure.ai.openai'],
    ['az.ai.inference', 'azure.ai.inference'],
    ['gemini', 'gcp.gemini'],
    ['vertexai', 'gcp.vertex_ai'],
    ['gcp.vertex_ai', 'gcp.vertex_ai'],
    ['xai', 'x_ai'],
    ['mistral.chat', 'mistral_ai'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['aws.bedrock', 'aws.bedrock'],
    ['acme', 'acme'],
  ])('%s is %s', (provider, name) => {
    expect(read({}, { kind: { type: 'embedding' }, provider }).span.kind!['provider']).toBe(name);
  });
});

describe('input and output of a call', () => {
  const call = { kind: { type: 'llm_call' } } as const;
  it('are messages and a completion, whatever a dialect gives', () => {
    const { span } = read({}, { ...call, input: { value: 'Hi' }, output: { value: 'Hello' } });
    expect(span.input).toEqual([{ role: 'user', content: 'Hi' }]);
    expect(span.output).toEqual({ text: 'Hello', finish_reason: null });
  });

  it('stay as given for other kinds, and are absent where nothing is told', () => {
    const { span } = read({}, { input: { value: 'Hi' } });
    expect(span.input).toBe('Hi');
    expect('output' in span).toBe(false);
  });
});

describe('metadata of a span', () => {
  it('has what is known of the call beside the sender’s own members', () => {
    const { metadata } = read(
      {},
      {
        metadata: { value: { team: 'tides' } },
        request: { value: { temperature: 0.5 } },
        responseId: 'r1',
        streaming: true,
        timeToFirstTokenMs: 120.4,
      },
    ).span;
    const { otel: _otel, ...rest } = metadata!;
    expect(rest).toEqual({
      team: 'tides',
      request: { temperature: 0.5 },
      response_id: 'r1',
      streaming: true,
      time_to_first_token_ms: 120,
    });
  });

  it('keeps attributes that are not given back, whatever their names and values', () => {
    const attributes = {
      taken: 'x',
      left: 'y',
      constructor: 1,
      '': true,
      large: 2n ** 60n,
      bytes: new Uint8Array([1, 2]),
      vector: Array.from({ length: 17 }, (_, at) => at),
      text: JSON.stringify(Array.from({ length: 17 }, () => 0.25)),
      few: [1, 2],
      nested: { a: { b: 1 } },
    };
    const otel = otelOf({ attributes }, { input: { value: 'x', from: ['taken'] } });
    const { taken: _taken, ...left } = attributes;
    expect(otel['attributes']).toEqual({
      ...left,
      large: JSON.rawJSON('1152921504606846976'),
      bytes: 'AQI=',
      vector: { dimensions: 17 },
      text: { dimensions: 17 },
    });
  });

  it('keeps what a dialect took for a member that another one gave', () => {
    const readers = [
      dialect(() => ({ input: { value: 'a', from: ['a'] } }), 'first'),
      dialect(() => ({ input: { value: 'b', from: ['b'] }, output: { value: 'c', from: ['c'] } }), 'second'),
    ];
    const { span } = readSpan(
      otelSpan({ attributes: { a: 'a', b: 'b', c: 'c' } }),
      new DialectReader(readers, fail),
      BYTES_MAX,
    );
    expect([span.input, span.output]).toEqual(['a', 'c']);
    expect(span.metadata!['otel']).toMatchObject({ attributes: { b: 'b' } });
    expect(Object.keys((span.metadata!['otel'] as { attributes: object }).attributes)).toEqual(['b']);
  });

  it('leaves members of our own names where they were', () => {
    const metadata = { value: { otel: 1, team: 'tides' }, from: ['meta'] };
    const { span } = read({ attributes: { meta: '{"otel":1,"team":"tides"}' } }, { metadata });
    expect(span.metadata).toMatchObject({ team: 'tides', otel: { attributes: { meta: '{"otel":1,"team":"tides"}' } } });
  });

  it('has events without the bodies that were taken, links, scope, service and what was dropped', () => {
    const otel = otelOf(
      {
        kind: 'client',
        traceState: 'a=b',
        scope: { name: 'lib', version: '1' },
        resource: { 'service.name': 'shop' },
        dropped: { attributes: 1, events: 0, links: 0 },
        events: [
          { name: 'gen_ai.user.message', timeUnixNano: 5n, attributes: { content: 'Hi', 'gen_ai.system': 'x' } },
        ],
        links: [{ traceId: 't', spanId: 's', attributes: { a: 1 } }],
      },
      { input: { value: 'Hi', fromEvents: ['gen_ai.user.message'] } },
    );
    expect(otel).toMatchObject({
      service: 'shop',
      scope: { name: 'lib', version: '1' },
      kind: 'client',
      trace_state: 'a=b',
      events: [{ name: 'gen_ai.user.message', time_unix_nano: '5', attributes: { 'gen_ai.system': 'x' } }],
      links: [{ trace_id: 't', span_id: 's', attributes: { a: 1 } }],
      dropped: { attributes: 1, events: 0, links: 0 },
    });
  });
});

describe('a span that is too large', () => {
  it('has its longest texts cut, and named', () => {
    const { span } = read({ attributes: { long: 'é'.repeat(200_000), short: 'kept' } }, {}, 300_000);
    const otel = span.metadata!['otel'] as { attributes: Record<string, string>; truncated: string[] };
    expect(Buffer.byteLength(otel.attributes['long']!)).toBe(65_536);
    expect(otel.attributes['short']).toBe('kept');
    expect(otel.truncated).toEqual(['metadata.otel.attributes.long']);
  });

  it('is left alone below the limit', () => {
    expect(otelOf({ attributes: { long: 'x'.repeat(100_000) } })).not.toHaveProperty('truncated');
  });
});

describe('merging of readings', () => {
  const merged = (...readings: SpanReading[]) => {
    const dialects = readings.map((reading, at) => dialect(() => reading, `d${at}`));
    return readSpan(otelSpan({}), new DialectReader(dialects, fail), BYTES_MAX);
  };

  it('takes each member from the first dialect that has a value, and usage whole', () => {
    const { span, usage } = merged(
      { model: '', usage: {}, kind: { type: 'llm_call' } },
      { model: 'first', usage: { inputTokens: 1 } },
      { model: 'second', usage: { inputTokens: 2, outputTokens: 3 } },
    );
    expect(span.kind).toMatchObject({ model: 'first', input_tokens: 1, output_tokens: null });
    expect(usage).toEqual({ input_tokens: 1 });
  });

  it('asks no dialect that claims nothing of the span', () => {
    const other = { name: 'other', extension: { claims: { attributes: ['acme.*'] }, read: fail as never } };
    expect(readSpan(otelSpan({}), new DialectReader([other], fail), BYTES_MAX).span.name).toBe('span');
  });

  it('loses the reading alone of a dialect that throws', () => {
    const thrown: string[] = [];
    const broken = dialect(() => {
      throw new Error('odd');
    }, 'broken');
    const reader = new DialectReader([broken, dialect(() => ({ model: 'm' }))], (name) => thrown.push(name));
    expect(readSpan(otelSpan({}), reader, BYTES_MAX).span.kind).toMatchObject({ model: 'm' });
    expect(thrown).toEqual(['broken']);
  });
});

describe('what a span tells of its trace', () => {
  it.each<[what: string, plain: PlainSpan, rank: number, reading?: SpanReading]>([
    ['a span within', {}, NAME_RANK.anySpan],
    ['a root', { parentSpanId: null }, NAME_RANK.rootSpan],
    ['its own parent', { parentSpanId: 'b7ad6b7169203331' }, NAME_RANK.rootSpan],
    ['a dialect', { parentSpanId: null }, NAME_RANK.dialect, { traceName: 'span' }],
  ])('the name of %s', (_what, plain, rank, reading) => {
    expect(read(plain, reading).trace.name).toEqual({ value: 'span', rank });
  });

  it.each<[what: string, attributes: Record<string, string>, session: string | undefined, kept: string | null]>([
    ['the conventions', { 'session.id': 'a', 'gen_ai.conversation.id': 'c' }, 'b', 'a'],
    ['a dialect', { 'gen_ai.conversation.id': 'c' }, 'b', 'b'],
    ['the conversation', { 'gen_ai.conversation.id': 'c' }, undefined, 'c'],
    ['none that is too long', { 'session.id': 'x'.repeat(513) }, undefined, null],
    ['none with NUL', { 'session.id': 'x\0' }, undefined, null],
  ])('the session of %s', (_what, attributes, session, kept) => {
    const { trace } = read({ attributes }, { session });
    expect(trace.session?.value ?? null).toBe(kept);
  });

  it('the user by the same order', () => {
    expect(read({ attributes: { 'user.id': 'a', 'enduser.id': 'c' } }, { user: 'b' }).trace.user?.value).toBe('a');
    expect(read({ attributes: { 'enduser.id': 'c' } }, { user: 'b' }).trace.user?.value).toBe('b');
    expect(read({ attributes: { 'enduser.id': 'c' } }).trace.user?.value).toBe('c');
  });

  it('tags once each, without those that no column holds', () => {
    expect(read({}, { tags: ['a', 'a', '', 'x'.repeat(513), 'b'] }).trace.tags).toEqual(['a', 'b']);
  });

  it('metadata and the resource of its service', () => {
    const { trace } = read({ resource: { 'service.name': 'shop' } }, { traceMetadata: { value: { tenant: 'acme' } } });
    expect(trace.metadata).toEqual({ tenant: 'acme' });
    expect(trace.resource).toEqual({ service: 'shop', attributes: { 'service.name': 'shop' } });
  });
});

describe('the running form of a span', () => {
  it('has the id of the span that it announces and no end', () => {
    const { span, isPending } = read({}, { pendingOf: { spanId: 'abc', parentSpanId: null } });
    expect(isPending).toBe(true);
    expect(span).toMatchObject({ id: 'abc', parent_id: null, status: 'running' });
    expect(span.ended_at).toBeUndefined();
  });

  it('no span is its own parent', () => {
    expect(read({ parentSpanId: 'b7ad6b7169203331' }).span.parent_id).toBeNull();
  });
});
