import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ExpiredStore } from './expired.store.js';
import { SpanCommitParticipants, type TracingChange } from '../write/span-commit-participant.js';
import { SpanStore } from '../span.store.js';
import type { SpanRow } from '../span.entity.js';
import { losesLatestEnd, rollUp } from '../write/trace-rollup.js';
import { TraceStore } from '../trace.store.js';
import type { TraceRow } from '../trace.entity.js';
import type { TraceCell } from '../write/unit-of-work.js';

/** Spans one transaction deletes: other writers wait for some tens of milliseconds. */
const SPANS_MAX = 1_000;

export interface Deleted {
  traces: number;
  spans: number;
}

/** Deletes traces and spans that are too old, some in one transaction. */
@Injectable()
export class ExpireBatch {
  constructor(
    private readonly storage: Storage,
    private readonly expired: ExpiredStore,
    private readonly spans: SpanStore,
    private readonly traces: TraceStore,
    private readonly participants: SpanCommitParticipants,
  ) {}

  /**
   * Deletes spans of some traces that started before a moment, and the traces that are then empty and older too. A span
   * goes with its trace (`trace_deleted`), or leaves it behind (`span_deleted`).
   * @returns what was deleted; no span when none is left that is too old.
   */
  expireSpansOf(scope: Scope, traceIds: readonly string[], before: number): Promise<Deleted> {
    return this.storage.write(async (tx) => {
      // Traces before their spans, as all writers lock them.
      const cells = new Map<string, TraceCell>();
      for (const row of await this.traces.loadForWrite(tx, scope, traceIds)) {
        cells.set(row.id, { before: row, now: row, recount: false });
      }
      const spans = await this.expired.spansOf(tx, scope, traceIds, before, SPANS_MAX);
      if (spans.length === 0) return { traces: 0, spans: 0 };
      for (const span of spans) takeFrom(cells.get(span.traceId), span);
      const gone = [...cells.values()].flatMap(({ now }) => (now && isOver(now, before) ? now : []));
      const goneIds = new Set(gone.map(({ id }) => id));
      await this.participants.beforeExpire(tx, { spans: spans.filter(({ traceId }) => goneIds.has(traceId)) });
      await this.spans.delete(
        tx,
        scope,
        spans.map(({ id }) => id),
      );
      await this.traces.deleteSome(tx, scope, gone);
      const left = [...cells.values()].filter(({ now }) => !goneIds.has(now!.id));
      await this.spans.recountEnds(tx, scope, left);
      await this.traces.save(tx, left);
      await this.participants.onCommit(tx, [
        ...spans
          .filter(({ traceId }) => !goneIds.has(traceId))
          .map((span): TracingChange => ({ type: 'span_deleted', scope, before: span, after: null })),
        ...gone.map((trace): TracingChange => ({ type: 'trace_deleted', scope, trace })),
      ]);
      return { traces: gone.length, spans: spans.length };
    });
  }

  /** Deletes those of some traces that are older than a moment and have no spans. */
  deleteEmptyTraces(scope: Scope, traceIds: readonly string[], before: number): Promise<Deleted> {
    return this.storage.write(async (tx) => {
      const gone = (await this.traces.loadForWrite(tx, scope, traceIds)).filter((trace) => isOver(trace, before));
      await this.traces.deleteSome(tx, scope, gone);
      await this.participants.onCommit(
        tx,
        gone.map((trace): TracingChange => ({ type: 'trace_deleted', scope, trace })),
      );
      return { traces: gone.length, spans: 0 };
    });
  }
}

function takeFrom(cell: TraceCell | undefined, span: SpanRow): void {
  if (!cell?.now) return;
  if (losesLatestEnd(cell.now, span, null)) cell.recount = true;
  cell.now = rollUp(cell.now, span, null);
}

const isOver = ({ startedAt, spanCount }: TraceRow, before: number): boolean => startedAt < before && spanCount === 0;
