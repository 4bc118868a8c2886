import type { IngestSpan } from '@spandrel/contract';
import { COVER, isOtlpTraceId, tellsUsage } from '../cover/usage-cover.js';
import { isJsonObject } from './json-object.js';
import { ingestedSpan, type IngestStep, type Surroundings } from './ingested-span.js';
import type { StoredSpan } from '../span.entity.js';
import { STATUS } from '../status.js';

/**
 * Merges a span like `ingestedSpan`, and gives it bits of `COVER`. They alone are a change, too: the span was written
 * natively, or came back from an export.
 */
export function ingestedWithCover(
  stored: StoredSpan | null,
  item: IngestSpan,
  around: Surroundings,
  bits: number,
): IngestStep {
  if (!stored || ((stored.cover ?? 0) & bits) === bits) {
    return ingestedSpan(stored, item, { ...around, ...(bits !== 0 && { cover: bits }) });
  }
  const known = { ...stored, cover: (stored.cover ?? 0) | bits };
  const step = ingestedSpan(known, item, around);
  if (step.type !== 'unchanged') return { ...step, before: stored } as IngestStep;
  const type = stored.status === STATUS.running ? 'span_updated' : 'span_corrected';
  return { type, before: stored, after: known };
}

/** The bits of `COVER` that a span of an export had, as its metadata show them (docs/spec/transfer.md#spans-of-opentelemetry). */
export function restoredCover({ trace_id: traceId, kind, metadata }: IngestSpan): number {
  const otel = metadata?.['otel'];
  if (!isOtlpTraceId(traceId) || !isJsonObject(otel) || typeof otel['start_unix_nano'] !== 'string') return 0;
  const isCovered = isJsonObject(metadata!['reported_usage']) && !tellsUsage(kind);
  return isCovered ? COVER.otlp | COVER.below : COVER.otlp;
}
