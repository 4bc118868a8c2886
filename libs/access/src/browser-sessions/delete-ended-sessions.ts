import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, PeriodicTask, type Logger } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { BrowserSessionStore } from './browser-session.store.js';
import { UNUSED_MS_MAX } from './session-cookie.js';

const EVERY_MS = 3_600_000;
/** The first time, after the start. */
const FIRST_MS = 10_000;

/** Deletes sessions that have ended, which nothing can bring back. */
@Injectable()
export class DeleteEndedSessions implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: PeriodicTask;

  constructor(
    private readonly storage: Storage,
    private readonly store: BrowserSessionStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.task = new PeriodicTask({
      everyMs: EVERY_MS,
      firstMs: FIRST_MS,
      task: () => this.execute(Date.now()),
      failure: 'sessions that have ended could not be deleted; they will be at the next time',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Deletes what has ended at a time, in milliseconds since the epoch. */
  async execute(now: number): Promise<void> {
    await this.storage.write((tx) => this.store.deleteEnded(tx, now, now - UNUSED_MS_MAX));
  }
}
