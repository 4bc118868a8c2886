import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import { SpanCommitParticipants, type SpanCommitParticipant, type TracingChange } from '@spandrel/tracing';
import { SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';
import { TASK_KIND } from './search-task.entity.js';
import { SearchTaskStore, type TaskKey } from './search-task.store.js';
import { SearchWorker } from './search-worker.js';

/** Notes in the transaction of a change what the search index has to hear of. A running span is not searched for. */
@Injectable()
export class NoteChanges implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'search';

  constructor(
    @Inject(SEARCH_INDEX) private readonly configured: ConfiguredIndex | null,
    private readonly participants: SpanCommitParticipants,
    private readonly tasks: SearchTaskStore,
    private readonly worker: SearchWorker,
  ) {}

  onModuleInit(): void {
    if (this.configured) this.participants.register(this);
  }

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    const keys: TaskKey[] = [];
    for (const change of changes) {
      const { projectId } = change.scope;
      if (change.type === 'cleared') await this.tasks.deleteOfProject(tx, projectId);
      const key = keyOf(change);
      if (key) keys.push({ projectId, ...key });
    }
    if (keys.length > 0) await this.tasks.note(tx, keys, Date.now());
  }

  afterCommit(changes: readonly TracingChange[]): void {
    if (changes.some((change) => keyOf(change) !== undefined)) this.worker.wake();
  }
}

function keyOf(change: TracingChange): Omit<TaskKey, 'projectId'> | undefined {
  switch (change.type) {
    case 'span_completed':
    case 'span_failed':
    case 'span_corrected':
      return { kind: TASK_KIND.span, id: change.after.id };
    case 'span_deleted':
      return { kind: TASK_KIND.span, id: change.before.id };
    case 'trace_deleted':
      return { kind: TASK_KIND.trace, id: change.trace.id };
    case 'trace_updated': {
      const { before, trace } = change;
      const same = before.tags === trace.tags && before.sessionId === trace.sessionId;
      return same || trace.spanCount === 0 ? undefined : { kind: TASK_KIND.trace, id: trace.id };
    }
    case 'cleared':
      return { kind: TASK_KIND.project, id: '' };
    default:
      return undefined;
  }
}
