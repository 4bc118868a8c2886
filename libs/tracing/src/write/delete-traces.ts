import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { ProjectProtection, type WriteTx } from '@spandrel/storage';
import { traceNotFound, type JobAnswer } from './apply-job.js';
import { SpanCommitParticipants } from './span-commit-participant.js';
import { SpanStore } from '../span.store.js';
import { TraceStore } from '../trace.store.js';
import type { TracingChange } from './tracing-change.js';
import type { BulkDeleteJob } from './tracing-job.js';

/** Spans one statement deletes; between two of them the event loop turns, so that reads and health checks go on. */
const SPANS_PER_STATEMENT = 1_000;

/**
 * Deletes whole traces (docs/spec/traces.md#deleting-a-trace). One transaction, so that nobody sees half of a deletion;
 * other writers wait for it, readers do not.
 */
@Injectable()
export class DeleteTraces {
  constructor(
    private readonly traces: TraceStore,
    private readonly spans: SpanStore,
    private readonly participants: SpanCommitParticipants,
    private readonly protection: ProjectProtection,
  ) {}

  /** @throws NotFound `trace_not_found`, Conflict `project_protected` for a deletion of all. */
  async execute(tx: WriteTx, job: BulkDeleteJob, changes: TracingChange[]): Promise<JobAnswer> {
    if (job.type === 'delete_all') return this.all(tx, job.scope, changes);
    const [trace] = await this.traces.loadForWrite(tx, job.scope, [job.id]);
    if (!trace) throw traceNotFound();
    await this.participants.beforeDelete(tx, { scope: job.scope, traceId: trace.id });
    const spansDeleted = await this.spansOf(tx, job.scope, trace.id);
    await this.traces.delete(tx, trace);
    changes.push({ type: 'trace_deleted', scope: job.scope, trace });
    return { type: 'deleted', spansDeleted, tracesDeleted: 1 };
  }

  private async spansOf(tx: WriteTx, scope: Scope, traceId: string): Promise<number> {
    let deleted = 0;
    for (;;) {
      const ids = await this.spans.idsOfTrace(tx, scope, traceId, SPANS_PER_STATEMENT);
      if (ids.length === 0) return deleted;
      await this.spans.delete(tx, scope, ids);
      deleted += ids.length;
      await nextTurn();
    }
  }

  private async all(tx: WriteTx, scope: Scope, changes: TracingChange[]): Promise<JobAnswer> {
    await this.protection.assertUnprotected(tx, scope);
    const deleted = await this.traces.deleteAll(tx, scope);
    changes.push({ type: 'cleared', scope });
    return { type: 'deleted', tracesDeleted: deleted.traces, spansDeleted: deleted.spans };
  }
}
