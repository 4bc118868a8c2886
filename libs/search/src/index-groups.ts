import { Inject, Injectable } from '@nestjs/common';
import { Storage, type WriteTx } from '@spandrel/storage';
import { SpanLookups, TraceLookups } from '@spandrel/tracing';
import { clearProject, SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';
import { SearchStateStore } from './search-state.store.js';
import { TASK_KIND } from './search-task.entity.js';
import { SearchTaskStore } from './search-task.store.js';

const SPANS_AT_ONCE = 5_000;

/** Brings the index to what whole traces and projects are now; spans they have are noted, to be done one by one. */
@Injectable()
export class IndexGroups {
  constructor(
    @Inject(SEARCH_INDEX) private readonly configured: ConfiguredIndex | null,
    private readonly storage: Storage,
    private readonly traceLookups: TraceLookups,
    private readonly spans: SpanLookups,
    private readonly tasks: SearchTaskStore,
    private readonly states: SearchStateStore,
  ) {}

  /** Traces that were deleted, or whose tags or session changed. @throws what the index and the database throw. */
  async traces(projectId: string, traceIds: readonly string[], claim: string): Promise<void> {
    const existing = await this.traceLookups.findExisting(projectId, traceIds);
    const gone = traceIds.filter((id) => !existing.has(id));
    if (gone.length > 0) await this.configured!.index.removeTraces({ projectId }, gone);
    await this.storage.write(async (tx) => {
      await this.noteSpansOf(tx, projectId, traceIds);
      await this.tasks.finish(tx, { projectId, claim, kind: TASK_KIND.trace, ids: traceIds });
    });
  }

  /** A project that was cleared; what it has since then is walked through again. @throws as {@link traces}. */
  async project(projectId: string, claim: string, stopped: AbortSignal): Promise<void> {
    const { name, index } = this.configured!;
    // What is left then is another server's to do, or this one's after its start.
    if (!(await clearProject(index, projectId, stopped))) return;
    await this.storage.write(async (tx) => {
      await this.states.restart(tx, projectId, name);
      await this.tasks.finish(tx, { projectId, claim, kind: TASK_KIND.project, ids: [''] });
    });
  }

  private async noteSpansOf(tx: WriteTx, projectId: string, traceIds: readonly string[]): Promise<void> {
    const now = Date.now();
    for (let afterId = ''; ;) {
      const ids = await this.spans.listIdsOfTraces(tx, projectId, traceIds, afterId, SPANS_AT_ONCE);
      await this.tasks.note(
        tx,
        ids.map((id) => ({ projectId, kind: TASK_KIND.span, id })),
        now,
      );
      if (ids.length < SPANS_AT_ONCE) return;
      afterId = ids.at(-1)!;
    }
  }
}
