import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestRejection } from '@spandrel/contract';
import { backoff, type Logger } from '@spandrel/kernel';
import type { IngestAnswer, IngestClient } from './ingest-client.js';
import type { Lane } from './lane.js';
import { reduceItem } from './reduce-item.js';
import type { Spool } from './spool.js';
import type { SpoolItem } from './spool-item.js';

export interface DeliveryOptions {
  /** How long items gather before they are sent. */
  flushMs: number;
  itemsMax?: number;
  bytesMax?: number;
  /** Deliveries of one lane under way. */
  laneParallel?: number;
  /** Deliveries under way. */
  parallel?: number;
  /** First and longest pause while the API cannot be reached. */
  retryMs?: number;
  retryMaxMs?: number;
  /** Pause while the API refuses us. */
  deniedMs?: number;
  /** How long items wait for a key that is not at hand. */
  keylessMs?: number;
  /** The API has refused a caller's credential. */
  onUnauthenticated?: (digest: string) => void;
}

const TOO_LARGE = 'payload_too_large';
const RETRY_AFTER_MS_MAX = 60_000;

/** No timer is set for longer. */
const TIMER_MS_MAX = 3_600_000;

/**
 * Empties the spool into the API: in batches, again and again until each item is taken or known to be unacceptable
 * (docs/spec/gateway.md#delivering-a-callers-recordings). Each lane has its own pace, so that a credential the API
 * refuses or slows down holds up no other's recordings.
 */
export class Delivery {
  /** What the last contact with the API showed; `null` before the first. */
  apiUp: boolean | null = null;
  /** When that was, on the clock of `performance.now()`. */
  contactAt = -Infinity;

  private readonly options: Required<DeliveryOptions>;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private underWay = 0;
  private failures = 0;
  private pausedUntil = 0;
  private closed = false;
  private readonly logged = new Set<string>();
  private idleWaiters: (() => void)[] = [];

  constructor(
    private readonly spool: Spool,
    private readonly client: IngestClient,
    private readonly logger: Logger,
    options: DeliveryOptions,
  ) {
    this.options = {
      itemsMax: 500,
      bytesMax: 4 * 1024 * 1024,
      laneParallel: 2,
      parallel: 8,
      retryMs: 200,
      retryMaxMs: 5_000,
      deniedMs: 10_000,
      keylessMs: 24 * 3_600_000,
      onUnauthenticated: () => undefined,
      ...options,
    };
  }

  /** There is something to deliver in a lane. */
  wake(lane: Lane): void {
    const { pace } = lane;
    if (this.closed || pace.dueAt !== Infinity) return;
    const { flushMs, itemsMax, laneParallel, keylessMs } = this.options;
    const now = performance.now();
    const full = lane.waiting >= itemsMax && pace.underWay < laneParallel;
    pace.dueAt = lane.deliverable ? Math.max(full ? now : now + flushMs, pace.pausedUntil) : now + keylessMs;
    this.schedule(pace.dueAt);
  }

  /** Wakes every lane. */
  wakeAll(): void {
    for (const lane of this.spool.all()) this.wake(lane);
  }

  /** Sends what there is without waiting. @returns true when all was delivered in time. */
  async flush(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const lanes = [...this.spool.all()].filter(({ deliverable }) => deliverable);
      if (lanes.length === 0) break;
      const soon = performance.now() + 100;
      this.pausedUntil = Math.min(this.pausedUntil, soon);
      for (const { pace } of lanes) {
        pace.pausedUntil = Math.min(pace.pausedUntil, soon);
        pace.dueAt = pace.pausedUntil;
      }
      this.pump();
      await Promise.race([this.idle(), sleep(Math.min(50, Math.max(1, deadline - performance.now())))]);
    }
    return this.spool.count === 0;
  }

  close(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private idle(): Promise<void> {
    if (this.underWay === 0) return sleep(1);
    return new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  private schedule(at: number): void {
    if (this.closed || (this.timer && this.timerAt <= at)) return;
    if (this.timer) clearTimeout(this.timer);
    this.timerAt = at;
    const waitMs = Math.min(TIMER_MS_MAX, Math.max(0, at - performance.now()));
    this.timer = setTimeout(() => {
      this.timer = null;
      this.pump();
    }, waitMs).unref();
  }

  /** Begins every delivery that is due and has room; plans the next look. */
  private pump(): void {
    if (this.closed) return;
    const now = performance.now();
    let next = Infinity;
    for (const lane of [...this.spool.all()]) {
      const dueAt = Math.max(lane.pace.dueAt, lane.deliverable ? this.pausedUntil : 0);
      if (dueAt > now) next = Math.min(next, dueAt);
      else if (lane.deliverable) this.serve(lane);
      else this.giveUp(lane);
    }
    if (next !== Infinity) this.schedule(next);
  }

  /** Stays due when there is no room: the end of a delivery looks again. */
  private serve(lane: Lane): void {
    // While the API is down one request at a time asks for it.
    const parallel = this.failures > 0 ? 1 : this.options.parallel;
    const laneParallel = this.failures > 0 ? 1 : this.options.laneParallel;
    if (this.underWay >= parallel || lane.pace.underWay >= laneParallel) return;
    lane.pace.dueAt = Infinity;
    this.spool.toBack(lane);
    while (this.underWay < parallel && lane.pace.underWay < laneParallel) {
      const batch = this.spool.take(lane, this.options.itemsMax, this.options.bytesMax);
      if (batch.length === 0) return;
      void this.deliver(lane, batch);
    }
  }

  private async deliver(lane: Lane, batch: SpoolItem[]): Promise<void> {
    this.underWay++;
    lane.pace.underWay++;
    try {
      await this.sendOrSplit(lane, batch);
    } catch (error) {
      batch.forEach((item) => this.spool.putBack(item));
      pause(lane, this.options.deniedMs);
      this.logger.error({ err: error }, 'delivering recordings failed');
    } finally {
      this.underWay--;
      lane.pace.underWay--;
      this.idleWaiters.splice(0).forEach((resolve) => resolve());
      if (lane.waiting > 0) this.wake(lane);
      if (this.spool.count > 0) this.schedule(performance.now());
    }
  }

  /** Nobody has come with the key that these were recorded under. */
  private giveUp(lane: Lane): void {
    this.logger.warn(
      { recordings: lane.count },
      'recordings of an earlier run are dropped: no caller has sent their key again',
    );
    this.spool.dropLane(lane, 'unauthorized');
  }

  private async sendOrSplit(lane: Lane, items: SpoolItem[]): Promise<void> {
    const batch = items.filter(({ queued }) => queued);
    if (batch.length === 0) return;
    const answer = await this.client.send(batch, lane.caller);
    this.noteContact(lane, answer);
    switch (answer.kind) {
      case 'taken':
        await this.settle(batch, answer.result.rejected);
        return;
      case 'too-large':
      case 'refused':
        await this.split(lane, batch, answer);
        return;
      case 'unauthenticated':
        batch.forEach((item) => this.spool.putBack(item));
        this.refuse(lane);
        return;
      default:
        batch.forEach((item) => this.spool.putBack(item));
    }
  }

  /** Halves a batch the API refuses until the item at fault stands alone; that one is tried once more, cut down. */
  private async split(
    lane: Lane,
    batch: SpoolItem[],
    answer: IngestAnswer & { kind: 'refused' | 'too-large' },
  ): Promise<void> {
    if (batch.length > 1) {
      const half = batch.length >> 1;
      await this.sendOrSplit(lane, batch.slice(0, half));
      await this.sendOrSplit(lane, batch.slice(half));
      return;
    }
    await this.reduceOrDrop(batch[0]!, answer.kind === 'refused' ? answer.message : TOO_LARGE);
  }

  private async reduceOrDrop(item: SpoolItem, message: string): Promise<void> {
    const reduced = await reduceItem(item, message === TOO_LARGE);
    if (reduced !== null) {
      this.spool.replace(item, reduced);
      return;
    }
    this.spool.drop(item, 'rejected');
    this.logOnce(`refused ${message}`, 'the API does not take a recording', { message });
  }

  private async settle(batch: SpoolItem[], rejected: readonly IngestRejection[]): Promise<void> {
    const traceRejections = new Set(
      rejected.filter(({ collection }) => collection === 'traces').map(({ index }) => index),
    );
    const spanRejections = new Map(
      rejected.filter(({ collection }) => collection === 'spans').map((rejection) => [rejection.index, rejection]),
    );
    let traceIndex = 0;
    const toReduce: [SpoolItem, string][] = [];
    batch.forEach((item, index) => {
      const traceRejected = item.trace !== null && traceRejections.has(traceIndex++);
      const rejection = spanRejections.get(index);
      if (rejection === undefined) this.spool.delivered(item);
      // The trace was there when the call began: someone has deleted it since, and the recording with it.
      else if (rejection.code === 'trace_not_found' && item.trace === null) this.spool.drop(item, 'trace_deleted');
      else toReduce.push([item, traceRejected ? `trace: ${rejection.code}` : rejection.code]);
    });
    for (const [item, message] of toReduce) await this.reduceOrDrop(item, message);
  }

  private noteContact(lane: Lane, answer: IngestAnswer): void {
    this.contactAt = performance.now();
    const up = answer.kind !== 'unavailable';
    if (up && this.apiUp === false) this.logger.info('the API is back; delivering recordings');
    this.apiUp = up;
    switch (answer.kind) {
      case 'unavailable':
        this.backOff(lane, answer.message, answer.retryAfterMs);
        return;
      case 'limited':
        pause(lane, Math.max(this.backoffMs(++lane.pace.failures), capped(answer.retryAfterMs ?? 1_000)));
        break;
      case 'denied':
        this.deny(lane, answer.message);
        break;
      default:
        lane.pace.failures = 0;
        lane.pace.pausedUntil = 0;
    }
    this.failures = 0;
    this.pausedUntil = 0;
  }

  private backOff(lane: Lane, message: string, retryAfterMs: number | null): void {
    if (this.failures === 0) {
      this.logger.warn({ reason: message }, 'the API cannot be reached; recordings wait in the spool');
    }
    // Deliveries that fail at once fail together.
    if (performance.now() >= this.pausedUntil) {
      const pauseMs = Math.max(this.backoffMs(++this.failures), capped(retryAfterMs ?? 0));
      this.pausedUntil = performance.now() + pauseMs;
    }
    // What fails by one lane's fault becomes rarer although others get through in between.
    pause(lane, this.backoffMs(++lane.pace.failures));
  }

  private backoffMs(failures: number): number {
    const { retryMs, retryMaxMs } = this.options;
    return backoff(failures, retryMs, retryMaxMs);
  }

  private deny(lane: Lane, message: string): void {
    const whose = lane.caller === null ? 'recordings; check api_url and api_key' : 'recordings of a caller';
    this.logOnce(`denied ${whose} ${message}`, `the API refuses ${whose}`, { message });
    pause(lane, this.options.deniedMs);
  }

  /** The credential is none: a caller's recordings go to nobody else; the gateway's own may be mended by a person. */
  private refuse(lane: Lane): void {
    if (lane.caller === null) {
      this.deny(lane, 'HTTP 401');
      return;
    }
    this.options.onUnauthenticated(lane.caller.digest);
    this.spool.dropLane(lane, 'unauthorized');
  }

  private logOnce(key: string, message: string, fields: Record<string, unknown>): void {
    if (this.logged.has(key) || this.logged.size > 100) return;
    this.logged.add(key);
    this.logger.error(fields, message);
  }
}

function pause({ pace }: Lane, ms: number): void {
  pace.pausedUntil = performance.now() + ms;
  pace.dueAt = Infinity;
}

const capped = (retryAfterMs: number): number => Math.min(retryAfterMs, RETRY_AFTER_MS_MAX);
