import { Inject, Injectable } from '@nestjs/common';
import { Storage } from '@spandrel/storage';
import { SpanLookups, TraceLookups } from '@spandrel/tracing';
import { SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';
import { FINDS_PROJECTS, SearchStateStore } from './search-state.store.js';
import { TASK_KIND } from './search-task.entity.js';
import { SearchTaskStore } from './search-task.store.js';

/** Spans noted in one go: few, so that what happens now does not wait for what happened long ago. */
const SPANS_AT_ONCE = 500;

/** Hands spans that were there before the index to it, project by project, a few whenever nothing else is to be done. */
@Injectable()
export class Backfill {
  constructor(
    @Inject(SEARCH_INDEX) private readonly configured: ConfiguredIndex | null,
    private readonly storage: Storage,
    private readonly states: SearchStateStore,
    private readonly traces: TraceLookups,
    private readonly spans: SpanLookups,
    private readonly tasks: SearchTaskStore,
  ) {}

  /** Begins with a new index; goes on with the one of the last start. */
  begin(): Promise<void> {
    return this.storage.write((tx) => this.states.begin(tx, this.configured!.name));
  }

  /** Notes the next spans. @returns whether there may be more. @throws Unavailable */
  step(): Promise<boolean> {
    const { name: indexName } = this.configured!;
    return this.storage.write(async (tx) => {
      const state = await this.states.unfinished(tx);
      if (!state) return false;
      const { projectId, afterId } = state;
      if (projectId === FINDS_PROJECTS) {
        const next = await this.traces.findProjectBehind(tx, afterId!);
        await this.states.save(tx, { ...state, afterId: next });
        if (next !== null) await this.states.restart(tx, next, indexName);
        return true;
      }
      const ids = await this.spans.listIds(tx, projectId, afterId!, SPANS_AT_ONCE);
      await this.tasks.noteMissing(
        tx,
        ids.map((id) => ({ projectId, kind: TASK_KIND.span, id })),
        Date.now(),
      );
      await this.states.save(tx, { ...state, afterId: ids.length < SPANS_AT_ONCE ? null : ids.at(-1)! });
      return true;
    });
  }
}
