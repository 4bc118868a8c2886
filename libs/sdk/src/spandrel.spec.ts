import { describe, expect, it } from '@jest/globals';
import { FakeIngest } from '../../../test/sdk/support/fake-ingest.js';
import type { SpandrelOptions } from './settings.js';
import { Spandrel } from './spandrel.js';
import type { Span } from './tracing/span.js';

interface SentSpan {
  id: string;
  trace_id: string;
  parent_id?: string;
  name: string;
  status?: string;
  error?: string;
  input?: unknown;
  output?: unknown;
  kind?: unknown;
  metadata?: Record<string, unknown>;
  started_at: string;
  ended_at?: string;
}

function lab(options: SpandrelOptions = {}) {
  const server = new FakeIngest();
  const warnings: string[] = [];
  const spandrel = new Spandrel({ fetch: server.fetch, onWarning: (text) => warnings.push(text), ...options });
  /** Spans as they arrived, by their names. */
  const spans = async (): Promise<Record<string, SentSpan>> => {
    await spandrel.flush();
    const all = [...server.spans.values()] as unknown as SentSpan[];
    return Object.fromEntries(all.map((span) => [span.name, span]));
  };
  const traces = async (): Promise<Record<string, unknown>[]> => {
    await spandrel.flush();
    return [...server.traces.values()];
  };
  return { spandrel, server, warnings, spans, traces };
}

describe('a trace', () => {
  it('arrives with all its members, and its spans below it', async () => {
    const { spandrel, spans, traces } = lab();
    const answer = await spandrel.trace(
      'chat',
      { sessionId: 's-1', userId: 'ada', tags: ['web', 'a,b'], metadata: { plan: 'pro' } },
      async (trace) => {
        expect(trace.id).toMatch(/^[0-9a-f]{32}$/);
        expect(spandrel.currentTrace).toBe(trace);
        await spandrel.span('outer', async () => {
          await Promise.resolve();
          spandrel.span('inner', (span) => expect(spandrel.currentSpan).toBe(span));
        });
        trace.set({ name: 'support chat', metadata: { step: 2 }, userId: null });
        return 42;
      },
    );
    expect(answer).toBe(42);
    expect(spandrel.currentTrace).toBeUndefined();
    const { outer, inner } = await spans();
    const [trace, ...others] = await traces();
    expect(others).toEqual([]);
    expect(trace).toEqual({
      id: outer!.trace_id,
      name: 'support chat',
      session_id: 's-1',
      user_id: null,
      tags: ['web', 'a,b'],
      metadata: { plan: 'pro', step: 2 },
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(outer!.parent_id).toBeUndefined();
    expect(inner).toMatchObject({ trace_id: outer!.trace_id, parent_id: outer!.id, status: 'completed' });
  });

  it('arrives without a span too', async () => {
    const { spandrel, traces } = lab();
    spandrel.trace('alone', () => undefined);
    expect(await traces()).toEqual([expect.objectContaining({ name: 'alone' })]);
  });

  it('is opened by a span that has none, and has its name', async () => {
    const { spandrel, spans, traces } = lab();
    spandrel.span('job', () => spandrel.span('part', () => undefined));
    const { job, part } = await spans();
    expect(part!.parent_id).toBe(job!.id);
    expect(await traces()).toEqual([expect.objectContaining({ id: job!.trace_id, name: 'job' })]);
  });
});

describe('a span', () => {
  it('arrives with all its members', async () => {
    const { spandrel, spans } = lab();
    const kind = { type: 'llm_call', model: 'gpt-4o', input_tokens: 3, cost: 0.5, own: [1] };
    const span = spandrel.startSpan('call', { kind, input: { q: 1 }, metadata: { a: 1 }, startedAt: 1_000 });
    span.set({ output: 'late', metadata: { b: 2 } });
    span.end({ metadata: { c: 3 }, endedAt: new Date(3_500) });
    expect((await spans())['call']).toEqual({
      id: span.id,
      trace_id: span.trace.id,
      name: 'call',
      kind,
      input: { q: 1 },
      output: 'late',
      metadata: { a: 1, b: 2, c: 3 },
      started_at: '1970-01-01T00:00:01.000Z',
      ended_at: '1970-01-01T00:00:03.500Z',
      status: 'completed',
    });
  });

  it('has its input as it was when it was given, and all else as it was in the end', async () => {
    const { spandrel, spans } = lab();
    const messages = ['hello'];
    const found = ['a'];
    await spandrel.span('search', { input: messages }, async (span) => {
      span.set({ output: found });
      messages.push('answer');
      found.push('b');
    });
    found.push('c');
    expect((await spans())['search']).toMatchObject({ input: ['hello'], output: ['a', 'b'] });
  });

  it('is sent as running while it runs, and changes nothing after its end', async () => {
    const { spandrel, spans, warnings } = lab();
    const span = spandrel.startSpan('job', { input: 1 });
    expect((await spans())['job']).toMatchObject({ status: 'running', input: 1 });
    span.fail(new TypeError('no such city'), { output: 'half' });
    span.end({ output: 'whole' });
    span.set({ output: 'more' });
    expect(span.isRunning).toBe(false);
    expect((await spans())['job']).toMatchObject({
      status: 'failed',
      error: 'TypeError: no such city',
      output: 'half',
    });
    expect(warnings).toEqual([expect.stringContaining('"job" has ended')]);
  });

  it('is the parent of spans within run', async () => {
    const { spandrel, spans } = lab();
    const job = spandrel.startSpan('job');
    expect(job.run(() => spandrel.startSpan('part').end())).toBeUndefined();
    spandrel.startSpan('other').end();
    job.end();
    const { part, other } = await spans();
    expect(part).toMatchObject({ parent_id: job.id, trace_id: job.trace.id });
    expect(other!.trace_id).not.toBe(job.trace.id);
  });

  it('never ends before it began', async () => {
    const { spandrel, spans } = lab();
    spandrel.startSpan('job', { startedAt: 5_000 }).end({ endedAt: 4_000 });
    expect((await spans())['job']!.ended_at).toBe('1970-01-01T00:00:05.000Z');
  });

  it('fails with what its function throws, and lets it through', async () => {
    const { spandrel, spans } = lab();
    const error = new Error('boom', { cause: new Error('deep') });
    expect(() =>
      spandrel.span('now', () => {
        throw error;
      }),
    ).toThrow(error);
    await expect(spandrel.span('later', () => Promise.reject(error))).rejects.toBe(error);
    const { now, later } = await spans();
    expect([now!.status, now!.error]).toEqual(['failed', 'boom (caused by: deep)']);
    expect(later).toMatchObject({ status: 'failed', error: 'boom (caused by: deep)' });
  });

  it.each<[string, unknown, string]>([
    ['an object without a type', { model: 'm' }, 'its type is not a text'],
    ['a call without a model', { type: 'llm_call' }, 'its model is not a text'],
    ['a count that is none', { type: 'llm_call', model: 'm', output_tokens: 1.5 }, 'its output_tokens is not a count'],
    ['a cost below zero', { type: 'llm_call', model: 'm', cost: -1 }, 'its cost is not an amount'],
    ['a text', 'retrieval', 'it is not an object'],
  ])('keeps a kind that the server refuses as an attribute: %s', async (_name, kind, fault) => {
    const { spandrel, spans, warnings } = lab();
    spandrel.startSpan('odd', { kind: kind as never }).end();
    const { odd } = await spans();
    expect(odd!.kind).toEqual({ type: 'custom', kind: 'custom', attributes: { kind } });
    expect(odd!.metadata).toEqual({ kind_refused: fault });
    expect(warnings).toEqual([expect.stringContaining(fault)]);
  });
});

describe('the trace of a caller', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const spanId = '00f067aa0ba902b7';
  const traceparent = `00-${traceId}-${spanId}-01`;

  it.each([
    ['headers of Node', { traceparent }],
    ['headers of fetch', new Headers({ traceparent })],
    ['names in capitals', { Traceparent: traceparent }],
  ])('is joined by %s, and sent by its id alone', async (_name, headers) => {
    const { spandrel, spans, traces } = lab();
    expect(spandrel.continue(headers, () => spandrel.span('handle', () => 1))).toBe(1);
    expect((await spans())['handle']).toMatchObject({ trace_id: traceId, parent_id: spanId });
    expect(await traces()).toEqual([{ id: traceId }]);
  });

  it('gets what is set on it', async () => {
    const { spandrel, traces } = lab();
    spandrel.continue({ traceparent }, () => spandrel.currentTrace!.set({ userId: 'ada' }));
    expect(await traces()).toEqual([{ id: traceId, user_id: 'ada' }]);
  });

  it.each([undefined, null, {}, { traceparent: 'nonsense' }, { traceparent: `00-${'0'.repeat(32)}-${spanId}-01` }])(
    'is not joined by %j',
    async (headers) => {
      const { spandrel, traces } = lab();
      spandrel.continue(headers, () => spandrel.span('handle', () => 1));
      expect(await traces()).toEqual([expect.objectContaining({ name: 'handle' })]);
    },
  );

  it('is passed on as it came, from a trace without a span too', async () => {
    const { spandrel, spans } = lab();
    spandrel.trace('caller', (trace) =>
      spandrel.continue({ traceparent: trace.traceparent }, () => spandrel.span('called', () => undefined)),
    );
    const caller = spandrel.startSpan('above');
    spandrel.continue({ traceparent: caller.traceparent }, () => spandrel.startSpan('below').end());
    caller.end();
    const { called, below, above } = await spans();
    expect(called!.parent_id).toBeUndefined();
    expect(below!.parent_id).toBe(above!.id);
  });
});

describe('a mask', () => {
  it('stands before all that is recorded', async () => {
    const seen: unknown[] = [];
    const { spandrel, spans, traces } = lab({
      mask: (value, where) => {
        seen.push(where);
        return `${where.field} of ${JSON.stringify(value)}`;
      },
    });
    await spandrel
      .trace('t', { metadata: { a: 1 } }, () =>
        spandrel.span('s', { input: 'in', metadata: { b: 2 } }, async (span) => {
          span.set({ output: 'out' });
          throw new Error('bad');
        }),
      )
      .catch(() => undefined);
    expect((await spans())['s']).toMatchObject({
      input: 'input of "in"',
      output: 'output of "out"',
      error: 'error of "bad"',
      metadata: { value: 'metadata of {"b":2}' },
    });
    expect((await traces())[0]).toMatchObject({ metadata: { value: 'metadata of {"a":1}' } });
    expect(seen).toContainEqual({ field: 'input', of: 'span', name: 's' });
    expect(seen).toContainEqual({ field: 'metadata', of: 'trace', name: 't' });
  });

  it('that throws drops the value and says so in the span', async () => {
    const { spandrel, server, spans, warnings } = lab({
      mask: (value) => {
        throw new Error(`cannot mask ${String(value)}`);
      },
    });
    const answer = spandrel.observe((secret: string) => `${secret}!`, {
      name: 'report',
      metadata: { secret: 'sesame' },
    });
    expect(answer('sesame')).toBe('sesame!');
    spandrel.startSpan('broken').fail(new Error('sesame'));
    const { report, broken } = await spans();
    expect(report!.metadata).toEqual({ mask_failed: ['input', 'output', 'metadata'] });
    expect(broken).toMatchObject({ error: 'not recorded', metadata: { mask_failed: ['error'] } });
    expect(JSON.stringify(server.requests) + warnings.join()).not.toContain('sesame');
    expect(warnings).toEqual([expect.stringContaining('the mask threw')]);
  });
});

describe('payloads over the limit', () => {
  it('are cut and marked', async () => {
    const { spandrel, spans } = lab({ payloadBytes: 2_000 });
    spandrel.span('long', { input: 'ä'.repeat(5_000), metadata: { a: 1 } }, (span) => span.set({ output: 'short' }));
    const { long } = await spans();
    const input = long!.input as string;
    expect(input).toBe('ä'.repeat(input.length));
    expect(Buffer.byteLength(JSON.stringify(input))).toBeLessThanOrEqual(2_000);
    expect(input.length).toBeGreaterThan(900);
    expect(long).toMatchObject({ output: 'short', metadata: { a: 1, truncated: true } });
  });
});

describe('without recording', () => {
  it('every call only runs the function', async () => {
    const { spandrel, server } = lab({ enabled: false });
    const plain = async (): Promise<number> => 1;
    const client = { anything: true };
    expect(spandrel.enabled).toBe(false);
    expect(spandrel.observe(plain)).toBe(plain);
    expect(spandrel.viaGateway(client)).toBe(client);
    spandrel.trace('t', { tags: ['x'] }, (trace) => {
      trace.set({ name: 'u' });
      expect(spandrel.currentTrace).toBeUndefined();
      spandrel.span('s', (span: Span) => {
        span.set({ output: 1 });
        expect(span.run(() => 7)).toBe(7);
      });
    });
    spandrel.startSpan('job').end();
    expect(spandrel.continue({ traceparent: 'x' }, () => 3)).toBe(3);
    expect(await spandrel.flush()).toEqual({ delivered: 0, pending: 0, dropped: 0, rejected: 0, lastError: null });
    spandrel.onSignals();
    await spandrel.shutdown();
    expect(server.requests).toEqual([]);
  });
});

describe('what cannot be recorded', () => {
  it('is reported, and the function runs', () => {
    const { spandrel, warnings } = lab();
    const options = new Proxy({}, { get: () => { throw new Error('no'); } }); // prettier-ignore
    expect(spandrel.span('s', options, () => 1)).toBe(1);
    expect(spandrel.trace('t', options, () => 2)).toBe(2);
    expect(spandrel.startSpan('u').end(options)).toBeUndefined();
    expect(spandrel.continue(options as never, () => 3)).toBe(3);
    expect(warnings.join()).toContain('could not be recorded');
  });
});

describe('a score', () => {
  it('is of the span that is open, also of one that goes on, and is there once', async () => {
    const { spandrel, server, warnings } = lab();
    const open = await spandrel.span('answer', async (span) => {
      spandrel.score({ name: 'helpful', value: 1, comment: 'thanks', metadata: { page: 3 } });
      server.behaviours = ['take, then cut'];
      await spandrel.flush({ timeoutMs: 1 });
      return { span_id: span.id, trace_id: span.trace.id };
    });
    spandrel.trace('chat', () => spandrel.score({ name: 'tone', label: 'kind', source: 'judge' }));
    await spandrel.flush();
    const [first, second, ...others] = [...server.scores.values()];
    expect(first).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'helpful', value: 1, comment: 'thanks' },
      ...{ metadata: { page: 3 }, ...open },
    });
    expect(second).toMatchObject({ name: 'tone', label: 'kind', source: 'judge', span_id: null });
    expect([server.traces.has(open.trace_id), others, warnings]).toEqual([true, [], []]);
  });

  it('is of what is named, of which no trace is made', async () => {
    const { spandrel, server } = lab();
    spandrel.score({ name: 'helpful', value: 0, sessionId: 'chat-7' });
    spandrel.score({ name: 'helpful', value: 1, spanId: 'span-1' });
    spandrel.score({ name: 'helpful', value: 1, traceId: 'unknown' });
    const { delivered, rejected, pending } = await spandrel.flush();
    expect([delivered, rejected, pending, server.traces.size]).toEqual([2, 1, 0, 0]);
    expect([...server.scores.values()]).toMatchObject([{ session_id: 'chat-7', value: 0 }, { span_id: 'span-1' }]);
  });

  it.each([
    ['without an open span', { name: 'x', value: 1 }, 'no span is open'],
    ['without a name', { name: '', value: 1, traceId: 't' }, 'it has no name'],
    ['without anything to say', { name: 'x', traceId: 't' }, 'neither value nor label nor comment'],
    ['that is no number', { name: 'x', value: Number.NaN, traceId: 't' }, 'no finite number'],
  ])('%s is reported, and harms nothing', async (_what, options, warning) => {
    const { spandrel, server, warnings } = lab();
    spandrel.score(options);
    await spandrel.flush();
    expect([server.requests.length, warnings.length]).toEqual([0, 1]);
    expect(warnings[0]).toContain(warning);
  });

  it('made at once are all there, before their code is loaded and after', async () => {
    const { spandrel, server } = lab();
    for (let n = 0; n < 20; n++) spandrel.score({ name: 'x', value: n, sessionId: 's' });
    await spandrel.flush();
    spandrel.score({ name: 'x', value: 20, sessionId: 's' });
    const { delivered } = await spandrel.shutdown();
    spandrel.score({ name: 'x', value: 21, sessionId: 's' });
    expect([delivered, server.scores.size]).toEqual([21, 21]);
  });

  it('waits within the bound of the queue with spans and traces', async () => {
    const { spandrel, server } = lab({ queueBytes: 70_000, payloadBytes: 1_024 });
    server.otherwise = { status: 503 };
    for (let n = 0; n < 1_000; n++) spandrel.score({ name: 'x', comment: 'c'.repeat(1_000), sessionId: 's' });
    server.otherwise = 'take';
    const { delivered, dropped } = await spandrel.flush();
    expect([delivered + dropped, delivered > 50, delivered < 70]).toEqual([1_000, true, true]);
    expect(server.scores.size).toBe(delivered);
  });
});
