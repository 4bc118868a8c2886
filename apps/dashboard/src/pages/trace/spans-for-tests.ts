import * as fc from 'fast-check';
import type { TraceSpan } from '../../features/spans/trace-span.js';

/** A moment that the spans of tests count from. */
const NOON = Date.parse('2026-11-22T12:00:00.000Z');

/** A span for tests: `from` and `to` in milliseconds after noon; one without `to` still runs. */
export function spanOf(
  id: string,
  parentId: string | null,
  from: number,
  to: number | null,
  more: Partial<TraceSpan> = {},
): TraceSpan {
  return {
    id,
    parent_id: parentId,
    name: id,
    kind: { type: 'custom' },
    status: to === null ? 'running' : 'completed',
    error: null,
    started_at: new Date(NOON + from).toISOString(),
    ended_at: to === null ? null : new Date(NOON + to).toISOString(),
    metadata: {},
    ...more,
  };
}

/** Traces of up to 12 spans with any parents: none, unknown ones, themselves, circles. */
export const anySpans = fc
  .array(fc.record({ parent: fc.integer({ min: -2, max: 11 }), from: fc.nat(20), length: fc.nat(12) }), {
    maxLength: 12,
  })
  .map((given) =>
    given.map(({ parent, from, length }, index) =>
      spanOf(`s${index}`, parent === -1 ? null : `s${parent}`, from, from + length),
    ),
  );

/** A chain: every span is the child of the one before, and lies within it. */
export const chainOf = (count: number): TraceSpan[] =>
  Array.from({ length: count }, (_, index) =>
    spanOf(`s${index}`, index === 0 ? null : `s${index - 1}`, index, 2 * count - index),
  );
