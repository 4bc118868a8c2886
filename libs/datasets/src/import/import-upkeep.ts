import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, PeriodicTask, Unavailable, type Logger, type Scope, projectScope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { Storage, limitBySize } from '@spandrel/storage';
import { ChangeDatapoints } from '../change-datapoints.js';
import type { DatasetImportRow } from '../datapoint.entity.js';
import { DatapointStore } from '../datapoint.store.js';
import { DatasetStore } from '../dataset.store.js';
import { ImportStore } from './import.store.js';
import { StagedImport, type OnPublished, leaseUntil } from './staged-import.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainEvents } from '@spandrel/events';
import { datapointCreated } from '../datapoint-resource.js';

/** How often imports are looked for whose process has died. */
const SWEEP_MS = 30_000;

/** How many datapoints one transaction announces or takes back. */
const DATAPOINTS_AT_ONCE = 256;
const BYTES_AT_ONCE = 1024 * 1024;

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
    private readonly changes: ChangeDatapoints,
    private readonly events: DomainEvents,
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
    const { storage, datasets, datapoints, imports, masking, changes } = this;
    return new StagedImport({ storage, datasets, datapoints, imports, masking, changes }, scope, datasetId, published);
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
      await staged.publish();
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
      const held = { ...abandoned, leaseUntil: leaseUntil() };
      const isClaimed = await this.storage.write((tx) => this.imports.replace(tx, abandoned, held));
      if (isClaimed) await this.finish(held);
    }
  }

  private async finish(held: DatasetImportRow, lastId?: string): Promise<void> {
    this.own.add(held.id);
    try {
      await this.finishHeld(held, lastId);
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

  /** Lets others take an import at once. */
  private async release(held: DatasetImportRow): Promise<void> {
    await this.storage.write((tx) => this.imports.replace(tx, held, { ...held, leaseUntil: 0 }));
  }

  /**
   * Finishes an import: deletes the datapoints of an unpublished one, emits events for those of a published one.
   * @param lastId id of the last datapoint, when that is known.
   */
  private async finishHeld(import_: DatasetImportRow, lastId?: string): Promise<void> {
    const isPublished = import_.publishedVersion !== null;
    let held: DatasetImportRow | undefined = import_;
    let afterId = held.announcedThrough ?? held.id;
    while (held && !(lastId !== undefined && afterId >= lastId)) {
      const { projectId, datasetId } = held;
      const ids = await this.imports.ids(projectScope(projectId), datasetId, afterId, DATAPOINTS_AT_ONCE);
      const some = limitBySize(ids, BYTES_AT_ONCE);
      const throughId = some.at(-1)?.id;
      if (throughId === undefined) break;
      if (some.some(({ importId }) => importId === import_.id)) {
        if (this.stopping.aborted) return this.release(held);
        held = isPublished
          ? await this.emitCreated(held, afterId, throughId)
          : await this.takeBack(held, afterId, throughId);
      }
      afterId = throughId;
      await nextTurn();
    }
    const last = held;
    if (last === undefined) return;
    await this.storage.write((tx) =>
      isPublished ? this.imports.replace(tx, last, { ...last, unfinished: 0 }) : this.imports.delete(tx, last),
    );
  }

  /** Emits `datapoint_created` for datapoints that are still there; an earlier change has emitted its own event. */
  private emitCreated(
    held: DatasetImportRow,
    afterId: string,
    throughId: string,
  ): Promise<DatasetImportRow | undefined> {
    const scope = projectScope(held.projectId);
    const after = { ...held, announcedThrough: throughId, leaseUntil: leaseUntil() };
    return this.storage.write(async (tx) => {
      // Changes of datapoints lock the dataset too, so exactly one of the two emits the event.
      await this.datasets.findForWrite(tx, scope, held.datasetId);
      if (!(await this.imports.replace(tx, held, after))) return undefined;
      const rows = await this.imports.datapoints(tx, held, afterId, throughId);
      await this.events.emitWire(tx, scope, rows.map(datapointCreated));
      return after;
    });
  }

  private takeBack(held: DatasetImportRow, afterId: string, throughId: string): Promise<DatasetImportRow | undefined> {
    const after = { ...held, leaseUntil: leaseUntil() };
    return this.storage.write(async (tx) => {
      if (!(await this.imports.replace(tx, held, after))) return undefined;
      await this.imports.deleteDatapoints(tx, held, afterId, throughId);
      return after;
    });
  }
}
