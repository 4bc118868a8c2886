import type { SpanResource } from '../spans.js';

/**
 * Spans with their depth, each behind its parent. One whose parent is not among them stands at the top; of spans that are one
 * another's parents the first does.
 */
export function inTree<Span extends Pick<SpanResource, 'id' | 'parent_id'>>(
  spans: readonly Span[],
): { span: Span; depth: number }[] {
  const ids = new Set(spans.map(({ id }) => id));
  const children = Map.groupBy(spans, ({ parent_id }) => (parent_id !== null && ids.has(parent_id) ? parent_id : null));
  const placed: { span: Span; depth: number }[] = [];
  const seen = new Set<string>();
  const walk = (from: readonly Span[]): void => {
    const stack = from.toReversed().map((span) => ({ span, depth: 0 }));
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { span, depth } = next;
      if (seen.has(span.id)) continue;
      seen.add(span.id);
      placed.push(next);
      for (const child of (children.get(span.id) ?? []).toReversed()) stack.push({ span: child, depth: depth + 1 });
    }
  };
  walk(children.get(null) ?? []);
  for (const span of spans) if (!seen.has(span.id)) walk([span]);
  return placed;
}
