import type {
  CompleteSpan,
  CreateSpan,
  CreateTrace,
  FailSpan,
  IngestSpan,
  IngestTrace,
  PatchTrace,
  RestoredTrace,
} from '@spandrel/contract';
import type { RequestContext, Scope } from '@spandrel/kernel';
import type { StoredSpan } from '../span.entity.js';
import type { TraceAttributes } from './merge-trace-attributes.js';

/** An item of an ingest with its place in the request. */
export interface Indexed<Item> {
  index: number;
  item: Item;
}

/**
 * One write, as group commit queues it. `now` is when it arrived, `hash` that of a large body; ids that the service chose are
 * in it already, so that doing it again does the same.
 */
export type TracingJob =
  | { type: 'create_trace'; scope: Scope; now: number; id: string; body: CreateTrace; hash?: string | null }
  | { type: 'patch_trace'; scope: Scope; id: string; body: PatchTrace }
  | { type: 'create_span'; scope: Scope; now: number; id: string; body: CreateSpan; hash?: string | null }
  | { type: 'complete_span'; scope: Scope; now: number; id: string; body: CompleteSpan }
  | { type: 'fail_span'; scope: Scope; now: number; id: string; body: FailSpan }
  | {
      type: 'ingest';
      scope: Scope;
      now: number;
      traces: readonly Indexed<IngestTrace & RestoredTrace>[];
      spans: readonly Indexed<IngestSpan>[];
      /** The items come back from an export: no cost is estimated again, and no span ends now. */
      restored?: true;
    }
  | {
      type: 'record_spans';
      scope: Scope;
      now: number;
      records: readonly SpanRecord[];
      amendments: readonly SpanAmendment[];
    }
  /** Finished spans get the cost that the prices of today make (docs/spec/prices.md#applying-prices). */
  | { type: 'reprice_spans'; scope: Scope; spanIds: readonly string[] }
  | ({ type: 'delete_span'; id: string } & AuditedJob)
  | ({ type: 'delete_trace'; id: string } & AuditedJob)
  | ({ type: 'delete_all' } & AuditedJob);

/** What is in the audit log with who asked for it: a transaction of jobs runs in the context of one of them. */
interface AuditedJob {
  scope: Scope;
  context: RequestContext;
}

/** Jobs that take rows out of memory's sight: they run between the others, by statements of their own. */
export type BulkDeleteJob = Extract<TracingJob, { type: 'delete_trace' | 'delete_all' }>;
export type RowJob = Exclude<TracingJob, BulkDeleteJob>;

export const isBulkDelete = (job: TracingJob): job is BulkDeleteJob =>
  job.type === 'delete_trace' || job.type === 'delete_all';

/** When spans that a job may bring start. */
export function startsOf(job: TracingJob): number[] {
  if (job.type === 'create_span') return [job.body.started_at ?? job.now];
  if (job.type === 'record_spans') return job.records.map(({ item }) => item.started_at ?? job.now);
  if (job.type !== 'ingest') return [];
  return job.spans.map(({ item }) => item.started_at ?? Math.min(job.now, item.ended_at ?? job.now));
}

/** Rows a job writes, about. */
export function jobWeight(job: TracingJob): number {
  if (job.type === 'record_spans') return job.records.length + job.amendments.length;
  if (job.type === 'reprice_spans') return job.spanIds.length;
  return job.type === 'ingest' ? job.traces.length + job.spans.length : 1;
}

/** The spans that a job of records names, by their ids as they were sent. */
export const namedSpans = (job: Extract<TracingJob, { type: 'record_spans' }>): { id: string; traceId: string }[] => [
  ...job.records.map(({ item }) => ({ id: item.id, traceId: item.trace_id })),
  ...job.amendments.map(({ spanId, traceId }) => ({ id: spanId, traceId })),
];

/** A span as its sender gives it, with its id as the sender has it, unique in its trace only. */
export interface SpanRecord {
  /**
   * The whole span: members left out are cleared. `status` and `started_at` are given, `ended_at` unless it runs; the kind
   * has the usage that the span reports, covered or not.
   */
  readonly item: IngestSpan;
  /** Orders spans by their start: nanoseconds as 20 digits, and the span id. */
  readonly order: string;
  readonly traceAttributes: TraceAttributes;
  /** A running form that other forms go before, whenever they come. */
  readonly pending?: boolean;
  /** What becomes of the item where a form of the span is stored; `undefined` when nothing is to change. */
  keep?(item: IngestSpan, stored: StoredSpan): IngestSpan | undefined;
}

/** A change of a span that is stored; nothing where there is none. */
export interface SpanAmendment {
  /** The id that the sender gave. */
  readonly spanId: string;
  readonly traceId: string;
  /** @returns what the span has from then on, `undefined` when nothing is to change. */
  amend(stored: StoredSpan): Pick<IngestSpan, 'input' | 'output' | 'metadata'> | undefined;
  /** The model of a span that names none. */
  readonly model?: string;
}

export interface RecordedResult {
  /** Records that cannot be kept, by their place in the job. */
  rejected: { index: number; message: string }[];
  /** Whether the span of each amendment is there. */
  found: boolean[];
}
