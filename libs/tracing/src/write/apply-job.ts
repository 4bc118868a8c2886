import { Conflict, NotFound } from '@spandrel/kernel';
import type { SpanKind } from '@spandrel/contract';
import { fromJsonText } from '@spandrel/storage';
import { applyIngest, type IngestSliceResult } from './apply-ingest.js';
import { applyRecords } from './apply-records.js';
import { repriceSpans, type RepricedSums } from '../repricing/reprice-spans.js';
import { createRequestHash } from './request-hash.js';
import { finishedSpan, type Finish, mergedMetadata, newSpan } from './span-row.js';
import { newTrace, patchedTrace, originsOfNew } from './trace-row.js';
import type { PricingTable } from '../pricing/pricing.js';
import { resolvedParent } from './span-alias.js';
import type { RecordedResult, RowJob } from './tracing-job.js';
import type { StoredSpan } from '../span.entity.js';
import type { TraceRow } from '../trace.entity.js';
import { assertMayChange, type UnitOfWork } from './unit-of-work.js';

type Job<Type extends RowJob['type']> = Extract<RowJob, { type: Type }>;

export type JobAnswer =
  | { type: 'trace'; trace: TraceRow }
  | { type: 'span'; span: StoredSpan }
  | { type: 'ingested'; result: IngestSliceResult }
  | { type: 'recorded'; result: RecordedResult }
  | { type: 'repriced'; sums: RepricedSums }
  | { type: 'deleted'; spansDeleted: number; tracesDeleted: number };

/**
 * Does one job in memory: the rules of requests for one trace or span. Those of ingest and OTLP are in
 * `apply-ingest.ts` and `apply-records.ts`. A job that throws has changed nothing.
 * @throws NotFound, Conflict, Invalid (docs/spec/spans.md#states-of-a-span, docs/spec/general.md#repeating-a-create).
 */
export function applyJob(set: UnitOfWork, job: RowJob, pricing: PricingTable): JobAnswer {
  switch (job.type) {
    case 'create_trace':
      return { type: 'trace', trace: createTrace(set, job) };
    case 'patch_trace':
      return { type: 'trace', trace: patchTrace(set, job) };
    case 'create_span':
      return { type: 'span', span: createSpan(set, job, pricing) };
    case 'complete_span':
      return { type: 'span', span: completeSpan(set, job, pricing) };
    case 'fail_span':
      return { type: 'span', span: failSpan(set, job, pricing) };
    case 'delete_span':
      return { type: 'span', span: deleteSpan(set, job) };
    case 'ingest':
      return { type: 'ingested', result: applyIngest(set, job, pricing) };
    case 'record_spans':
      return { type: 'recorded', result: applyRecords(set, job, pricing) };
    case 'reprice_spans':
      return { type: 'repriced', sums: repriceSpans(set, job.spanIds, pricing) };
  }
}

function createTrace(
  set: UnitOfWork,
  { id, now, body, scope, hash = createRequestHash({ ...body }) }: Job<'create_trace'>,
): TraceRow {
  const origins = originsOfNew({ start: typeof body.started_at !== 'number', name: false });
  const row = newTrace(
    { projectId: scope.projectId, id, startedAt: body.started_at ?? now, createHash: hash, origins },
    body,
  );
  const existing = set.trace(id);
  if (!existing) {
    set.createTrace(row);
    return row;
  }
  if (existing.createHash !== hash) throw idConflict('trace');
  // A repeated create gets the answer of the first one, whatever has become of the trace since.
  return { ...row, startedAt: existing.startedAt, origins: existing.origins };
}

function patchTrace(set: UnitOfWork, { id, body }: Job<'patch_trace'>): TraceRow {
  const trace = set.trace(id);
  if (!trace) throw traceNotFound();
  const next = patchedTrace(trace, body);
  if (next !== trace) set.updateTrace(trace, next);
  return next;
}

function createSpan(
  set: UnitOfWork,
  { id, now, body, scope, hash = createRequestHash({ ...body }) }: Job<'create_span'>,
  pricing: PricingTable,
): StoredSpan {
  const existing = set.span(id);
  if (existing) {
    if (existing.createHash === hash) return existing;
    throw idConflict('span');
  }
  if (!set.trace(body.trace_id)) throw traceNotFound();
  const parentId = resolvedParent(set, body.parent_id, body.trace_id);
  const place = { projectId: scope.projectId, id, startedAt: body.started_at ?? now, createHash: hash, cover: null };
  const span = newSpan({ ...body, parent_id: parentId }, place, pricing);
  set.createSpan(span);
  return span;
}

function completeSpan(set: UnitOfWork, { id, now, body }: Job<'complete_span'>, pricing: PricingTable): StoredSpan {
  const span = runningSpan(set, id);
  return finish(set, span, pricing, {
    error: null,
    endedAt: body.ended_at,
    now,
    kind: body.kind,
    output: body.output,
    metadata: body.metadata ? mergedMetadata(span.metadata, body.metadata) : undefined,
  });
}

function failSpan(set: UnitOfWork, { id, now, body }: Job<'fail_span'>, pricing: PricingTable): StoredSpan {
  return finish(set, runningSpan(set, id), pricing, {
    error: body.error,
    endedAt: body.ended_at,
    now,
    kind: body.kind,
    output: body.output,
  });
}

function finish(set: UnitOfWork, span: StoredSpan, pricing: PricingTable, how: Finish): StoredSpan {
  const finished = finishedSpan(span, how, fromJsonText(span.kind) as SpanKind, pricing);
  set.replaceSpan(how.error === null ? 'span_completed' : 'span_failed', span, finished);
  return finished;
}

function deleteSpan(set: UnitOfWork, { id }: Job<'delete_span'>): StoredSpan {
  const span = set.span(id);
  if (!span) throw spanNotFound();
  set.deleteSpan(span);
  return span;
}

/** The span, which must be running; asked before its end is looked at. */
function runningSpan(set: UnitOfWork, id: string): StoredSpan {
  const span = set.span(id);
  if (!span) throw spanNotFound();
  assertMayChange(span, 'span_completed');
  return span;
}

const idConflict = (what: string): Conflict =>
  new Conflict('id_conflict', `another ${what} has this id; choose another one, or repeat the first request unchanged`);

export const traceNotFound = (): NotFound => new NotFound('trace_not_found', 'there is no trace with this id');
export const spanNotFound = (): NotFound => new NotFound('span_not_found', 'there is no span with this id');
