import type { IngestSpan } from '@spandrel/contract';
import { COVER, isOtlp } from '../cover/usage-cover.js';
import { ingestedSpan, type IngestStep, type Surroundings } from './ingested-span.js';
import type { StoredSpan } from '../span.entity.js';
import type { SpanRecord } from './span-record.js';
import { STATUS } from '../status.js';

/** What a record does to the stored span. */
export interface RecordedStep {
  step: IngestStep;
  /** The record is a form that other forms go before: nothing of what is stored changes. */
  weak: boolean;
}

/**
 * What a record does to the stored span. Forms that tell more go before others whichever comes first: a pending one changes
 * no other, a running one no finished one, a finished one replaces every member; a repetition changes nothing.
 * @throws Invalid when the item contradicts itself.
 */
export function recordedSpan(stored: StoredSpan | null, record: SpanRecord, around: Surroundings): RecordedStep {
  const runs = record.item.status === 'running';
  if (stored && (record.pending || (runs && stored.status !== STATUS.running))) {
    return { step: { type: 'unchanged' }, weak: true };
  }
  const item = stored && record.keep ? record.keep(record.item, stored) : record.item;
  const known = stored && { ...stored, cover: (stored.cover ?? 0) | COVER.otlp };
  const step = ingestedSpan(known, wholeItem(item), { ...around, cover: COVER.otlp });
  if (!stored || isOtlp(stored)) return { step, weak: false };
  // The bit alone is a change, too: the span was written natively, or came back from an export.
  if (step.type !== 'unchanged') return { step: { ...step, before: stored } as IngestStep, weak: false };
  const type = stored.status === STATUS.running ? 'span_updated' : 'span_corrected';
  return { step: { type, before: stored, after: known! }, weak: false };
}

/** The item with every member, so that it clears what it does not have. */
export const wholeItem = (item: IngestSpan): IngestSpan => ({
  ...item,
  parent_id: item.parent_id ?? null,
  input: item.input ?? null,
  output: item.output ?? null,
  metadata: item.metadata ?? {},
});
