import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, PeriodicTask, type Logger } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ApiKeyStore } from './api-key.store.js';

/** How exactly the last use of a key is kept. */
const MINUTE_MS = 60_000;
/** How often what was used is written. */
const EVERY_MS = 10_000;
/** Keys of one statement. */
const KEYS_AT_ONCE = 1_000;

/** Keeps when API keys were used last, to the minute: a key costs one write a minute at most, with those of many others. */
@Injectable()
export class NoteKeyUse implements OnApplicationBootstrap, OnModuleDestroy {
  /** The minute that was noted last of a key, the longest ago first. */
  private readonly notedAt = new Map<string, number>();
  private waiting = new Set<string>();
  private readonly task: PeriodicTask;

  constructor(
    private readonly storage: Storage,
    private readonly store: ApiKeyStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.task = new PeriodicTask({
      everyMs: EVERY_MS,
      task: () => this.write(),
      failure: 'the last use of API keys could not be noted; it will be at their next requests',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    await this.write().catch(() => undefined);
  }

  /** Notes that a key is used now; no request waits for that. */
  of(id: string): void {
    const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    if (this.notedAt.get(id) === minute) return;
    this.notedAt.delete(id);
    this.notedAt.set(id, minute);
    this.waiting.add(id);
    this.forgetBefore(minute);
  }

  /** Writes what was used since the last time. */
  async write(): Promise<void> {
    const used = [...this.waiting].toSorted();
    this.waiting = new Set();
    for (const [minute, ids] of Map.groupBy(used, (id) => this.notedAt.get(id) ?? 0)) {
      for (let from = 0; from < ids.length; from += KEYS_AT_ONCE) {
        await this.writeSome(ids.slice(from, from + KEYS_AT_ONCE), minute);
      }
    }
  }

  private async writeSome(ids: readonly string[], minute: number): Promise<void> {
    try {
      await this.storage.write((tx) => this.store.use(tx, ids, minute));
    } catch (error) {
      for (const id of ids) this.notedAt.delete(id);
      throw error;
    }
  }

  private forgetBefore(minute: number): void {
    for (const [id, noted] of this.notedAt) {
      if (noted >= minute) return;
      if (!this.waiting.has(id)) this.notedAt.delete(id);
    }
  }
}
