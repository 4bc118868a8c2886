import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { BrowserSessionStore } from './browser-session.store.js';
import { USE_NOTED_MS } from './session-cookie.js';

/** Keeps when sessions were used, to the minute; no request waits for that. */
@Injectable()
export class NoteUse {
  /** When the use of a session was noted last, the longest ago first. */
  private readonly notedAt = new Map<string, number>();

  constructor(
    private readonly storage: Storage,
    private readonly store: BrowserSessionStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Notes that a session is used now. */
  of(id: string): void {
    const now = Date.now();
    this.forgetBefore(now - USE_NOTED_MS);
    if (this.notedAt.has(id)) return;
    this.notedAt.set(id, now);
    this.storage
      .write((tx) => this.store.use(tx, id, now))
      .catch((error: unknown) => {
        this.notedAt.delete(id);
        this.logger.warn({ err: error }, 'the use of a session could not be noted; it will be at its next request');
      });
  }

  private forgetBefore(time: number): void {
    for (const [id, at] of this.notedAt) {
      if (at > time) return;
      this.notedAt.delete(id);
    }
  }
}
