import { NAME_LENGTH_MAX } from '@spandrel/contract';
import { maskKey, maskSpan, maskTrace, type Masking } from '@spandrel/masking';
import type { SpanAmendment, SpanRecord } from './span-record.js';
import type { Ranked, TraceTelling } from './tell-trace.js';
import type { TracingJob } from './tracing-job.js';

/** A job with its texts masked, so that neither tables nor events nor the search see them otherwise (docs/spec/masking.md). */
export function maskJob(masking: Masking, job: TracingJob): TracingJob {
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
      return { ...job, records, amendments: job.amendments.map((amendment) => maskAmendment(masking, amendment)) };
    }
    default:
      return job;
  }
}

const maskRecord = (masking: Masking, record: SpanRecord): SpanRecord => ({
  ...record,
  item: maskSpan(masking, record.item),
  telling: maskTelling(masking, record.telling),
});

/** An amendment writes a stored span anew: with it what was stored before the rules. */
const maskAmendment = (masking: Masking, amendment: SpanAmendment): SpanAmendment => ({
  ...amendment,
  amend: (stored) => {
    const item = amendment.amend(stored);
    return item && maskSpan(masking, item);
  },
});

function maskTelling(masking: Masking, telling: TraceTelling): TraceTelling {
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
