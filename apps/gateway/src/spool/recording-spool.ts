import type { Logger } from '@spandrel/kernel';
import { KeySeal } from '../access/key-seal.js';
import type { GatewaySettings } from '../gateway.settings.js';
import type { GatewayMetrics, GatewayState } from '../metrics.js';
import type { FinalRecording } from '../recording/build-recording.js';
import type { Call } from '../recording/call.js';
import type { RecordingSink } from '../recording/recorder.js';
import { Delivery } from './delivery.js';
import { IngestClient } from './ingest-client.js';
import { RecordingStore } from './recording-store.js';
import { RecoverRecordings } from './recover-recordings.js';
import type { SpoolItem } from './spool-item.js';
import { Spool, type DropReason, type SpoolObserver } from './spool.js';

export interface RecordingSpoolParts {
  logger: Logger;
  metrics: GatewayMetrics;
  /** Called when the API has refused a caller's key. @param digest of the key. */
  onUnauthenticated: (digest: string) => void;
}

const NO_KEY = { digest: null, sealed: null };

/** Keeps recordings until the API has them: in the queues of a {@link Spool}, in a file where there is a spool directory. */
export class RecordingSpool implements RecordingSink, SpoolObserver {
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

  keep(call: Call, { trace, span }: FinalRecording, finished: boolean, onKept?: () => void): void {
    const { store, seal } = this;
    if (store === null) {
      onKept?.();
      return;
    }
    const { digest, sealed } = call.caller ? seal!.seal(call.caller) : NO_KEY;
    store.put({ id: call.recordingId, digest, sealed, trace, span, finished }, onKept);
  }

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
