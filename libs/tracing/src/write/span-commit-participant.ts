import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { SpanRow } from '../span.entity.js';
import type { TracingChange } from './tracing-change.js';

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
