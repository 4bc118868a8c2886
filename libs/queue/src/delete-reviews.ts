import { Injectable } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import { TraceLookups, type SpanCommitParticipant, type TracingChange } from '@spandrel/tracing';
import { OF_TARGETS } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';

/** Takes reviews of traces and spans along with the trace, and those of a session with the last of its traces. */
@Injectable()
export class DeleteReviews implements SpanCommitParticipant {
  readonly name = 'queue';

  constructor(
    private readonly items: QueueItemStore,
    private readonly traces: TraceLookups,
  ) {}

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    for (const change of changes) {
      if (change.type === 'cleared') await this.items.deleteOfDataset(tx, change.scope, OF_TARGETS);
    }
    for (const { scope, traceIds, sessionIds } of await this.traces.findLeaving(tx, changes)) {
      await this.items.deleteOfTargets(tx, scope, traceIds, sessionIds);
    }
  }
}
