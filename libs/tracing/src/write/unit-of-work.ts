import { Conflict, type Scope } from '@spandrel/kernel';
import {
  attributeToDescendant,
  type SpanNode,
  coveredForm,
  covers,
  isBelow,
  isOtlpTraceId,
  withBelow,
  UsageMarks,
} from '../usage-attribution/usage-attribution.js';
import { sameSpan } from './span-row.js';
import { type SpanLink, type SpanRow, type StoredSpan, STATUS } from '../span.entity.js';
import { losesLatestEnd, rollUp } from './trace-rollup.js';
import type { TraceRow } from '../trace.entity.js';
import type { SpanChange, TracingChange } from './span-commit-participant.js';

/** What an ingested span does to the stored one. */
export type IngestStep =
  | { type: 'unchanged' }
  | { type: 'span_created'; after: StoredSpan }
  /** New and finished: `before` is its running form. */
  | { type: 'created_finished'; finished: FinishType; before: StoredSpan; after: StoredSpan }
  | { type: 'span_updated' | 'span_corrected' | FinishType; before: StoredSpan; after: StoredSpan };

export type FinishType = 'span_completed' | 'span_failed';

/** A row as the transaction found it and as the jobs left it; `null` is not there. */
export interface Cell<Row> {
  readonly before: Row | null;
  now: Row | null;
}

export interface TraceCell extends Cell<TraceRow> {
  /** The latest end may be gone: it has to be looked up among all spans. */
  recount: boolean;
}

/** The rows a batch of jobs touches in one project: replaced in memory, every change noted for the participants. */
export class UnitOfWork {
  readonly traces = new Map<string, TraceCell>();
  readonly spans = new Map<string, Cell<StoredSpan>>();
  readonly marks = new UsageMarks();
  /** Texts of spans that start before it lie in slices: see `pending-texts.sql.ts`. */
  indexedUntil = Infinity;
  /** Spans beside those that may change: parents, to know their traces, and ancestors that are covered already. `null` is not there. */
  private readonly links = new Map<string, SpanLink | null>();

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

  loadLink(id: string, link: SpanLink | null): void {
    this.links.set(id, link);
  }

  /** What leads from a span to its parent; `null` when it is not there, `undefined` when that is not known. */
  link(id: string): SpanLink | null | undefined {
    const cell = this.spans.get(id);
    return cell ? cell.now : this.links.get(id);
  }

  traceOfSpan(id: string): string | undefined {
    return this.link(id)?.traceId;
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

  createSpan(span: StoredSpan): void {
    const after = this.marks.take(span.id, span.traceId) ? withBelow(span) : span;
    this.changeSpan({ type: 'span_created', scope: this.scope, before: null, after });
    this.attributeUsage(null, after);
  }

  /** @param restored whether the span comes back from an export. */
  apply(step: IngestStep, restored = false): void {
    if (step.type === 'span_created') this.createSpan(step.after);
    else if (step.type === 'created_finished') this.createFinishedSpan(step, restored);
    else if (step.type !== 'unchanged') this.replaceSpan(step.type, step.before, step.after, restored);
  }

  /** A span that is first seen finished: two changes, one roll-up. */
  private createFinishedSpan(
    { before: running, finished: type, after: finished }: Extract<IngestStep, { type: 'created_finished' }>,
    restored: boolean,
  ): void {
    const marked = this.marks.take(running.id, running.traceId);
    const [before, after] = marked ? [withBelow(running), withBelow(finished)] : [running, finished];
    this.changes.push({ type: 'span_created', scope: this.scope, before: null, after: before });
    this.place(null, after);
    this.changes.push({ type, scope: this.scope, before, after, ...(restored && { restored }) });
    this.attributeUsage(null, after);
  }

  /** @param restored whether it comes back from an export. */
  replaceSpan(
    type: 'span_updated' | 'span_completed' | 'span_failed' | 'span_corrected',
    before: StoredSpan,
    next: StoredSpan,
    restored = false,
  ): void {
    const after = coveredForm(next);
    const ends = type === 'span_completed' || type === 'span_failed';
    // A covered span that is sent again differs before its usage is taken out, and not afterwards.
    if (!ends && sameSpan(before, after)) return;
    const change = { scope: this.scope, before, after };
    this.changeSpan(ends ? { type, ...change, ...(restored && { restored }) } : { type, ...change });
    this.attributeUsage(before, after);
  }

  /** A change of a span that has no event, whether it runs or not. */
  amendSpan(before: StoredSpan, after: StoredSpan): void {
    this.replaceSpan(amendmentOf(before), before, after);
  }

  deleteSpan(before: StoredSpan): void {
    this.changeSpan({ type: 'span_deleted', scope: this.scope, before, after: null });
    if (isBelow(before)) this.marks.add(before.id, before.traceId);
  }

  /** The trace as it is after the transaction, for an answer about a trace that was `row` when its job was done. */
  settled(row: TraceRow): TraceRow {
    const cell = this.traces.get(row.id);
    return cell?.recount && cell.now ? { ...row, lastEndedAt: cell.now.lastEndedAt } : row;
  }

  /** Notifies the ancestors of a span that something below them has usage, where that is new (ADR 0024). */
  private attributeUsage(before: StoredSpan | null, after: StoredSpan): void {
    const { parentId, traceId } = after;
    if (parentId === null || !covers(after) || !isOtlpTraceId(traceId)) return;
    if (before && covers(before) && before.parentId === parentId) return;
    attributeToDescendant(
      {
        find: (id) => this.spanNode(id, traceId),
        setBelow: (id) => this.setBelow(id),
        mark: (id) => this.marks.add(id, traceId),
      },
      parentId,
    );
  }

  private spanNode(id: string, traceId: string): SpanNode | null {
    const span = this.link(id);
    return span?.traceId === traceId ? { parentId: span.parentId, below: isBelow(span) } : null;
  }

  private setBelow(id: string): void {
    const before = this.span(id);
    if (!before) throw new Error('an ancestor of a span with usage was not loaded for the batch');
    this.changeSpan({ type: amendmentOf(before), scope: this.scope, before, after: withBelow(before) });
  }

  private changeSpan(change: SpanChange): void {
    if (change.before) assertMayChange(change.before, change.type);
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

const amendmentOf = ({ status }: StoredSpan): 'span_updated' | 'span_corrected' =>
  status === STATUS.running ? 'span_updated' : 'span_corrected';

/**
 * Refuses changes of finished spans, in one place: every change of a stored span passes here. It may not
 * be finished again (docs/spec/spans.md#finishing-a-span); ingest, OTLP, prices and usage below it correct it, and it may be deleted.
 * @throws Conflict `span_already_finished`.
 */
export function assertMayChange({ status }: SpanRow, change: SpanChange['type']): void {
  const finishes = change === 'span_completed' || change === 'span_failed';
  if (finishes && status !== STATUS.running)
    throw new Conflict('span_already_finished', 'the span is already finished');
}
