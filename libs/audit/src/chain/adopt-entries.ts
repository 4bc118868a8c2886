import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, PeriodicTask, type Logger } from '@spandrel/kernel';
import { AdoptEntriesStore } from './adopt-entries.store.js';

const EVERY_MS = 3_600_000;
/** The first time, after the start. */
const FIRST_MS = 5_000;

/** Sees to it that every entry is in its chain (`AdoptEntriesStore`). */
@Injectable()
export class AdoptEntries implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: PeriodicTask;

  constructor(store: AdoptEntriesStore, @Inject(LOGGER) logger: Logger) {
    this.task = new PeriodicTask({
      everyMs: EVERY_MS,
      firstMs: FIRST_MS,
      task: async () => {
        const entries = await store.execute();
        if (entries > 0) logger.info({ entries }, 'audit log: entries of an earlier version have joined their chains');
      },
      failure: 'entries of the audit log could not join their chains; they will at the next time',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }
}
