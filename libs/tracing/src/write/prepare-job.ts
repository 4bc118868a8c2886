import { NAME_LENGTH_MAX, isLargeJson } from '@spandrel/contract';
import { maskKey, maskSpan, maskTrace, type BoundedMasking, type MaskingCalls } from '@spandrel/masking';
import { writtenAhead } from '@spandrel/storage';
import type { SpanAmendment, SpanRecord, TracingJob } from './tracing-job.js';
import type { Ranked, TraceAttributes } from './merge-trace-attributes.js';
import { largeCreateHash } from './request-hash.js';

/**
 * A job with its texts masked, so that neither tables nor events nor the search see them otherwise (docs/spec/masking.md).
 * @param later masks what is known within the transaction alone.
 */
export function maskJob(masking: MaskingCalls, job: TracingJob, later: Pick<BoundedMasking, 'attempt'>): TracingJob {
  switch (job.type) {
    case 'create_trace':
      return { ...job, body: maskTrace(masking, job.body) };
    case 'patch_trace':
      return { ...job, body: maskTrace(masking, job.body) };
    case 'create_span':
      return { ...job, body: maskSpan(masking, job.body) };
    case 'complete_span':
      return { ...job, body: maskSpan(masking, job.body) };
    case 'fail_span':
      return { ...job, body: maskSpan(masking, job.body) };
    case 'ingest': {
      const traces = job.traces.map(({ index, item }) => ({ index, item: maskTrace(masking, item) }));
      return { ...job, traces, spans: job.spans.map(({ index, item }) => ({ index, item: maskSpan(masking, item) })) };
    }
    case 'record_spans': {
      const records = job.records.map((record) => maskRecord(masking, record));
      return { ...job, records, amendments: job.amendments.map((amendment) => maskAmendment(later, amendment)) };
    }
    default:
      return job;
  }
}

const maskRecord = (masking: MaskingCalls, record: SpanRecord): SpanRecord => ({
  ...record,
  item: maskSpan(masking, record.item),
  traceAttributes: maskTraceAttributes(masking, record.traceAttributes),
});

/** Milliseconds that amendments of one transaction may be masked for beside what was masked before it. */
const MORE_MS = 10;

/**
 * An amendment writes the payload of a stored span again, which may be older than the rules. Events were masked as they came; a span that would
 * hold up the transaction stays as it was stored (docs/spec/masking.md#how-fast-a-change-holds).
 */
const maskAmendment = (masking: Pick<BoundedMasking, 'attempt'>, amendment: SpanAmendment): SpanAmendment => ({
  ...amendment,
  amend: (stored) => {
    const payload = amendment.amend(stored);
    if (!payload) return payload;
    const masked = masking.attempt((calls) => maskSpan(calls, payload), MORE_MS);
    return masked ? masked.result : payload;
  },
});

function maskTraceAttributes(masking: MaskingCalls, traceAttributes: TraceAttributes): TraceAttributes {
  const { name, session, user, tags, metadata, resource } = traceAttributes;
  const key = (ranked: Ranked): Ranked => ({ ...ranked, value: maskKey(masking, ranked.value) });
  return {
    ...(name && { name: { ...name, value: masking.text(name.value, 'name', NAME_LENGTH_MAX) } }),
    ...(session && { session: key(session) }),
    ...(user && { user: key(user) }),
    ...(tags && { tags: tags.map((tag) => maskKey(masking, tag)) }),
    ...(metadata && { metadata: masking.json(metadata, 'metadata') }),
    ...(resource && { resource: masking.json(resource, 'metadata') }),
  };
}

/** What can be large of a trace or a span, as the wire has it. */
interface Payload {
  kind?: unknown;
  input?: unknown;
  output?: unknown;
  metadata?: unknown;
}
const MEMBERS = ['kind', 'input', 'output', 'metadata'] as const;

/**
 * Makes what a transaction would be held up by before it begins, others having their turn meanwhile: the JSON texts of
 * large payloads, and the fingerprint of a create that has one.
 * @returns `undefined` where nothing of the job is large.
 */
export function prepareLarge(job: TracingJob): Promise<TracingJob> | undefined {
  return payloadsOf(job).some(hasLarge) ? prepared(job) : undefined;
}

function payloadsOf(job: TracingJob): readonly Payload[] {
  if ('body' in job) return [job.body];
  if (job.type === 'ingest') return [...job.traces, ...job.spans].map(({ item }) => item);
  return job.type === 'record_spans' ? job.records.map(({ item }) => item) : [];
}

async function prepared(job: TracingJob): Promise<TracingJob> {
  switch (job.type) {
    case 'create_trace':
      return { ...job, hash: await largeCreateHash({ ...job.body }), body: await preparedBody(job.body) };
    case 'create_span':
      return { ...job, hash: await largeCreateHash({ ...job.body }), body: await preparedBody(job.body) };
    case 'ingest':
      return { ...job, traces: await preparedItems(job.traces), spans: await preparedItems(job.spans) };
    case 'record_spans':
      return { ...job, records: await preparedItems(job.records) };
    default:
      return 'body' in job ? ({ ...job, body: await preparedBody(job.body) } as TracingJob) : job;
  }
}

const hasLarge = (body: Payload): boolean => MEMBERS.some((member) => isLargeJson(body[member]));

async function preparedBody<Body extends Payload>(body: Body): Promise<Body> {
  if (!hasLarge(body)) return body;
  const after: Payload = { ...body };
  for (const member of MEMBERS) if (isLargeJson(body[member])) after[member] = await writtenAhead(body[member]);
  return after as Body;
}

async function preparedItems<Entry extends { item: Payload }>(entries: readonly Entry[]): Promise<Entry[]> {
  const after: Entry[] = [];
  for (const entry of entries) {
    after.push(hasLarge(entry.item) ? { ...entry, item: await preparedBody(entry.item) } : entry);
  }
  return after;
}
