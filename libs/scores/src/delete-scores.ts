import { Injectable } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import { TraceLookups, type SpanCommitParticipant, type TracingChange } from '@spandrel/tracing';
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
    for (const { scope, traceIds, sessionIds } of await this.traces.findLeaving(tx, changes)) {
      await this.scores.deleteOfTraces(tx, scope, traceIds);
      await this.scores.deleteOfSessions(tx, scope, sessionIds);
    }
  }
}
