import { type Logger, backoff } from '@spandrel/kernel';
import { KeySeal, CallerKey } from '../access/caller-key.js';
import type { GatewaySettings } from '../gateway.settings.js';
import type { GatewayMetrics, GatewayState } from '../metrics.js';
import type { FinalRecording } from '../recording/build-recording.js';
import type { Call } from '../recording/call.js';
import { Delivery, IngestClient } from './delivery.js';
import { RecordingStore } from './recording-store.js';
import { SpoolItem } from './caller-queue.js';
import { Spool, type DropReason, type SpoolObserver } from './spool.js';
import type { StoredRecording } from './recordings-file.thread.js';

export interface RecordingSpoolParts {
  logger: Logger;
  metrics: GatewayMetrics;
  /** Called when the API has refused a caller's key. @param digest of the key. */
  onUnauthenticated: (digest: string) => void;
}

const NO_KEY = { digest: null, sealed: null };

/** Keeps recordings until the API has them: in the queues of a {@link Spool}, in a file where there is a spool directory. */
export class RecordingSpool implements SpoolObserver {
  readonly queues: Spool;
  readonly ingest: IngestClient;
  readonly delivery: Delivery;
  /** `null` without a credential of the gateway's own. */
  private readonly seal: KeySeal | null;
  /** `null` without a spool directory. */
  private readonly recovery: RecoverRecordings | null;

  /**
   * Opens the spool directory, and queues what a former run left in it.
   * @throws StartError when another program has it.
   */
  static async open(settings: GatewaySettings, parts: RecordingSpoolParts): Promise<RecordingSpool> {
    const { spoolDir, spoolSync } = settings;
    const store =
      spoolDir === null ? null : await RecordingStore.open(spoolDir, spoolSync, parts.logger, parts.metrics);
    const spool = new RecordingSpool(settings, parts, store);
    await spool.recovery?.start();
    return spool;
  }

  private constructor(
    { spoolItems, spoolBytes, apiUrl, apiKey, deliverMs, flushMs }: GatewaySettings,
    private readonly parts: RecordingSpoolParts,
    private readonly store: RecordingStore | null,
  ) {
    const { logger, onUnauthenticated } = parts;
    this.queues = new Spool({ items: spoolItems, bytes: spoolBytes }, this);
    this.ingest = new IngestClient(apiUrl, apiKey, deliverMs);
    this.delivery = new Delivery(this.queues, this.ingest, logger, { flushMs, onUnauthenticated });
    this.seal = apiKey === null ? null : new KeySeal(apiKey);
    const { queues: spool, delivery, seal } = this;
    this.recovery = store && new RecoverRecordings({ store, spool, delivery, seal, logger });
  }

  /** Whether there is a spool directory. */
  get isOnDisk(): boolean {
    return this.store !== null;
  }

  get state(): Omit<GatewayState, 'inFlight'> {
    return {
      spoolItems: this.queues.count,
      spoolBytes: this.queues.bytes,
      spoolUnreadable: this.recovery?.unreadableFiles ?? 0,
      spoolQuarantined: this.store?.quarantinedFiles ?? 0,
    };
  }

  /**
   * Keeps a recording over a crash, in the place of an earlier one of the call; without a spool directory nothing is done.
   * @param onKept called when it is kept, or cannot be.
   */
  keep(call: Call, { trace, span }: FinalRecording, finished: boolean, onKept?: () => void): void {
    const { store, seal } = this;
    if (store === null) {
      onKept?.();
      return;
    }
    const { digest, sealed } = call.caller ? seal!.seal(call.caller) : NO_KEY;
    store.put({ id: call.recordingId, digest, sealed, trace, span, finished }, onKept);
  }

  /** @param former the item of the same call's start, which this one makes superfluous. */
  add(item: SpoolItem, former: SpoolItem | null): void {
    const queue = this.queues.add(item, former);
    if (queue) this.delivery.wake(queue);
  }

  onDelivered(item: SpoolItem): void {
    if (!item.finished) return;
    this.parts.metrics.delivered.inc();
    this.store?.remove(item.id);
  }

  onDropped(item: SpoolItem, reason: DropReason): void {
    this.lose(item.id, reason);
  }

  /** There is, or will be, no recording of a call. @param id of its span. */
  lose(id: string, reason: DropReason): void {
    this.parts.metrics.recordingDropped(reason);
    this.store?.remove(id);
  }

  /** Takes back nothing more of a former run. */
  async stopRecovery(): Promise<void> {
    await this.recovery?.stop();
  }

  /**
   * Delivers what it can. The rest is lost without a spool directory; with one it waits there for the next start.
   * @param untilMs how long, in milliseconds.
   */
  async close(untilMs: number): Promise<void> {
    await this.delivery.flush(untilMs);
    this.delivery.close();
    await this.ingest.close();
    if (this.store) {
      await this.store.close();
      return;
    }
    const lost = this.queues.count;
    this.queues.dropAll('stopped');
    if (lost > 0) this.parts.logger.warn({ recordings: lost }, 'stopped before the API took all recordings');
  }
}

interface RecoverRecordingsParts {
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
