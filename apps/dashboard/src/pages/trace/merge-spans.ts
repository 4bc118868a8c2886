import type { SpanOutline } from '@spandrel/contract';

/** What an event tells of a span: all of its outline, or what an event without the sizes of its texts has. */
type SpanOfEvent = Omit<SpanOutline, SizeMember> & Partial<Pick<SpanOutline, SizeMember>>;
type SizeMember = 'input_bytes' | 'output_bytes' | 'input_preview' | 'output_preview';

export type SpanChange = { span: SpanOfEvent } | { deleted: string };

/** What is not known of a span before it is asked for. */
const NO_TEXTS = { input_bytes: 0, output_bytes: 0, input_preview: null, output_preview: null };

/**
 * Spans of a trace after some changes: new ones at the end, changed ones in their place.
 * @returns the same array where nothing changed, so that nothing is laid out anew.
 */
export function mergeSpans(spans: readonly SpanOutline[], changes: readonly SpanChange[]): readonly SpanOutline[] {
  if (changes.length === 0) return spans;
  const byId = new Map(spans.map((span) => [span.id, span]));
  let hasChanged = false;
  for (const change of changes) {
    if ('deleted' in change) {
      hasChanged = byId.delete(change.deleted) || hasChanged;
      continue;
    }
    const { input: _input, output: _output, ...outline } = change.span as SpanOfEvent & Record<string, unknown>;
    const known = byId.get(outline.id);
    if (known !== undefined && isOlder(outline, known)) continue;
    byId.set(outline.id, { ...NO_TEXTS, ...known, ...outline });
    hasChanged = true;
  }
  return hasChanged ? [...byId.values()] : spans;
}

/** A finished span stays finished: an event that says it runs was on its way while the trace was read. */
const isOlder = (span: SpanOfEvent, known: SpanOutline): boolean =>
  span.status === 'running' && known.status !== 'running';
