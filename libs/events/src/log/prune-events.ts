import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, PeriodicTask, type Logger } from '@spandrel/kernel';
import { EventsSettings } from '../events.settings.js';
import { Storage } from '@spandrel/storage';
import { EventLogStore } from './event-log.store.js';

/** How often the log is pruned: so many times in its retention, within these bounds. */
const TIMES_PER_RETENTION = 24;
const EVERY_MS_MIN = 1_000;
const EVERY_MS_MAX = 3_600_000;
/** The first time, after the start. */
const FIRST_MS_MAX = 5_000;

/** Deletes events that are older than `events.retention_hours` (docs/spec/events.md#how-long-events-are-kept). */
@Injectable()
export class PruneEvents implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly retentionMs: number;
  private readonly task: PeriodicTask;

  constructor(
    { retentionMs }: EventsSettings,
    @Inject(LOGGER) logger: Logger,
    private readonly storage: Storage,
    private readonly log: EventLogStore,
  ) {
    this.retentionMs = retentionMs;
    const everyMs = Math.min(EVERY_MS_MAX, Math.max(EVERY_MS_MIN, this.retentionMs / TIMES_PER_RETENTION));
    this.task = new PeriodicTask({
      everyMs,
      firstMs: Math.min(everyMs, FIRST_MS_MAX),
      task: (stopped) => this.prune(Date.now() - this.retentionMs, stopped),
      failure: 'old events could not be deleted; they will be at the next time',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Deletes what is older than `before`, bit by bit, other writers in between. */
  private async prune(before: number, stopped: AbortSignal): Promise<void> {
    for (let afterId: string | undefined = ''; afterId !== undefined && !stopped.aborted;) {
      const ids = await this.log.expiredProjects(before, afterId);
      if (ids.length === 0) break;
      while (!stopped.aborted && (await this.storage.write((tx) => this.log.prune(tx, ids, before))));
      afterId = ids.at(-1);
    }
  }
}
