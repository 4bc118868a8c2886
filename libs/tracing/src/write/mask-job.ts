import { NAME_LENGTH_MAX } from '@spandrel/contract';
import { maskKey, maskSpan, maskTrace, type BoundedMasking, type MaskingCalls } from '@spandrel/masking';
import type { SpanAmendment, SpanRecord } from './span-record.js';
import type { Ranked, TraceTelling } from './tell-trace.js';
import type { TracingJob } from './tracing-job.js';

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
  telling: maskTelling(masking, record.telling),
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

function maskTelling(masking: MaskingCalls, telling: TraceTelling): TraceTelling {
  const { name, session, user, tags, metadata, resource } = telling;
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
