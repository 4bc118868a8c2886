/** A span as lists of tools show it: what its outline has, with numbers in members of their own. */
export function spanItem(outline: Readonly<Record<string, unknown>>): object {
  const { id, trace_id, parent_id, name, status, error, started_at, input_bytes, output_bytes } = outline;
  const metadata = (outline['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const kind = (outline['kind'] ?? {}) as Readonly<Record<string, unknown>>;
  return {
    id,
    trace_id,
    parent_id,
    name,
    kind: kind['type'],
    model: kind['model'],
    provider: kind['provider'],
    status: typeof status === 'string' ? status : 'failed',
    error,
    started_at,
    duration_ms: metadata['duration_ms'],
    total_tokens: metadata['total_tokens'],
    cost: metadata['cost'],
    input_bytes,
    output_bytes,
    input_preview: outline['input_preview'],
    output_preview: outline['output_preview'],
    score: outline['score'],
  };
}
