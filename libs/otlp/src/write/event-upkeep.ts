import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks, projectScope } from '@spandrel/kernel';
import { OtlpSettings } from '../otlp.settings.js';
import { MergeEvents } from './merge-events.js';
import { OtlpEventStore, type ProjectSpan } from './otlp-event.store.js';
import { OtlpWriteMetrics } from './otlp-write-metrics.js';
import type { WriteTx } from '@spandrel/storage';
import { SpanCommitParticipants, type SpanCommitParticipant, type TracingChange } from '@spandrel/tracing';

/** Runs within the time for which events wait: what a crash left unmerged is merged long before it goes. */
const RUNS_MIN = 6;
const EVERY_MS_MAX = 600_000;

const SPANS_AT_ONCE = 500;

/**
 * Merges log events that a crash left beside their span, and deletes those that have waited long enough. Instances may do
 * it at once: both are repeatable.
 */
@Injectable()
export class EventUpkeep implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'otlp';
  private readonly keptMs: number;

  constructor(
    { pendingHours }: OtlpSettings,
    tasks: BackgroundTasks,
    private readonly participants: SpanCommitParticipants,
    private readonly events: OtlpEventStore,
    private readonly merge: MergeEvents,
    private readonly metrics: OtlpWriteMetrics,
  ) {
    this.keptMs = pendingHours * 3_600_000;
    const everyMs = Math.min(EVERY_MS_MAX, this.keptMs / RUNS_MIN);
    tasks.add({
      everyMs,
      firstMs: (everyMs / RUNS_MIN) * (0.5 + Math.random()),
      task: (stopped) => this.run(Date.now(), stopped),
      failure: 'log events that wait for their spans could not be looked through; they will be at the next time',
    });
  }

  onModuleInit(): void {
    this.participants.register(this);
  }

  /** Does it now. @param now milliseconds since the epoch. @throws Unavailable when the database is lost. */
  async run(now: number, stopped: AbortSignal): Promise<void> {
    let behind: ProjectSpan = { projectId: '', traceId: '', spanId: '' };
    while (!stopped.aborted) {
      const spans = await this.events.spansAwaited(behind, SPANS_AT_ONCE);
      for (const [projectId, ofProject] of Map.groupBy(spans, (span) => span.projectId)) {
        await this.merge.execute(projectScope(projectId), ofProject);
      }
      if (spans.length < SPANS_AT_ONCE) break;
      behind = spans.at(-1)!;
    }
    if (!stopped.aborted) this.metrics.expiredEvents.inc(await this.events.expire(now - this.keptMs));
  }

  /** Deletes the log events of what is deleted, so that nothing of it comes back with a late span. */
  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    const spans: ProjectSpan[] = [];
    const traces: Omit<ProjectSpan, 'spanId'>[] = [];
    for (const change of changes) {
      const { projectId } = change.scope;
      if (change.type === 'cleared') await this.events.deleteOfProject(tx, projectId);
      if (change.type === 'trace_deleted') traces.push({ projectId, traceId: change.trace.id });
      if (change.type !== 'span_deleted') continue;
      const { id, traceId } = change.before;
      spans.push({ projectId, traceId, spanId: sentId(id, traceId) });
    }
    await this.events.deleteOfTraces(tx, traces);
    await this.events.deleteOfSpans(tx, spans);
  }
}

/** A span whose id another trace has is stored with its trace behind it (docs/spec/otlp.md#ids-of-spans). */
const sentId = (id: string, traceId: string): string =>
  id.endsWith(`.${traceId}`) ? id.slice(0, -traceId.length - 1) : id;
