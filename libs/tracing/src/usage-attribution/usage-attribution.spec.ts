import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANCESTORS_MAX, attributeToDescendant, type SpanTree } from './usage-attribution.js';

interface Sent {
  id: string;
  parentId: string | null;
  usage: boolean;
}

/** Spans of one trace as they come; what `write` does is what the write path does. */
class Trace implements SpanTree {
  readonly spans = new Map<string, { parentId: string | null; usage: boolean; below: boolean }>();
  readonly marks = new Set<string>();
  visits = 0;

  find(id: string) {
    return this.spans.get(id) ?? null;
  }

  setBelow(id: string): void {
    this.visits++;
    this.spans.get(id)!.below = true;
  }

  mark(id: string): void {
    this.marks.add(id);
  }

  write({ id, parentId, usage }: Sent): void {
    const before = this.spans.get(id);
    const below = this.marks.delete(id) || (before?.below ?? false);
    this.spans.set(id, { parentId, usage, below });
    const begins = !before || (!before.usage && !before.below);
    if ((usage || below) && (begins || before.parentId !== parentId)) attributeToDescendant(this, parentId);
  }

  get covered(): string[] {
    return [...this.spans].flatMap(([id, { below }]) => (below ? id : [])).toSorted();
  }
}

/** The rule itself: a span is covered when a span with usage is somewhere below it. */
function coveredByRule(spans: readonly Sent[]): string[] {
  const parents = new Map(spans.map(({ id, parentId }) => [id, parentId]));
  const covered = new Set<string>();
  for (const { usage, parentId } of spans) {
    for (let id = usage ? parentId : null; id !== null && parents.has(id) && !covered.has(id); id = parents.get(id)!) {
      covered.add(id);
    }
  }
  return [...covered].toSorted();
}

/** Any graph of parents: trees, parents that never come, circles. */
const graphs = fc
  .array(fc.record({ parent: fc.option(fc.nat(14)), usage: fc.boolean() }), { maxLength: 12 })
  .map((nodes): Sent[] =>
    nodes.map(({ parent, usage }, index) => ({
      id: `s${index}`,
      parentId: parent === null || parent === index ? null : `s${parent}`,
      usage,
    })),
  );

const written = (spans: readonly Sent[]): Trace => {
  const trace = new Trace();
  for (const span of spans) trace.write(span);
  return trace;
};

describe('the cover of usage', () => {
  it('is the rule, in whatever order spans come and come again', () => {
    fc.assert(
      fc.property(
        graphs.chain((spans) =>
          fc.tuple(
            fc.constant(spans),
            fc.shuffledSubarray(spans, { minLength: spans.length }),
            fc.array(fc.nat(Math.max(0, spans.length - 1)), { maxLength: 10 }),
          ),
        ),
        ([spans, order, again]) => {
          const repeated = [...order, ...again.flatMap((index) => spans[index] ?? [])];
          expect(written(repeated).covered).toEqual(coveredByRule(spans));
        },
      ),
    );
  });

  it('leaves the same marks in any order: the spans that are missing, once each', () => {
    fc.assert(
      fc.property(
        graphs.chain((spans) => fc.tuple(fc.constant(spans), fc.shuffledSubarray(spans, { minLength: spans.length }))),
        ([spans, order]) => {
          expect([...written(order).marks].toSorted()).toEqual([...written(spans).marks].toSorted());
        },
      ),
    );
  });

  it('is the same when spans run first and report their usage at the end', () => {
    fc.assert(
      fc.property(
        graphs.chain((spans) => fc.shuffledSubarray(spans, { minLength: spans.length })),
        (order) => {
          const running = order.map((span) => ({ ...span, usage: false }));
          expect(written([...running, ...order]).covered).toEqual(coveredByRule(order));
        },
      ),
    );
  });

  it('visits every span once in its life', () => {
    fc.assert(
      fc.property(graphs, (spans) => {
        const trace = written([...spans, ...spans, ...spans]);
        expect(trace.visits).toBeLessThanOrEqual(spans.length);
      }),
    );
  });

  it('ends at a thousand ancestors', () => {
    const chain = Array.from({ length: ANCESTORS_MAX + 10 }, (_, index) => ({
      id: `s${index}`,
      parentId: index === 0 ? null : `s${index - 1}`,
      usage: false,
    }));
    const trace = written([...chain, { id: 'leaf', parentId: chain.at(-1)!.id, usage: true }]);
    expect(trace.covered).toHaveLength(ANCESTORS_MAX);
  });
});
