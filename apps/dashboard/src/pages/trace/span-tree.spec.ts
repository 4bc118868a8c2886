import type { SpanOutline } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { childrenOf, buildSpanTree, mergeSpans } from './span-tree.js';
import { anySpans, chainOf, spanOf } from './fixtures/spans.js';

const idsOf = (spans: readonly { id: string }[]) => spans.map(({ id }) => id).join(' ');

describe('buildSpanTree', () => {
  it('puts parents before children and children in the order of their start', () => {
    const tree = buildSpanTree([
      spanOf('late', 'root', 5, 6),
      spanOf('root', null, 0, 9),
      spanOf('early', 'root', 1, 2),
      spanOf('leaf', 'late', 5, 6),
      spanOf('other', null, 3, 4),
    ]);
    expect(idsOf(tree.spans)).toBe('root early late leaf other');
    expect([...tree.depth]).toEqual([0, 1, 1, 2, 0]);
    expect([...tree.parent]).toEqual([-1, 0, 0, 2, -1]);
    expect([...tree.end]).toEqual([4, 2, 4, 4, 5]);
    expect([...childrenOf(tree, 0)]).toEqual([1, 2]);
    expect([...childrenOf(tree, -1)]).toEqual([0, 4]);
  });

  it('puts a span at the top whose parent has not arrived', () => {
    const tree = buildSpanTree([spanOf('a', 'missing', 0, 1), spanOf('b', 'a', 0, 1)]);
    expect([...tree.depth]).toEqual([0, 1]);
  });

  it('opens a circle of parents at the first of it to start', () => {
    const tree = buildSpanTree([
      spanOf('tail', 'b', 0, 1),
      spanOf('a', 'c', 1, 2),
      spanOf('b', 'a', 2, 3),
      spanOf('c', 'b', 3, 4),
      spanOf('self', 'self', 4, 5),
    ]);
    expect(idsOf(tree.spans)).toBe('a b tail c self');
    expect([...tree.depth]).toEqual([0, 1, 2, 2, 0]);
  });

  it('knows no place of a span that is not there', () => {
    expect(buildSpanTree([spanOf('a', null, 0, 1)]).placeOf('b')).toBe(-1);
  });

  it('takes a chain of 30,000', () => {
    const tree = buildSpanTree(chainOf(30_000));
    expect(tree.depth[29_999]).toBe(29_999);
    expect(tree.end[0]).toBe(30_000);
  });

  it('shows every span once, behind its parent and within its run of places', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const tree = buildSpanTree(spans);
        expect(new Set(tree.spans.map(({ id }) => id)).size).toBe(spans.length);
        expect([...tree.byStart].sort((a, b) => a - b)).toEqual(spans.map((_, index) => index));
        for (const [place, span] of tree.spans.entries()) {
          expect(tree.placeOf(span.id)).toBe(place);
          const above = tree.parent[place]!;
          if (above === -1) continue;
          expect(tree.spans[above]!.id).toBe(span.parent_id);
          expect(above).toBeLessThan(place);
          expect(tree.end[above]).toBeGreaterThanOrEqual(tree.end[place]!);
          expect([...childrenOf(tree, above)]).toContain(place);
        }
      }),
    );
  });
});

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
