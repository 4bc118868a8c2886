import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { ReadStore } from '@spandrel/plugin-api';
import { projectScope } from '@spandrel/kernel';
import { DAY_MS, type WriteTx } from '@spandrel/storage';
import { SpanCommitParticipants, type SpanCommitParticipant, type TracingChange } from '@spandrel/tracing';
import { READ_STORE } from './configured-store.js';
import { CHANGE_KIND } from './read-store.entity.js';
import { ReadStoreDayStore } from './read-store-day.store.js';
import { ReadStoreChangeStore, wholeProject, type NotedChange } from './read-store-change.store.js';

/** Notes in the transaction of a change what the read store does not have from then on. */
@Injectable()
export class NoteChanges implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'read store';

  constructor(
    @Inject(READ_STORE) private readonly store: ReadStore | null,
    private readonly participants: SpanCommitParticipants,
    private readonly changes: ReadStoreChangeStore,
    private readonly days: ReadStoreDayStore,
  ) {}

  onModuleInit(): void {
    if (this.store) this.participants.register(this);
  }

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    const now = Date.now();
    await this.changes.note(tx, changes.flatMap(notedChange), now);
    for (const [projectId, some] of Map.groupBy(changes, ({ scope }) => scope.projectId)) {
      if (some.some(({ type }) => type === 'cleared')) await this.days.forget(tx, projectId);
      const starts = some.flatMap(startsOf).filter((start) => start < now - DAY_MS);
      await this.days.open(tx, projectScope(projectId), starts);
    }
  }
}

/** When the spans of a change start and started; none of those that went with their trace. */
const startsOf = (change: TracingChange): number[] =>
  'after' in change ? [change.before, change.after].flatMap((span) => span?.startedAt ?? []) : [];

function notedChange(change: TracingChange): NotedChange[] {
  const { projectId } = change.scope;
  const traceRow = (id: string): NotedChange => ({ projectId, kind: CHANGE_KIND.traceRow, id, moved: false });
  switch (change.type) {
    case 'trace_created':
    case 'trace_updated':
      return [traceRow(change.trace.id)];
    case 'trace_deleted':
      return [{ projectId, kind: CHANGE_KIND.trace, id: change.trace.id, moved: false }];
    case 'cleared':
      return wholeProject(projectId);
    default: {
      const { before, after } = change;
      const { id } = (after ?? before)!;
      // A trace says what its spans come to.
      const traces = new Set([before, after].flatMap((span) => span?.traceId ?? []));
      const moved =
        after === null ||
        (before !== null && (before.startedAt !== after.startedAt || before.traceId !== after.traceId));
      return [{ projectId, kind: CHANGE_KIND.span, id, moved }, ...[...traces].map(traceRow)];
    }
  }
}
