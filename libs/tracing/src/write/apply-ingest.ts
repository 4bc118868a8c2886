import type { IngestRejection, IngestSpan, IngestTrace, RestoredTrace } from '@spandrel/contract';
import { DomainError, NotFound } from '@spandrel/kernel';
import { ingestedSpan, restoredSpan } from './ingested-span.js';
import { newTrace, patchedTrace, restoredTrace, originsOf, originsOfNew } from './trace-row.js';
import type { PricingTable } from '../pricing/pricing.js';
import { resolvedParent } from './span-alias.js';
import type { TracingJob } from './tracing-job.js';
import type { TraceRow } from '../trace.entity.js';
import type { UnitOfWork } from './unit-of-work.js';

type IngestJob = Extract<TracingJob, { type: 'ingest' }>;

/** A cost that a span had or lacked when it was exported is the one it comes back with. */
const NO_PRICES: PricingTable = new Map();

export interface IngestSliceResult {
  accepted: { traces: number; spans: number };
  rejected: IngestRejection[];
}

/**
 * Upserts the traces and then the spans of an ingest, all or nothing per item (docs/spec/ingest.md#items-stand-alone).
 * Sending the same again changes nothing.
 */
export function applyIngest(set: UnitOfWork, job: IngestJob, pricing: PricingTable): IngestSliceResult {
  const result: IngestSliceResult = { accepted: { traces: 0, spans: 0 }, rejected: [] };
  for (const { item } of job.traces) {
    ingestTrace(set, item, job);
    result.accepted.traces++;
  }
  for (const { index, item } of job.spans) {
    try {
      ingestSpan(set, item, job, pricing);
      result.accepted.spans++;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      result.rejected.push({ index, collection: 'spans', code: error.code, message: rejectionMessage(error) });
    }
  }
  return result;
}

function ingestTrace(set: UnitOfWork, item: IngestTrace & RestoredTrace, { now, restored }: IngestJob): void {
  const existing = set.trace(item.id);
  if (existing) {
    const next = restored
      ? restoredTrace(existing, item)
      : withEarlierStart(patchedTrace(existing, item, 'keep_reported'), item.defaults?.started_at);
    if (next !== existing) set.updateTrace(existing, next);
    return;
  }
  const startedAt = item.started_at ?? item.defaults?.started_at ?? now;
  const origins = originsOfNew({
    start: typeof item.started_at !== 'number',
    name: item.name === undefined && typeof item.defaults?.name === 'string',
  });
  const place = { projectId: set.scope.projectId, id: item.id, startedAt, createHash: null, origins };
  const made = newTrace(place, { ...item, name: item.name ?? item.defaults?.name });
  set.createTrace(restored ? restoredTrace(made, item) : made);
}

/** A start that nobody gave is the earliest that is known: a sender's later calls may come first. */
const withEarlierStart = (trace: TraceRow, startedAt: number | null | undefined): TraceRow =>
  typeof startedAt === 'number' && startedAt < trace.startedAt && originsOf(trace).openStart
    ? { ...trace, startedAt }
    : trace;

function ingestSpan(set: UnitOfWork, item: IngestSpan, { now, restored }: IngestJob, pricing: PricingTable): void {
  if (!set.trace(item.trace_id)) throw new NotFound('trace_not_found', 'there is no trace with this trace_id');
  const around = { now, projectId: set.scope.projectId, pricing };
  const stored = set.span(item.id);
  if (restored) {
    // A file names parents by the ids under which they were stored.
    set.apply(restoredSpan(stored, item, { ...around, pricing: NO_PRICES }), true);
    return;
  }
  const parentId = resolvedParent(set, item.parent_id, item.trace_id);
  set.apply(ingestedSpan(stored, { ...item, parent_id: parentId }, around));
}

/** One line that says which member is at fault. */
export const rejectionMessage = (error: DomainError): string =>
  [error.message, ...(error.errors ?? []).map(({ path, message }) => `${path} ${message}`)].join(': ');
