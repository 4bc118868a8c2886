import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CoreSettings, LOGGER, type Logger, newId, PeriodicTask, Unavailable } from '@spandrel/kernel';
import { ProjectRemovers, Storage } from '@spandrel/storage';
import { Backfill } from './backfill.js';
import { clearSomeOfProject, SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';
import { IndexGroups } from './index-groups.js';
import { IndexSpans } from './index-spans.js';
import { SearchStateStore } from './search-state.store.js';
import { TASK_KIND, type SearchTaskRow } from './search-task.entity.js';
import { SearchTaskStore } from './search-task.store.js';

/** Tasks taken in one go: one call for vectors, one for the index. */
const TASKS_AT_ONCE = 100;
/** How long tasks are held; those of an instance that ended are done by another after it. */
const HELD_MS = 120_000;
/** What a wake-up waits for more: the spans of many commits become one call. */
const GATHER_MS = 50;
/** How often tasks are looked for unasked: those put off, and those of other instances. */
const POLL_MS = 5_000;
/** Pauses while the index or the database cannot be used. */
const PAUSES_MS = { first: 500, longest: 30_000 };

/** Keeps the index up with the spans, in the background; any number of instances do it together. */
@Injectable()
export class SearchWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly worker: PeriodicTask;

  constructor(
    @Inject(SEARCH_INDEX) private readonly configured: ConfiguredIndex | null,
    private readonly core: CoreSettings,
    @Inject(LOGGER) logger: Logger,
    private readonly storage: Storage,
    private readonly tasks: SearchTaskStore,
    private readonly states: SearchStateStore,
    private readonly backfill: Backfill,
    private readonly spans: IndexSpans,
    private readonly groups: IndexGroups,
    removers: ProjectRemovers,
  ) {
    this.worker = new PeriodicTask({
      everyMs: POLL_MS,
      firstMs: 0,
      gatherMs: GATHER_MS,
      task: (stopped) => this.doDue(Date.now, stopped),
      failure: (error) =>
        `${error instanceof Unavailable ? 'the database' : 'the search index'} cannot be used; spans are indexed later`,
      recovery: 'the search index is up to date again',
      pausesMs: PAUSES_MS,
      logger,
    });
    const index = this.configured?.index;
    if (index) removers.register({ name: 'search index', remove: (id) => clearSomeOfProject(index, id) });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.configured) {
      // What happens from now on is not noted: an index that comes later begins from the start.
      if (this.core.mode === 'cloud') await this.forgetAll();
      return;
    }
    await this.backfill.begin();
    this.worker.start();
  }

  /** Stops once the call under way has ended; what is left is done after the next start, or by others. */
  async onApplicationShutdown(): Promise<void> {
    if (!this.configured) return;
    await this.worker.stop();
    await this.configured.index.close();
  }

  /** Has due tasks done soon. */
  wake(): void {
    this.worker.hurry();
  }

  /**
   * Does all tasks that are due, and hands over spans that were there before.
   * @param now epoch ms; tasks due later are left.
   * @throws Unavailable when the database cannot be used, and what the index throws when it cannot be; the tasks stay.
   */
  async doDue(now: () => number = Date.now, stopped: AbortSignal = new AbortController().signal): Promise<void> {
    while (!stopped.aborted) {
      const at = now();
      const claim = newId();
      const batch = await this.storage.write((tx) =>
        this.tasks.claim(tx, { now: at, until: at + HELD_MS, claim, limit: TASKS_AT_ONCE }),
      );
      if (batch.length > 0) await this.doBatch(claim, batch, now, stopped);
      // Where spans always come something is always due: those that were there before have what room is left.
      if (batch.length < TASKS_AT_ONCE && !(await this.backfill.step()) && batch.length === 0) return;
    }
  }

  private async doBatch(
    claim: string,
    batch: readonly SearchTaskRow[],
    now: () => number,
    stopped: AbortSignal,
  ): Promise<void> {
    const byProject = Map.groupBy(batch, ({ projectId }) => projectId);
    try {
      // At once: an endpoint for vectors that is slow holds up its own project alone.
      const done = await Promise.allSettled(
        [...byProject].map(([projectId, tasks]) => this.doProject(claim, projectId, tasks, now, stopped)),
      );
      const failed = done.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    } catch (error) {
      // Others may do it meanwhile, and so will this one.
      const projects = [...byProject.keys()];
      await this.storage.write((tx) => this.tasks.releaseAll(tx, claim, projects, now())).catch(() => undefined);
      throw error;
    }
  }

  private async doProject(
    claim: string,
    projectId: string,
    tasks: readonly SearchTaskRow[],
    now: () => number,
    stopped: AbortSignal,
  ): Promise<void> {
    const ids = (kind: number, texted?: number): string[] =>
      tasks.filter((task) => task.kind === kind && (texted ?? task.texted) === task.texted).map(({ id }) => id);
    if (ids(TASK_KIND.project).length > 0) await this.groups.project(projectId, claim, stopped);
    const traces = ids(TASK_KIND.trace);
    if (traces.length > 0) await this.groups.traces(projectId, traces, claim);
    const spans = { fresh: ids(TASK_KIND.span, 0), texted: ids(TASK_KIND.span, 1) };
    if (spans.fresh.length + spans.texted.length === 0) return;
    await this.spans.execute({ projectId, claim, ...spans }, now, stopped);
  }

  private async forgetAll(): Promise<void> {
    await this.storage.write(async (tx) => {
      await this.tasks.deleteAll(tx);
      await this.states.deleteAll(tx);
    });
  }
}
