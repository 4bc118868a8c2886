import { Injectable, type OnModuleInit } from '@nestjs/common';
import { projectScope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { SpanCommitParticipants, type SpanCommitParticipant, type TracingChange } from '@spandrel/tracing';
import { ScoreStore, type Start } from './score.store.js';

/** Has scores know when what they are about began, and of which model it is, in the transaction that says so. */
@Injectable()
export class FollowTargets implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'score-targets';

  constructor(
    private readonly participants: SpanCommitParticipants,
    private readonly scores: ScoreStore,
  ) {}

  onModuleInit(): void {
    this.participants.register(this);
  }

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    for (const [projectId, ofProject] of Map.groupBy(changes, ({ scope }) => scope.projectId)) {
      const spans = new Map<string, Start>();
      const traces = new Map<string, number>();
      for (const change of ofProject) {
        if (change.type === 'trace_updated') {
          const { before, trace } = change;
          if (before.startedAt !== trace.startedAt) traces.set(trace.id, trace.startedAt);
        } else if ('after' in change && change.after) {
          const { before, after } = change;
          const isNew = before === null || (spans.get(after.id)?.isNew ?? false);
          if (isNew || before?.startedAt !== after.startedAt || before.model !== after.model)
            spans.set(after.id, { startedAt: after.startedAt, model: after.model, isNew });
        }
      }
      await this.scores.follow(tx, projectScope(projectId), spans, traces);
    }
  }
}
