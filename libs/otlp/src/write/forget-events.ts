import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import { SpanCommitParticipants, type SpanCommitParticipant, type TracingChange } from '@spandrel/tracing';
import { OtlpEventStore, type ProjectSpan } from './otlp-event.store.js';

/** Deletes the log events of spans and traces that are deleted, so that nothing of them comes back with a late span. */
@Injectable()
export class ForgetEvents implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'otlp';

  constructor(
    private readonly participants: SpanCommitParticipants,
    private readonly events: OtlpEventStore,
  ) {}

  onModuleInit(): void {
    this.participants.register(this);
  }

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
