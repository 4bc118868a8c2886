import { UNKNOWN_MODEL, type IngestSpan, type SpanKind } from '@spandrel/contract';
import { DomainError } from '@spandrel/kernel';
import { fromJsonText, toJsonText } from '@spandrel/storage';
import { ingestedWithUsageBits, rejectionMessage, withMembers, type Surroundings } from './apply-ingest.js';
import { metadataText, sameSpan } from './span-row.js';
import { newTrace, originsOfNew } from './trace-row.js';
import type { PricingTable } from '../pricing/pricing.js';
import { STATUS, type StoredSpan } from '../span.entity.js';
import { aliasOf, resolvedId, resolvedParent } from './span-alias.js';
import type { RecordedResult, SpanAmendment, SpanRecord, TracingJob } from './tracing-job.js';
import { mergeTraceAttributes } from './merge-trace-attributes.js';
import type { IngestStep, UnitOfWork } from './unit-of-work.js';
import { COVER } from '../usage-attribution/usage-attribution.js';

type RecordJob = Extract<TracingJob, { type: 'record_spans' }>;

/**
 * Upserts spans as their senders give them, each with its trace, and amends others
 * (docs/adr/0024-otlp-usage-counts-once.md). Doing it again changes nothing.
 */
export function applyRecords(set: UnitOfWork, job: RecordJob, pricing: PricingTable): RecordedResult {
  const around = { now: job.now, projectId: set.scope.projectId, pricing };
  const result: RecordedResult = { rejected: [], found: [] };
  for (const [index, record] of job.records.entries()) {
    try {
      recordSpan(set, record, around);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      result.rejected.push({ index, message: rejectionMessage(error) });
    }
  }
  for (const amendment of job.amendments) result.found.push(amendSpan(set, amendment, pricing));
  return result;
}

function recordSpan(set: UnitOfWork, record: SpanRecord, around: Surroundings): void {
  const { id: sentId, trace_id: traceId } = record.item;
  const item = placedItem(set, record.item);
  const { step, weak } = recordedSpan(set.span(item.id), { ...record, item }, around);
  // A repetition changes nothing in its trace either: what a person has changed since stays.
  if (step.type !== 'unchanged' || weak) mergeIntoTrace(set, record, weak);
  set.apply(step);
  const isNew = step.type === 'span_created' || step.type === 'created_finished';
  if (item.id !== sentId && isNew) adoptChildren(set, sentId, traceId);
}

function amendSpan(set: UnitOfWork, amendment: SpanAmendment, pricing: PricingTable): boolean {
  const { spanId, traceId, model } = amendment;
  const stored = set.span(resolvedId(set, spanId, traceId));
  if (!stored) return false;
  if (model !== undefined && stored.model === UNKNOWN_MODEL) {
    const kind = { ...(fromJsonText(stored.kind) as SpanKind), model };
    set.amendSpan(stored, withMembers(stored, { id: stored.id, trace_id: traceId, name: stored.name, kind }, pricing));
  }
  const payload = amendment.amend(stored);
  if (!payload) return true;
  const [input, output] = [toJsonText(payload.input), toJsonText(payload.output)];
  const after = { ...stored, input, output, metadata: metadataText(payload.metadata) };
  if (!sameSpan(stored, after)) set.amendSpan(stored, after);
  return true;
}

/** The item under the ids by which it and its parent are stored. */
function placedItem(set: UnitOfWork, item: IngestSpan): IngestSpan {
  const { trace_id: traceId, parent_id: parentId } = item;
  return {
    ...item,
    id: resolvedId(set, item.id, traceId),
    parent_id: resolvedParent(set, parentId, traceId) ?? null,
  };
}

function mergeIntoTrace(set: UnitOfWork, { item, traceAttributes, order }: SpanRecord, weak: boolean): void {
  const startedAt = item.started_at!;
  const source = { order, startedAt, weak };
  const stored = set.trace(item.trace_id);
  if (stored) {
    const merged = mergeTraceAttributes(stored, traceAttributes, source);
    if (merged !== stored) set.updateTrace(stored, merged);
    return;
  }
  const origins = originsOfNew({ start: true, name: false });
  const place = { projectId: set.scope.projectId, id: item.trace_id, startedAt, createHash: null, origins };
  set.createTrace(mergeTraceAttributes(newTrace(place, {}), traceAttributes, source));
}

/** Children that came before their parent, whose id turned out to belong to another trace. */
function adoptChildren(set: UnitOfWork, parentId: string, traceId: string): void {
  for (const { now: child } of [...set.spans.values()]) {
    if (child?.traceId === traceId && child.parentId === parentId) {
      set.amendSpan(child, { ...child, parentId: aliasOf(parentId, traceId) });
    }
  }
}

/** What a record does to the stored span. */
interface RecordedStep {
  step: IngestStep;
  /** The record is a form that other forms go before: nothing of what is stored changes. */
  weak: boolean;
}

/**
 * What a record does to the stored span. Forms that say more go before others, whichever comes first: a pending one changes
 * no other, a running one no finished one, a finished one replaces every member; a repetition changes nothing.
 * @throws Invalid when the item contradicts itself.
 */
function recordedSpan(stored: StoredSpan | null, record: SpanRecord, around: Surroundings): RecordedStep {
  const runs = record.item.status === 'running';
  if (stored && (record.pending || (runs && stored.status !== STATUS.running))) {
    return { step: { type: 'unchanged' }, weak: true };
  }
  const item = stored && record.keep ? record.keep(record.item, stored) : record.item;
  if (!item) return { step: { type: 'unchanged' }, weak: false };
  return { step: ingestedWithUsageBits(stored, wholeItem(item), around, COVER.otlp), weak: false };
}

/** The item with every member, so that it clears what it does not have. */
const wholeItem = (item: IngestSpan): IngestSpan => ({
  ...item,
  parent_id: item.parent_id ?? null,
  input: item.input ?? null,
  output: item.output ?? null,
  metadata: item.metadata ?? {},
});
