import { formatTimestamp, type SpanKind, type SpanResource, type SpanStatus } from '@spandrel/contract';
import { fromJsonText, objectFromJsonText } from '@spandrel/storage';
import { isOtlp } from './usage-attribution/usage-attribution.js';
import { type StoredSpan, STATUS } from './span.entity.js';

/** A stored span as the wire shows it (docs/spec/spans.md#the-span-object). */
export function spanResource(span: StoredSpan): SpanResource {
  return {
    id: span.id,
    trace_id: span.traceId,
    parent_id: span.parentId,
    name: span.name,
    kind: shownKind(span),
    input: fromJsonText(span.input),
    output: fromJsonText(span.output),
    ...shownStatus(span),
    started_at: formatTimestamp(span.startedAt),
    ended_at: span.endedAt === null ? null : formatTimestamp(span.endedAt),
    metadata: shownMetadata(span),
  };
}

/** The status, and the error that a failed one repeats (docs/spec/spans.md#status-on-the-wire). */
export function shownStatus(span: Pick<StoredSpan, 'status' | 'error'>): { status: SpanStatus; error: string | null } {
  const error = fromJsonText(span.error) as string | null;
  if (span.status === STATUS.failed) return { status: { failed: { error: error ?? '' } }, error };
  return { status: span.status === STATUS.completed ? 'completed' : 'running', error };
}

/**
 * The caller's kind, whole, with the estimated cost, if there is one; an `llm_call` always shows its well-known members.
 */
export function shownKind(span: Pick<StoredSpan, 'kind' | 'cost' | 'cover'>): SpanKind {
  const kind = fromJsonText(span.kind) as SpanKind;
  if (kind.type !== 'llm_call') {
    if (isOtlp(span) && span.cost !== null) kind['cost'] ??= span.cost;
    return kind;
  }
  kind['provider'] ??= null;
  kind['input_tokens'] ??= null;
  kind['output_tokens'] ??= null;
  kind['cost'] ??= span.cost;
  return kind;
}

/** The caller's own members, and on a finished span the service's, which win (docs/spec/spans.md#metadata). */
export function shownMetadata(
  span: Pick<StoredSpan, 'metadata' | 'status' | 'durationMs' | 'totalTokens' | 'cost'>,
): Record<string, unknown> {
  const metadata = objectFromJsonText(span.metadata);
  if (span.status !== STATUS.running) {
    metadata['duration_ms'] = span.durationMs;
    metadata['total_tokens'] = span.totalTokens;
    metadata['cost'] = span.cost;
  }
  return metadata;
}
