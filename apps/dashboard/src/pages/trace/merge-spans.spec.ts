import { describe, expect, it } from '@jest/globals';
import type { SpanOutline } from '@spandrel/contract';
import { mergeSpans } from './merge-spans.js';
import { spanOf } from './spans-for-tests.js';

const outlineOf = (id: string, to: number | null, size = 5) =>
  ({
    ...spanOf(id, null, 0, to),
    trace_id: 't',
    input_bytes: size,
    output_bytes: size,
    input_preview: null,
    output_preview: null,
  }) as SpanOutline;

const spans = [outlineOf('a', null), outlineOf('b', 3)];

describe('mergeSpans', () => {
  it('changes a span in its place and adds what is new', () => {
    const { input_bytes: _in, output_bytes: _out, ...ended } = outlineOf('a', 9);
    const merged = mergeSpans(spans, [{ span: ended }, { span: { ...spanOf('c', 'a', 1, null), trace_id: 't' } }]);
    expect(merged.map(({ id, status, input_bytes }) => [id, status, input_bytes])).toEqual([
      ['a', 'completed', 5],
      ['b', 'completed', 5],
      ['c', 'running', 0],
    ]);
  });

  it('keeps a finished span finished, and leaves texts of an event out', () => {
    expect(mergeSpans(spans, [{ span: outlineOf('b', null) }])).toBe(spans);
    const [only] = mergeSpans([], [{ span: { ...outlineOf('x', 1), input: 'secret' } as SpanOutline }]);
    expect(only).not.toHaveProperty('input');
  });

  it('takes away what was deleted, and gives the same array back where nothing changed', () => {
    expect(mergeSpans(spans, [{ deleted: 'a' }]).map(({ id }) => id)).toEqual(['b']);
    expect(mergeSpans(spans, [{ deleted: 'z' }])).toBe(spans);
    expect(mergeSpans(spans, [])).toBe(spans);
  });
});
