import { backoff, type Logger } from '@spandrel/kernel';
import { CallerKey } from '../access/caller-key.js';
import type { KeySeal } from '../access/key-seal.js';
import type { Delivery } from './delivery.js';
import type { RecordingStore } from './recording-store.js';
import type { StoredRecording } from './recordings-file.thread.js';
import { SpoolItem } from './spool-item.js';
import type { Spool } from './spool.js';

export interface RecoverRecordingsParts {
  store: Pick<RecordingStore, 'recover'>;
  spool: Pick<Spool, 'add' | 'all'>;
  delivery: Pick<Delivery, 'wakeAll'>;
  /** Opens callers' keys; `null` without a credential of the gateway's own. */
  seal: KeySeal | null;
  logger: Logger;
  /** First and longest pause before a file that cannot be read is tried again. */
  retryMs?: number;
  retryMaxMs?: number;
}

/** Queues the recordings that a former run left in the spool directory. A file that cannot be read for now is tried again. */
export class RecoverRecordings {
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;
  private underWay = Promise.resolve();
  private stopped = false;
  /** Keys that were opened, by digest and sealed form: a caller has many recordings. */
  private readonly callers = new Map<string, CallerKey>();

  constructor(private readonly parts: RecoverRecordingsParts) {}

  /** Files that cannot be read for now. */
  get unreadableFiles(): number {
    return this.failures > 0 ? 1 : 0;
  }

  /** Tries once, and again until {@link stop} when the file cannot be read. */
  start(): Promise<void> {
    this.underWay = this.recover();
    return this.underWay;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.underWay;
  }

  private async recover(): Promise<void> {
    const { store, spool, logger } = this.parts;
    let recordings = 0;
    try {
      await store.recover((page) => {
        for (const recording of page) spool.add(this.itemOf(recording));
        recordings += page.length;
      });
    } catch (error) {
      this.tryAgain(error);
      return;
    }
    if (this.failures > 0) logger.info('the file of the spool directory has been read');
    this.failures = 0;
    if (recordings > 0) this.announce(recordings);
  }

  private itemOf({ id, digest, sealed, trace, span }: StoredRecording): SpoolItem {
    return new SpoolItem(this.callerOf(digest, sealed), id, trace, span, true);
  }

  private callerOf(digest: string | null, sealed: string | null): CallerKey | null {
    if (digest === null) return null;
    const name = `${digest} ${sealed}`;
    let caller = this.callers.get(name);
    if (!caller) {
      caller = this.parts.seal?.open({ digest, sealed: sealed ?? '' }) ?? new CallerKey(digest, null);
      this.callers.set(name, caller);
    }
    return caller;
  }

  private tryAgain(error: unknown): void {
    const { logger, retryMs = 1_000, retryMaxMs = 300_000 } = this.parts;
    if (this.failures++ === 0) {
      logger.error(
        { err: error },
        'the file of the spool directory cannot be read for now; it stays and is tried again, and recordings are kept in memory',
      );
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.start(), backoff(this.failures, retryMs, retryMaxMs)).unref();
  }

  private announce(recordings: number): void {
    const { logger, spool, delivery } = this.parts;
    logger.info({ recordings }, 'recovered recordings of an earlier run');
    const keyless = [...spool.all()].filter(({ deliverable }) => !deliverable);
    if (keyless.length > 0) {
      logger.warn(
        { recordings: keyless.reduce((sum, { count }) => sum + count, 0), keys: keyless.length },
        'recordings of a former run wait until their callers come back: gateway.api_key is not what sealed their keys',
      );
    }
    delivery.wakeAll();
  }
}
