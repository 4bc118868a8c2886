import type { IngestSpan } from '@spandrel/contract';
import { DomainError } from '@spandrel/kernel';
import { toJsonText } from '@spandrel/storage';
import { sameSpan, type IngestStep } from './ingested-span.js';
import { metadataText } from './new-span.js';
import { newTrace } from './new-trace.js';
import type { PricingTable } from '../pricing.js';
import { recordedSpan } from './recorded-span.js';
import { STATUS } from '../status.js';
import { aliasOf, resolvedId, resolvedParent } from './span-alias.js';
import type { RecordedResult, SpanAmendment, SpanRecord } from './span-record.js';
import { toldTrace } from './tell-trace.js';
import { originsOfNew } from './trace-origins.js';
import type { TracingJob } from './tracing-job.js';
import type { WorkingSet } from './working-set.js';

type RecordJob = Extract<TracingJob, { type: 'record_spans' }>;

/**
 * Upserts spans as their senders give them, each with its trace, and amends others
 * (docs/adr/0024-otlp-usage-counts-once.md). Doing it again changes nothing.
 */
export function applyRecords(set: WorkingSet, job: RecordJob, pricing: PricingTable): RecordedResult {
  const around = { now: job.now, projectId: set.scope.projectId, pricing };
  const result: RecordedResult = { rejected: [], found: [] };
  for (const [index, record] of job.records.entries()) {
    try {
      recordSpan(set, record, around);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const details = (error.errors ?? []).map(({ path, message }) => `${path} ${message}`);
      result.rejected.push({ index, message: [error.message, ...details].join(': ') });
    }
  }
  for (const amendment of job.amendments) result.found.push(amendSpan(set, amendment));
  return result;
}

interface Around {
  now: number;
  projectId: string;
  pricing: PricingTable;
}

function recordSpan(set: WorkingSet, record: SpanRecord, around: Around): void {
  const { id: sentId, trace_id: traceId } = record.item;
  const item = placedItem(set, record.item);
  const { step, weak } = recordedSpan(set.span(item.id), { ...record, item }, around);
  // A repetition tells its trace nothing either: what a person has changed since stays.
  if (step.type !== 'unchanged' || weak) tellTrace(set, record, weak);
  applyStep(set, step);
  if (item.id !== sentId && isNew(step)) adoptChildren(set, sentId, traceId);
}

function amendSpan(set: WorkingSet, { spanId, traceId, amend }: SpanAmendment): boolean {
  const stored = set.span(resolvedId(set, spanId, traceId));
  if (!stored) return false;
  const payload = amend(stored);
  if (!payload) return true;
  const [input, output] = [toJsonText(payload.input), toJsonText(payload.output)];
  const after = { ...stored, input, output, metadata: metadataText(payload.metadata) };
  const type = stored.status === STATUS.running ? 'span_updated' : 'span_corrected';
  if (!sameSpan(stored, after)) set.replaceSpan(type, stored, after);
  return true;
}

/** The item under the ids by which it and its parent are stored. */
function placedItem(set: WorkingSet, item: IngestSpan): IngestSpan {
  const { trace_id: traceId, parent_id: parentId } = item;
  return {
    ...item,
    id: resolvedId(set, item.id, traceId),
    parent_id: resolvedParent(set, parentId, traceId) ?? null,
  };
}

function tellTrace(set: WorkingSet, { item, telling, order }: SpanRecord, weak: boolean): void {
  const startedAt = item.started_at!;
  const teller = { order, startedAt, weak };
  const stored = set.trace(item.trace_id);
  if (stored) {
    const told = toldTrace(stored, telling, teller);
    if (told !== stored) set.updateTrace(stored, told);
    return;
  }
  const origins = originsOfNew({ start: true, name: false });
  const place = { projectId: set.scope.projectId, id: item.trace_id, startedAt, createHash: null, origins };
  set.createTrace(toldTrace(newTrace(place, {}), telling, teller));
}

function applyStep(set: WorkingSet, step: IngestStep): void {
  if (step.type === 'span_created') set.createSpan(step.after);
  else if (step.type === 'created_finished') set.createFinishedSpan(step.before, step.finished, step.after);
  else if (step.type !== 'unchanged') set.replaceSpan(step.type, step.before, step.after);
}

const isNew = ({ type }: IngestStep): boolean => type === 'span_created' || type === 'created_finished';

/** Children that came before their parent, whose id turned out to belong to another trace. */
function adoptChildren(set: WorkingSet, parentId: string, traceId: string): void {
  for (const { now: child } of [...set.spans.values()]) {
    if (child?.traceId === traceId && child.parentId === parentId) {
      set.amendSpan(child, { ...child, parentId: aliasOf(parentId, traceId) });
    }
  }
}
