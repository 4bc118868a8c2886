import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, PeriodicTask, Unavailable, type Logger, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { Storage } from '@spandrel/storage';
import type { DatasetImportRow } from '../datapoint.entity.js';
import { DatapointStore } from '../datapoint.store.js';
import { DatasetStore } from '../dataset.store.js';
import { FinishImports } from './finish-imports.js';
import { ImportStore } from './import.store.js';
import { StagedImport, type OnPublished } from './staged-import.js';

/** How often imports are looked for whose process has died. */
const SWEEP_MS = 30_000;

/** Sees to it that every import comes to its end, whatever happens to the process that began it. */
@Injectable()
export class ImportUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private readonly own = new Set<string>();
  private readonly tasks = new Set<Promise<unknown>>();
  private readonly sweeps: PeriodicTask;

  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly imports: ImportStore,
    private readonly masking: ProjectMasking,
    private readonly finishes: FinishImports,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // Where nobody else uses the database, no lease of a process before this one is worth waiting for.
    let at = (): number => (storage.exclusive ? Number.MAX_SAFE_INTEGER : Date.now());
    this.sweeps = new PeriodicTask({
      everyMs: SWEEP_MS,
      firstMs: 0,
      task: async () => {
        await this.sweep(at());
        at = Date.now;
      },
      failure: 'unfinished imports could not be looked up; trying again soon',
      logger,
    });
  }

  /** Fires when the process stops, with the error to answer. */
  get stopping(): AbortSignal {
    return this.stop.signal;
  }

  onApplicationBootstrap(): void {
    this.sweeps.start();
  }

  /** Gives up what is under way: the next process, or another one, takes it up. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new Unavailable('the service is stopping; send the request again'));
    await this.sweeps.stop();
    while (this.tasks.size > 0) await Promise.allSettled(this.tasks);
  }

  /** An import that nothing is written of so far. @param published as {@link StagedImport} has it. */
  begin(scope: Scope, datasetId: string, published?: OnPublished): StagedImport {
    const { storage, datasets, datapoints, imports, masking } = this;
    return new StagedImport({ storage, datasets, datapoints, imports, masking }, scope, datasetId, published);
  }

  /**
   * Runs an import to its end: what `fill` writes becomes visible at once when it is through, and is taken back when it
   * throws. The stop waits for it; it is left alone by sweeps.
   * @throws what `fill` throws, and like {@link StagedImport.publish}.
   */
  async run(staged: StagedImport, fill: () => Promise<void>): Promise<void> {
    this.own.add(staged.id);
    await this.track(this.complete(staged, fill));
  }

  private async complete(staged: StagedImport, fill: () => Promise<void>): Promise<void> {
    try {
      await fill();
      if (staged.size > 0) await staged.publish();
    } finally {
      // Events of a published one and the removal of any other follow in the background.
      if (staged.held) void this.track(this.finish(staged.held, staged.lastId));
      else this.own.delete(staged.id);
    }
  }

  private async sweep(at: number): Promise<void> {
    for (const abandoned of await this.imports.abandoned(at)) {
      if (this.stopping.aborted) return;
      if (this.own.has(abandoned.id)) continue;
      const held = await this.finishes.claim(abandoned);
      if (held) await this.finish(held);
    }
  }

  private async finish(held: DatasetImportRow, lastId?: string): Promise<void> {
    this.own.add(held.id);
    try {
      await this.finishes.finish(held, this.stopping, lastId);
    } catch (error) {
      this.logger.warn({ err: error, import_id: held.id }, 'an import cannot be finished; trying again soon');
    } finally {
      this.own.delete(held.id);
    }
  }

  private async track<T>(task: Promise<T>): Promise<T> {
    this.tasks.add(task);
    try {
      return await task;
    } finally {
      this.tasks.delete(task);
    }
  }
}
