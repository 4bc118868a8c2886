import type { SearchDocument } from '@spandrel/plugin-api';
import type { StoredSpan, TraceFacts } from '@spandrel/tracing';
import { spanText } from './span-text.js';

/** A span as the index keeps it, and the text that its vector is made of. */
export interface SpanDocument extends SearchDocument {
  embedded: string;
}

const STATUS_NAMES = ['running', 'completed', 'failed'] as const;

/** @param facts those of its trace; absent when that is just being deleted. */
export function documentOf(span: StoredSpan, facts: TraceFacts | undefined): SpanDocument {
  const { text, embedded } = spanText(span);
  return {
    id: span.id,
    text,
    // Endpoints refuse the empty text.
    embedded: embedded === '' ? span.kindType : embedded,
    fields: {
      trace_id: span.traceId,
      session_id: facts?.sessionId ?? null,
      kind: span.kindType,
      model: span.model,
      provider: span.provider,
      status: STATUS_NAMES[span.status]!,
      tags: facts?.tags ?? [],
      started_at: span.startedAt,
    },
  };
}
