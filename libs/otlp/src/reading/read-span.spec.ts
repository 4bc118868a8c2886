import { describe, expect, it } from '@jest/globals';
import type { SpanReading } from '@spandrel/plugin-api';
import { type PlainSpan } from '@spandrel/plugin-api/testing';
import { readPlain } from '../../fixtures/read-plain-span.js';

describe('the name of a span', () => {
  it.each([
    ['chat', 'chat'],
    ['', 'span'],
    ['\0', 'span'],
    ['a\0b\ud800c\u{1f30a}', 'abc\u{1f30a}'],
    ['x'.repeat(2_001), 'x'.repeat(2_000)],
    [`${'x'.repeat(1_999)}\u{1f30a}`, 'x'.repeat(1_999)],
  ])('%j', (name, stored) => {
    expect(readPlain({ name }).span.name).toBe(stored);
  });
});

describe('times of a span', () => {
  it.each([
    ['both', 1_000_999_999n, 2_000_000_000n, 1_000, 2_000],
    ['no start', 0n, 2_000_000_000n, 2_000, 2_000],
    ['an end before the start', 2_000_000_000n, 1_000_000_000n, 2_000, 2_000],
    ['no end', 1_000_000_000n, 0n, 1_000, undefined],
  ])('%s', (_what, startUnixNano, endUnixNano, startedAt, endedAt) => {
    const { span } = readPlain({ startUnixNano, endUnixNano });
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
  ])('%s', (_what, plain, error, reading = {}) => {
    expect(readPlain(plain, reading).span.status).toEqual(error === null ? 'completed' : { failed: { error } });
  });
});

describe('input and output of a call', () => {
  const call = { kind: { type: 'llm_call' } } as const;
  it('are messages and a completion, whatever a dialect gives', () => {
    const { span } = readPlain({}, { ...call, input: { value: 'Hi' }, output: { value: 'Hello' } });
    expect(span.input).toEqual([{ role: 'user', content: 'Hi' }]);
    expect(span.output).toEqual({ text: 'Hello', finish_reason: null });
  });

  it('stay as given for other kinds, and are absent where nothing is logged', () => {
    const { span } = readPlain({}, { input: { value: 'Hi' } });
    expect(span.input).toBe('Hi');
    expect('output' in span).toBe(false);
  });
});

describe('the running form of a span', () => {
  it('has the id of the span that it announces and no end', () => {
    const { span, isPending } = readPlain({}, { pendingOf: { spanId: 'abc', parentSpanId: null } });
    expect(isPending).toBe(true);
    expect(span).toMatchObject({ id: 'abc', parent_id: null, status: 'running' });
    expect(span.ended_at).toBeUndefined();
  });

  it('no span is its own parent', () => {
    expect(readPlain({ parentSpanId: 'b7ad6b7169203331' }).span.parent_id).toBeNull();
  });
});
