import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, newId, PeriodicTask, type Logger } from '@spandrel/kernel';
import { failureOf } from './failure-of.js';
import type { RemovalRow } from './removal.entity.js';
import { LeaseLost, RemovalStore } from './removal.store.js';
import { RemovalMetrics } from './removal-metrics.js';
import { RemoveOwned } from './remove-owned.js';
import { EndRemoval } from './end-removal.js';

/** How often removals are looked for that nobody is at. */
const EVERY_MS = 1_000;

/**
 * What was let in before a removal began has written by then: credentials count for half a second, and statements and
 * transactions end within seconds.
 */
const SETTLED_MS = 5_000;
/** How long another server waits after one that failed. */
const AGAIN_MS = 10_000;

/** Takes projects and organizations away that are being deleted, in the background; any number of servers do it together. */
@Injectable()
export class RemovalTask implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;
  private readonly owner = newId();

  constructor(
    private readonly store: RemovalStore,
    private readonly owned: RemoveOwned,
    private readonly end: EndRemoval,
    private readonly metrics: RemovalMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.task = new PeriodicTask({
      everyMs: EVERY_MS,
      task: (stopped) => this.execute(stopped),
      failure: 'deleted projects could not be looked for; they will be at the next time',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  /** Works on removals until none waits. */
  private async execute(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const removal = await this.store.claim(this.owner, Date.now(), this.owned.leaseEnd());
      if (!removal) return;
      await this.work(removal, stopped);
    }
  }

  private async work(removal: RemovalRow, stopped: AbortSignal): Promise<void> {
    const { id, kind, rowsDeleted } = removal;
    try {
      if (removal.finishedAt === null && removal.step === null) this.logger.info({ id, kind }, 'a removal begins');
      else if (removal.finishedAt === null) this.logger.info({ id, kind, rowsDeleted }, 'a removal goes on');
      const since = Date.now();
      const deleted = await this.owned.execute(removal, this.owner, stopped);
      if (stopped.aborted) return await this.store.release(removal, this.owner, 0);
      // Not before a whole look finds nothing that began when nobody could write any more.
      if (deleted > 0 || since < removal.requestedAt + SETTLED_MS) {
        const again = Math.max(since + EVERY_MS, removal.requestedAt + SETTLED_MS);
        return await this.store.releaseWell(removal, this.owner, again, Date.now());
      }
      await this.end.execute(removal, this.owner);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      const failures = removal.failures + 1;
      this.metrics.countFailure();
      this.logger.warn({ err: error, id, kind, failures }, 'a removal could not go on; it will in a while');
      const again = Date.now() + AGAIN_MS;
      await this.store.releaseFailed(removal, this.owner, again, failureOf(error)).catch(() => undefined);
    }
  }
}
