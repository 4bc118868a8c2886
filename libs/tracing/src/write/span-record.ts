import type { IngestSpan } from '@spandrel/contract';
import type { StoredSpan } from '../span.entity.js';
import type { TraceTelling } from './tell-trace.js';

/** A span as its sender gives it, with its id as the sender has it, unique in its trace only. */
export interface SpanRecord {
  /**
   * The whole span: members left out are cleared. `status` and `started_at` are given, `ended_at` unless it runs; the kind
   * has the usage that the span tells, covered or not.
   */
  readonly item: IngestSpan;
  /** Orders spans by their start: nanoseconds as 20 digits, and the span id. */
  readonly order: string;
  readonly telling: TraceTelling;
  /** A running form that other forms go before, whenever they come. */
  readonly pending?: boolean;
  /** What becomes of the item where a form of the span is stored; `undefined` when nothing is to change. */
  keep?(item: IngestSpan, stored: StoredSpan): IngestSpan | undefined;
}

/** What can be large of a span. */
type SpanPayload = Pick<IngestSpan, 'input' | 'output' | 'metadata'>;

/** A change of a span that is stored; nothing where there is none. */
export interface SpanAmendment {
  /** The id that the sender gave. */
  readonly spanId: string;
  readonly traceId: string;
  /** @returns what the span has from then on, `undefined` when nothing is to change. */
  amend(stored: StoredSpan): SpanPayload | undefined;
}

/** What became of a job of records. */
export interface RecordedResult {
  /** Records that cannot be kept, by their place in the job. */
  rejected: { index: number; message: string }[];
  /** Whether the span of each amendment is there. */
  found: boolean[];
}
