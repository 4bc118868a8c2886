import type { SpanOutline, SpanResource } from '@spandrel/contract';

/** The outline of a whole span, by the words of docs/spec/outlines.md. */
export function outlineOf({ input, output, kind, metadata, ...kept }: SpanResource): SpanOutline {
  const { attributes: _attributes, ...shownKind } = kind;
  const ofService = ['duration_ms', 'total_tokens', 'cost', 'cost_source'].filter(
    (name) => kept.status !== 'running' && name in metadata,
  );
  const bytes = (value: unknown): number => (value === null ? 0 : Buffer.byteLength(JSON.stringify(value)));
  return {
    ...kept,
    kind: shownKind,
    metadata: Object.fromEntries(ofService.map((name) => [name, metadata[name]])),
    input_bytes: bytes(input),
    output_bytes: bytes(output),
    input_preview: null,
    output_preview: null,
  };
}
