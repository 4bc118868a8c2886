import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { SpanRow, StoredSpan } from '../span.entity.js';
import type { TraceRow } from '../trace.entity.js';

/** Spans of any projects that are deleted with their traces because they are past their retention. */
export type LeavingSpans =
  | { readonly spans: readonly SpanRow[] }
  /** All spans that started within a range, in milliseconds since the epoch; `until` is exclusive. */
  | { readonly range: { readonly from: number; readonly until: number } };

/**
 * Takes part in every write of traces and spans, in the same transaction: roll-ups, the event log and captures can
 * never disagree with the spans.
 *
 * A throw loses the whole transaction: participants check nothing that a caller could get wrong.
 */
export interface SpanCommitParticipant {
  readonly name: string;

  /** Called once a transaction, after the rows are written. @param changes at least one, in the order they happened. */
  onCommit?(tx: WriteTx, changes: readonly TracingChange[]): Promise<void>;

  /** Called while the spans of a trace that is being deleted can still be read; `trace_deleted` follows. */
  beforeDelete?(tx: WriteTx, deletion: { scope: Scope; traceId: string }): Promise<void>;

  /** Called like {@link beforeDelete} for traces past their retention; a `trace_deleted` for each of them follows. */
  beforeExpire?(tx: WriteTx, leaving: LeavingSpans): Promise<void>;

  /**
   * Called once the changes are durable, before callers are answered: it must be quick. A throw is logged and counted, and
   * changes nothing for others (`TransactionEnd`).
   */
  afterCommit?(changes: readonly TracingChange[]): void;
}

/** The registered participants, called in the order in which they registered. */
@Injectable()
export class SpanCommitParticipants {
  private readonly participants: SpanCommitParticipant[] = [];

  register(participant: SpanCommitParticipant): void {
    this.participants.push(participant);
  }

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    if (changes.length === 0) return;
    for (const participant of this.participants) {
      await participant.onCommit?.(tx, changes);
      tx.end.afterCommit(() => participant.afterCommit?.(changes));
    }
  }

  async beforeDelete(tx: WriteTx, deletion: { scope: Scope; traceId: string }): Promise<void> {
    for (const participant of this.participants) await participant.beforeDelete?.(tx, deletion);
  }

  async beforeExpire(tx: WriteTx, leaving: LeavingSpans): Promise<void> {
    for (const participant of this.participants) await participant.beforeExpire?.(tx, leaving);
  }
}

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
