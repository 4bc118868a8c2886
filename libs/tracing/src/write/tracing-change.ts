import type { Scope } from '@spandrel/kernel';
import type { SpanRow, StoredSpan } from '../span.entity.js';
import type { TraceRow } from '../trace.entity.js';

/**
 * What a committed write changed, in order. Rows before and after always chain up: a span that is first seen finished
 * (ingest) is a `span_created` in running form and then a `span_completed` or `span_failed`, so that sums kept by
 * "minus before, plus after" equal a recount. A write that changes nothing makes no record.
 */
export type TracingChange =
  | { type: 'trace_created'; scope: Scope; trace: TraceRow }
  /** Members of the trace itself, not its roll-up. */
  | { type: 'trace_updated'; scope: Scope; before: TraceRow; trace: TraceRow }
  /** Stands for the trace and all of its spans; see {@link SpanCommitParticipant} for those. */
  | { type: 'trace_deleted'; scope: Scope; trace: TraceRow }
  /** All traces and spans of the project are gone. */
  | { type: 'cleared'; scope: Scope }
  | SpanChange;

/** A change of one span. */
export type SpanChange =
  | { type: 'span_created'; scope: Scope; before: null; after: StoredSpan }
  /** A running span has other values and still runs. */
  | { type: 'span_updated'; scope: Scope; before: StoredSpan; after: StoredSpan }
  | {
      type: 'span_completed' | 'span_failed';
      scope: Scope;
      before: StoredSpan;
      after: StoredSpan;
      /** It comes back from an export, having ended long ago: nothing new happened that a rule could wait for. */
      restored?: true;
    }
  /** A finished span was sent again with other values. */
  | { type: 'span_corrected'; scope: Scope; before: StoredSpan; after: StoredSpan }
  | { type: 'span_deleted'; scope: Scope; before: SpanRow; after: null };
