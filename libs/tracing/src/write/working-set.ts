import { type Scope } from '@spandrel/kernel';
import type { SpanRow, StoredSpan } from '../span.entity.js';
import { losesLatestEnd, rollUp } from './trace-rollup.js';
import type { TraceRow } from '../trace.entity.js';
import type { SpanChange, TracingChange } from './tracing-change.js';

/** A row as the transaction found it and as the jobs left it; `null` is not there. */
export interface Cell<Row> {
  readonly before: Row | null;
  now: Row | null;
}

export interface TraceCell extends Cell<TraceRow> {
  /** The latest end may be gone: it has to be looked up among all spans. */
  recount: boolean;
}

/**
 * The rows a batch of jobs touches in one project, changed in memory only. Rows are replaced, never altered, and every
 * change is noted for the participants.
 */
export class WorkingSet {
  readonly traces = new Map<string, TraceCell>();
  readonly spans = new Map<string, Cell<StoredSpan>>();

  constructor(
    readonly scope: Scope,
    private readonly changes: TracingChange[],
  ) {}

  loadTrace(id: string, row: TraceRow | null): void {
    this.traces.set(id, { before: row, now: row, recount: false });
  }

  loadSpan(id: string, row: StoredSpan | null): void {
    this.spans.set(id, { before: row, now: row });
  }

  trace(id: string): TraceRow | null {
    return this.traces.get(id)?.now ?? null;
  }

  span(id: string): StoredSpan | null {
    return this.spans.get(id)?.now ?? null;
  }

  createTrace(trace: TraceRow): void {
    this.traceCell(trace.id).now = trace;
    this.changes.push({ type: 'trace_created', scope: this.scope, trace });
  }

  updateTrace(before: TraceRow, trace: TraceRow): void {
    this.traceCell(trace.id).now = trace;
    this.changes.push({ type: 'trace_updated', scope: this.scope, before, trace });
  }

  createSpan(after: StoredSpan): void {
    this.changeSpan({ type: 'span_created', scope: this.scope, before: null, after });
  }

  /**
   * A span that is first seen finished: two changes, one roll-up.
   * @param running its running form.
   * @param restored whether it comes back from an export.
   */
  createFinishedSpan(
    running: StoredSpan,
    type: 'span_completed' | 'span_failed',
    after: StoredSpan,
    restored = false,
  ): void {
    this.changes.push({ type: 'span_created', scope: this.scope, before: null, after: running });
    this.place(null, after);
    this.changes.push({ type, scope: this.scope, before: running, after, ...(restored && { restored }) });
  }

  /** @param restored whether it comes back from an export. */
  replaceSpan(
    type: 'span_updated' | 'span_completed' | 'span_failed' | 'span_corrected',
    before: StoredSpan,
    after: StoredSpan,
    restored = false,
  ): void {
    const change = { scope: this.scope, before, after };
    const ends = type === 'span_completed' || type === 'span_failed';
    this.changeSpan(ends ? { type, ...change, ...(restored && { restored }) } : { type, ...change });
  }

  deleteSpan(before: StoredSpan): void {
    this.changeSpan({ type: 'span_deleted', scope: this.scope, before, after: null });
  }

  /** The trace as it is after the transaction, for an answer about a trace that was `row` when its job was done. */
  settled(row: TraceRow): TraceRow {
    const cell = this.traces.get(row.id);
    return cell?.recount && cell.now ? { ...row, lastEndedAt: cell.now.lastEndedAt } : row;
  }

  private changeSpan(change: SpanChange): void {
    this.place(change.before, change.after);
    this.changes.push(change);
  }

  private place(before: SpanRow | null, after: StoredSpan | null): void {
    const { id, traceId } = (after ?? before)!;
    const cell = this.spans.get(id);
    if (cell) cell.now = after;
    else this.spans.set(id, { before: null, now: after });
    const trace = this.traceCell(traceId);
    if (trace.now) {
      if (losesLatestEnd(trace.now, before, after)) trace.recount = true;
      trace.now = rollUp(trace.now, before, after);
    }
  }

  private traceCell(id: string): TraceCell {
    let cell = this.traces.get(id);
    if (!cell) {
      cell = { before: null, now: null, recount: false };
      this.traces.set(id, cell);
    }
    return cell;
  }
}
