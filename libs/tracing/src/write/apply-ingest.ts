import {
  ingestSpanSchema,
  isStorableText,
  type IngestRejection,
  type IngestSpan,
  type IngestTrace,
  type RestoredTrace,
  type SpanKind,
} from '@spandrel/contract';
import { Conflict, DomainError, invalidRequest, NotFound, type Invalid } from '@spandrel/kernel';
import { fromJsonText, jsonText, toJsonText } from '@spandrel/storage';
import {
  assertEndAfterStart,
  finishedSpan,
  metadataText,
  newSpan,
  sameSpan,
  spanFacts,
  withCostOrigin,
} from './span-row.js';
import { isOtlp, COVER, isOtlpTraceId, mayReportUsage } from '../usage-attribution/usage-attribution.js';
import { amountOrNull, isPricedKind } from '../pricing/cost-of-span.js';
import { type StoredSpan, STATUS } from '../span.entity.js';
import { isJsonObject } from './merge-trace-attributes.js';
import { newTrace, patchedTrace, restoredTrace, originsOf, originsOfNew } from './trace-row.js';
import type { PricingTable } from '../pricing/pricing.js';
import { resolvedParent } from './span-alias.js';
import type { TracingJob } from './tracing-job.js';
import type { TraceRow } from '../trace.entity.js';
import type { FinishType, IngestStep, UnitOfWork } from './unit-of-work.js';

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

/** A span as it is ingested. A trace id that no column can hold names no trace. */
export const ingestedSpanSchema = ingestSpanSchema.refine(({ trace_id: id }) => isStorableText(id), {
  path: ['trace_id'],
  message: 'must not hold NUL characters or lone surrogates',
});

const UNCHANGED: IngestStep = { type: 'unchanged' };

export interface Surroundings {
  now: number;
  projectId: string;
  pricing: PricingTable;
  /** Bits of `COVER` that a span made here has. */
  cover?: number;
}

/** How the item says the span stands; `error` null is completed. */
type Standing = { running: true } | { running: false; error: string | null };

/**
 * Merges a whole span sent by ingest with what is stored (docs/spec/ingest.md#finished-spans-stay-finished). Members
 * given replace; a finished span never runs again: from a running version that comes late only what the finished one
 * lacks is taken.
 * @param stored the span with this id, if there is one.
 * @throws Conflict when it belongs to another trace; Invalid when the item contradicts itself.
 */
export function ingestedSpan(stored: StoredSpan | null, item: IngestSpan, around: Surroundings): IngestStep {
  if (stored && stored.traceId !== item.trace_id) {
    throw new Conflict('id_conflict', 'a span with this id belongs to another trace');
  }
  const standing = standingOf(item);
  if (!stored) return firstSeen(item, standing, around);
  if (stored.status === STATUS.running) return whileRunning(stored, item, standing, around);
  return standing.running ? lateRunningVersion(stored, item) : correction(stored, item, standing.error, around.pricing);
}

function firstSeen(item: IngestSpan, standing: Standing, around: Surroundings): IngestStep {
  const { now, projectId, pricing } = around;
  const startedAt = item.started_at ?? Math.min(now, item.ended_at ?? now);
  const place = { projectId, id: item.id, startedAt, createHash: null, cover: around.cover ?? null };
  const created = newSpan(item, place, pricing);
  if (standing.running) return { type: 'span_created', after: { ...created, output: toJsonText(item.output) } };
  const { type: finished, after } = finishedNow(created, item, standing.error, now, pricing);
  return { type: 'created_finished', finished, before: created, after };
}

function whileRunning(
  stored: StoredSpan,
  item: IngestSpan,
  standing: Standing,
  { now, pricing }: Surroundings,
): IngestStep {
  const after = withMembers(stored, item, pricing);
  if (!standing.running) {
    return { ...finishedNow(after, item, standing.error, now, pricing), before: stored };
  }
  return sameSpan(stored, after) ? UNCHANGED : { type: 'span_updated', before: stored, after };
}

function correction(stored: StoredSpan, item: IngestSpan, error: string | null, pricing: PricingTable): IngestStep {
  const merged = withMembers(stored, item, pricing);
  const endedAt = item.ended_at ?? merged.endedAt!;
  assertEndAfterStart(merged.startedAt, endedAt);
  const after = withCostOrigin({
    ...merged,
    status: error === null ? STATUS.completed : STATUS.failed,
    error: toJsonText(error),
    endedAt,
    durationMs: endedAt - merged.startedAt,
  });
  return sameSpan(stored, after) ? UNCHANGED : { type: 'span_corrected', before: stored, after };
}

/** Batches may arrive in any order: the start of a span after its end. */
function lateRunningVersion(stored: StoredSpan, item: IngestSpan): IngestStep {
  const after: StoredSpan = {
    ...stored,
    parentId: stored.parentId ?? item.parent_id ?? null,
    input: stored.input ?? toJsonText(item.input),
    output: stored.output ?? toJsonText(item.output),
  };
  return sameSpan(stored, after) ? UNCHANGED : { type: 'span_corrected', before: stored, after };
}

function finishedNow(
  span: StoredSpan,
  item: IngestSpan,
  error: string | null,
  now: number,
  pricing: PricingTable,
): { type: FinishType; after: StoredSpan } {
  const kind = item.kind ?? (fromJsonText(span.kind) as SpanKind);
  const after = finishedSpan(span, { error, endedAt: item.ended_at, now, output: item.output }, kind, pricing);
  return { type: error === null ? 'span_completed' : 'span_failed', after };
}

/** The span with the members that were given. */
export function withMembers(span: StoredSpan, item: IngestSpan, pricing: PricingTable): StoredSpan {
  const kind = item.kind ? jsonText(item.kind) : undefined;
  const kindChanged = kind !== undefined && kind !== span.kind;
  const startedAt = item.started_at ?? span.startedAt;
  const pricedAt = span.status === STATUS.running ? null : startedAt;
  return {
    ...span,
    ...(kindChanged && { kind, ...spanFacts(item.kind!, pricedAt, pricing, isOtlp(span)) }),
    name: item.name,
    parentId: item.parent_id === undefined ? span.parentId : item.parent_id,
    input: item.input === undefined ? span.input : toJsonText(item.input),
    output: item.output === undefined ? span.output : toJsonText(item.output),
    metadata: item.metadata ? metadataText(item.metadata) : span.metadata,
    startedAt,
  };
}

/** @throws Invalid when an item contradicts itself, as far as that can be seen without the stored span. */
function assertConsistent(item: IngestSpan): void {
  const { running } = standingOf(item);
  const { started_at: startedAt, ended_at: endedAt } = item;
  if (!running && typeof startedAt === 'number' && typeof endedAt === 'number') assertEndAfterStart(startedAt, endedAt);
}

/** @throws Invalid when status, error and end contradict each other. */
function standingOf(item: IngestSpan): Standing {
  const status = item.status ?? undefined;
  const ended = typeof item.ended_at === 'number';
  const error = typeof status === 'object' ? status.failed.error : (item.error ?? null);
  if (status === 'running') {
    if (error !== null || ended) throw contradiction('a running span has neither error nor ended_at');
    return { running: true };
  }
  if (status === 'completed') {
    if (error !== null) throw contradiction('a completed span has no error');
    return { running: false, error: null };
  }
  if (status !== undefined || error !== null) return { running: false, error: error ?? '' };
  return ended ? { running: false, error: null } : { running: true };
}

const contradiction = (message: string): Invalid =>
  invalidRequest([{ path: 'status', message: `contradicts the other members: ${message}` }]);

/**
 * Merges a span like `ingestedSpan`, and gives it bits of `COVER`. They alone are a change, too: the span was written
 * natively, or came back from an export.
 */
export function ingestedWithUsageBits(
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

/**
 * Merges a span of an export like {@link ingestedSpan}. A cost that was estimated where it comes from stands in its kind, as
 * one that was reported does; it is kept as an estimate (docs/spec/transfer.md#what-an-import-changes).
 */
function restoredSpan(stored: StoredSpan | null, item: IngestSpan, around: Surroundings): IngestStep {
  const { kind, metadata } = item;
  const bits = restoredUsageBits(item);
  const isPriced = !!kind && isPricedKind(kind.type, (bits & COVER.otlp) !== 0);
  const estimated = isPriced && metadata?.['cost_source'] === 'table' ? amountOrNull(kind['cost']) : null;
  if (!isPriced || estimated === null) return ingestedWithUsageBits(stored, item, around, bits);
  const unpriced = { ...item, kind: { ...kind, cost: null } };
  const step = ingestedWithUsageBits(stored, unpriced, around, bits);
  const after = step.type === 'unchanged' ? stored! : step.after;
  if (after.status === STATUS.running || after.cost === estimated) return step;
  const priced = { ...after, cost: estimated };
  return step.type === 'unchanged'
    ? { type: 'span_corrected', before: stored!, after: priced }
    : ({ ...step, after: priced } as IngestStep);
}

/** The bits of `COVER` that a span of an export had, as its metadata show them (docs/spec/transfer.md#spans-of-opentelemetry). */
export function restoredUsageBits({ trace_id: traceId, kind, metadata }: IngestSpan): number {
  const otel = metadata?.['otel'];
  if (!isOtlpTraceId(traceId) || !isJsonObject(otel) || typeof otel['start_unix_nano'] !== 'string') return 0;
  const isCovered = isJsonObject(metadata!['reported_usage']) && !mayReportUsage(kind);
  return isCovered ? COVER.otlp | COVER.below : COVER.otlp;
}

/** A span of an export. One that contradicts itself is refused here, before anything is written. */
export const restoredSpanSchema = ingestedSpanSchema.superRefine((span, context) => {
  try {
    assertConsistent(span);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    for (const { path, message } of error.errors ?? []) context.addIssue({ code: 'custom', path: [path], message });
  }
});
