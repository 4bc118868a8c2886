import { isLargeJson } from '@spandrel/contract';
import { writtenAhead } from '@spandrel/storage';
import { largeCreateHash } from './create-hash.js';
import type { TracingJob } from './tracing-job.js';

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
 * @returns the job itself where nothing of it is large.
 */
export async function prepareLarge(job: TracingJob): Promise<TracingJob> {
  switch (job.type) {
    case 'create_trace':
      if (!hasLarge(job.body)) return job;
      return { ...job, hash: await largeCreateHash({ ...job.body }), body: await prepared(job.body) };
    case 'create_span':
      if (!hasLarge(job.body)) return job;
      return { ...job, hash: await largeCreateHash({ ...job.body }), body: await prepared(job.body) };
    case 'patch_trace':
      return { ...job, body: await prepared(job.body) };
    case 'complete_span':
      return { ...job, body: await prepared(job.body) };
    case 'fail_span':
      return { ...job, body: await prepared(job.body) };
    case 'ingest':
      return { ...job, traces: await preparedItems(job.traces), spans: await preparedItems(job.spans) };
    case 'record_spans':
      return { ...job, records: await preparedItems(job.records) };
    default:
      return job;
  }
}

/** Whether {@link prepareLarge} has anything to do. */
export function isLargeJob(job: TracingJob): boolean {
  switch (job.type) {
    case 'create_trace':
    case 'create_span':
    case 'patch_trace':
    case 'complete_span':
    case 'fail_span':
      return hasLarge(job.body);
    case 'ingest':
      return job.traces.some(({ item }) => hasLarge(item)) || job.spans.some(({ item }) => hasLarge(item));
    case 'record_spans':
      return job.records.some(({ item }) => hasLarge(item));
    default:
      return false;
  }
}

const hasLarge = (body: Payload): boolean => MEMBERS.some((member) => isLargeJson(body[member]));

async function prepared<Body extends Payload>(body: Body): Promise<Body> {
  if (!hasLarge(body)) return body;
  const after: Payload = { ...body };
  for (const member of MEMBERS) if (isLargeJson(body[member])) after[member] = await writtenAhead(body[member]);
  return after as Body;
}

async function preparedItems<Entry extends { item: Payload }>(entries: readonly Entry[]): Promise<Entry[]> {
  const after: Entry[] = [];
  for (const entry of entries) {
    after.push(hasLarge(entry.item) ? { ...entry, item: await prepared(entry.item) } : entry);
  }
  return after;
}
