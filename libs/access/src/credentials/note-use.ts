import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundTasks, type PeriodicTask } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { BrowserSessionStore } from '../browser-sessions/browser-session.store.js';
import { ApiKeyStore } from './credential.store.js';

/** How exactly the last use is kept. */
const MINUTE_MS = 60_000;
const ROWS_AT_ONCE = 1_000;

type UseStore = Pick<ApiKeyStore, 'use'>;

/** Keeps when API keys and sessions were used last, to the minute, many in a write. */
@Injectable()
export class NoteUse implements OnModuleDestroy {
  /** The minute that was noted last of an id, the longest ago first. */
  private readonly notedAt = new Map<string, number>();
  private waiting = new Map<string, UseStore>();
  private readonly task: PeriodicTask;

  constructor(
    private readonly storage: Storage,
    private readonly keys: ApiKeyStore,
    private readonly sessions: BrowserSessionStore,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      everyMs: 10_000,
      task: () => this.write(),
      failure: 'the last use of API keys and sessions could not be noted; it will be at their next requests',
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    await this.write().catch(() => undefined);
  }

  /** Notes that a key is used now; no request waits for that. */
  ofKey(id: string): void {
    this.note(id, this.keys);
  }

  /** Notes that a session is used now, soon: it ends for want of use. */
  ofSession(id: string): void {
    if (this.note(id, this.sessions)) this.task.hurry();
  }

  /** Writes what was used since the last time. */
  async write(): Promise<void> {
    const used = [...this.waiting].toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.waiting = new Map();
    for (const [store, some] of Map.groupBy(used, ([, ofStore]) => ofStore)) {
      const ids = some.map(([id]) => id);
      for (const [minute, ofMinute] of Map.groupBy(ids, (id) => this.notedAt.get(id) ?? 0)) {
        for (let from = 0; from < ofMinute.length; from += ROWS_AT_ONCE) {
          await this.writeSome(store, ofMinute.slice(from, from + ROWS_AT_ONCE), minute);
        }
      }
    }
  }

  /** @returns whether that is new in this minute. */
  private note(id: string, store: UseStore): boolean {
    const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    if (this.notedAt.get(id) === minute) return false;
    this.notedAt.delete(id);
    this.notedAt.set(id, minute);
    this.waiting.set(id, store);
    for (const [other, noted] of this.notedAt) {
      if (noted >= minute) break;
      if (!this.waiting.has(other)) this.notedAt.delete(other);
    }
    return true;
  }

  private async writeSome(store: UseStore, ids: readonly string[], minute: number): Promise<void> {
    try {
      await this.storage.write((tx) => store.use(tx, ids, minute));
    } catch (error) {
      for (const id of ids) this.notedAt.delete(id);
      throw error;
    }
  }
}
