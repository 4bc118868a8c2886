import { describe, expect, it } from '@jest/globals';
import type { OtelSpan } from '@spandrel/plugin-api';
import { Rejections } from './rejections.js';
import { spanFault, droppedScopes } from './span-record.js';

const span = (members: Partial<OtelSpan> = {}): OtelSpan =>
  ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), startUnixNano: 1n, endUnixNano: 2n, ...members }) as OtelSpan;

describe('a span that cannot be kept', () => {
  it.each([
    [{ traceId: '' }, 'trace id'],
    [{ traceId: '0'.repeat(32) }, 'trace id'],
    [{ traceId: 'g'.repeat(32) }, 'trace id'],
    [{ spanId: 'b'.repeat(15) }, 'span id'],
    [{ spanId: '0'.repeat(16) }, 'span id'],
    [{ startUnixNano: 0n, endUnixNano: 0n }, 'neither'],
    [{ endUnixNano: 2n ** 64n }, '64 bits'],
    [{ startUnixNano: -1n }, '64 bits'],
  ])('%j is refused for its %s', (members, reason) => {
    expect(spanFault(span(members))).toContain(reason);
  });

  it.each([[{}], [{ startUnixNano: 0n }], [{ endUnixNano: 0n }]])('%j is kept', (members) => {
    expect(spanFault(span(members))).toBeUndefined();
  });

  it('is counted with its reason, and the first of a reason is named', () => {
    const rejections = new Rejections();
    for (const [reason, id] of [
      ['r', '1'],
      ['s', '2'],
      ['r', '3'],
    ] as const)
      rejections.add(reason, id);
    expect(rejections.list).toEqual([
      { reason: 'r', count: 2, firstSpanId: '1' },
      { reason: 's', count: 1, firstSpanId: '2' },
    ]);
  });
});

describe('otlp.drop_scopes', () => {
  it('names scopes, or how their names begin', () => {
    const isDropped = droppedScopes(['http', '@opentelemetry/instrumentation-*']);
    expect(['http', '@opentelemetry/instrumentation-fs'].map(isDropped)).toEqual([true, true]);
    expect(['https', '', '@opentelemetry/api'].map(isDropped)).toEqual([false, false, false]);
  });

  it('names none by default, and all by a star', () => {
    expect(droppedScopes([])('a')).toBe(false);
    expect(droppedScopes(['*'])('a')).toBe(true);
  });
});
