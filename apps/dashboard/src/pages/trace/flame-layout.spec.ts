import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { TraceSpan } from '../../features/trace-span.js';
import { boxesIn, placeAt, layOutFlame, stepInFlame, type FlameWindow } from './flame-layout.js';
import { buildSpanTree, childrenOf } from './span-tree.js';
import { layOutTimes } from './span-times.js';
import { anySpans, chainOf, spanOf } from './fixtures/spans.js';

function layOut(spans: TraceSpan[]) {
  const tree = buildSpanTree(spans);
  const times = layOutTimes(tree, 0);
  return { tree, times, layout: layOutFlame(tree, times) };
}

const WINDOW: FlameWindow = { focus: -1, width: 100, rowHeight: 10, top: 0, height: 100 };

const family = layOut([
  spanOf('root', null, 0, 100),
  spanOf('a', 'root', 0, 50),
  spanOf('b', 'root', 20, 45),
  spanOf('c', 'b', 20, 25),
  spanOf('d', 'root', 60, 60),
]);

describe('layOutFlame', () => {
  it('makes a span as wide as its share, children one beside the other', () => {
    expect([...family.layout.width]).toEqual([1, 0.5, 0.25, 0.05, 0]);
    expect([...family.layout.left]).toEqual([0, 0, 0.5, 0.5, 0.75]);
  });

  it('lets children that together took longer share the width', () => {
    const { layout } = layOut([spanOf('p', null, 0, 10), spanOf('x', 'p', 0, 10), spanOf('y', 'p', 0, 10)]);
    expect([...layout.width]).toEqual([1, 0.5, 0.5]);
  });

  it('keeps children within their parent and beside each other', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const { tree, layout } = layOut(spans);
        for (const parent of [-1, ...tree.spans.keys()]) {
          let reached = parent === -1 ? 0 : layout.left[parent]!;
          const right = parent === -1 ? 1 : reached + layout.width[parent]!;
          for (const child of childrenOf(tree, parent)) {
            expect(layout.left[child]).toBeCloseTo(reached, 9);
            reached += layout.width[child]!;
          }
          expect(reached).toBeLessThanOrEqual(right + 1e-9);
        }
      }),
    );
  });

  it('steps to parent, first child and siblings, and stays where there is none', () => {
    const { tree } = family;
    expect(stepInFlame(tree, 3, 'parent')).toBe(2);
    expect(stepInFlame(tree, 0, 'parent')).toBe(0);
    expect(stepInFlame(tree, 2, 'child')).toBe(3);
    expect(stepInFlame(tree, 1, 'child')).toBe(1);
    expect(stepInFlame(tree, 2, 'next')).toBe(4);
    expect(stepInFlame(tree, 4, 'next')).toBe(4);
    expect(stepInFlame(tree, 4, 'previous')).toBe(2);
    expect(stepInFlame(tree, 1, 'previous')).toBe(1);
  });
});

describe('boxesIn', () => {
  it('gives pixels, and fills the width with the focused span', () => {
    expect(boxesIn(family.tree, family.layout, WINDOW)).toEqual([
      { place: 0, x: 0, y: 0, width: 100 },
      { place: 1, x: 0, y: 10, width: 50 },
      { place: 2, x: 50, y: 10, width: 25 },
      { place: 3, x: 50, y: 20, width: 5 },
      { place: -1, x: 75, y: 10, width: 0 },
    ]);
    expect(boxesIn(family.tree, family.layout, { ...WINDOW, focus: 2 })).toEqual([
      { place: 0, x: 0, y: 0, width: 100 },
      { place: 2, x: 0, y: 10, width: 100 },
      { place: 3, x: 0, y: 20, width: 20 },
    ]);
  });

  it('paints many narrow spans as one box, and only rows that are seen', () => {
    const many = layOut(Array.from({ length: 10_000 }, (_, i) => spanOf(`s${i}`, null, i, i + 1)));
    expect(boxesIn(many.tree, many.layout, WINDOW).length).toBeLessThan(5);
    const deep = layOut(chainOf(50_000));
    const seen = boxesIn(deep.tree, deep.layout, { ...WINDOW, top: 40_000, width: 100_000 });
    expect(seen.map(({ place }) => place)).toEqual(Array.from({ length: 11 }, (_, i) => 4_000 + i));
  });

  it('finds the span under the pointer', () => {
    expect(placeAt(family.tree, family.layout, WINDOW, 52, 25)).toBe(3);
    expect(placeAt(family.tree, family.layout, WINDOW, 60, 25)).toBe(-1);
    expect(placeAt(family.tree, family.layout, { ...WINDOW, focus: 2, top: 10 }, 19, 15)).toBe(3);
  });
});
