import type { IngestSpan } from '@spandrel/contract';
import { COVER } from '../cover/usage-cover.js';
import type { IngestStep, Surroundings } from './ingested-span.js';
import { ingestedWithCover } from './ingested-with-cover.js';
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
  if (!item) return { step: { type: 'unchanged' }, weak: false };
  return { step: ingestedWithCover(stored, wholeItem(item), around, COVER.otlp), weak: false };
}

/** The item with every member, so that it clears what it does not have. */
const wholeItem = (item: IngestSpan): IngestSpan => ({
  ...item,
  parent_id: item.parent_id ?? null,
  input: item.input ?? null,
  output: item.output ?? null,
  metadata: item.metadata ?? {},
});
