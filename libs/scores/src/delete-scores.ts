import { Injectable } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import { TraceLookups, type SpanCommitParticipant, type TraceRow, type TracingChange } from '@spandrel/tracing';
import { projectScope } from '@spandrel/kernel';
import { ScoreStore } from './score.store.js';

/** Takes scores along with their trace, and those of a session with the last of its traces. */
@Injectable()
export class DeleteScores implements SpanCommitParticipant {
  readonly name = 'scores';

  constructor(
    private readonly scores: ScoreStore,
    private readonly traces: TraceLookups,
  ) {}

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    for (const change of changes) if (change.type === 'cleared') await this.scores.deleteAll(tx, change.scope);
    const gone = changes.flatMap((change) => (change.type === 'trace_deleted' ? [change.trace] : []));
    const byProject = Map.groupBy(gone, ({ projectId }) => projectId);
    for (const [projectId, traces] of byProject) await this.deleteWith(tx, projectId, traces);
  }

  private async deleteWith(tx: WriteTx, projectId: string, traces: readonly TraceRow[]): Promise<void> {
    const scope = projectScope(projectId);
    const traceIds = traces.map(({ id }) => id);
    await this.scores.deleteOfTraces(tx, scope, traceIds);
    const sessionIds = new Set(traces.flatMap(({ sessionId }) => sessionId ?? []));
    const left = await this.traces.findSessions(tx, projectId, [...sessionIds], traceIds);
    await this.scores.deleteOfSessions(tx, scope, [...sessionIds.difference(left)]);
  }
}
