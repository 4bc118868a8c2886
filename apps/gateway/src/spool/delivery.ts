import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestRejection } from '@spandrel/contract';
import type { Logger } from '@spandrel/kernel';
import type { IngestAnswer, IngestClient } from './ingest-client.js';
import { reduceItem } from './reduce-item.js';
import type { Spool } from './spool.js';
import type { SpoolItem } from './spool-item.js';

export interface DeliveryOptions {
  /** How long items gather before they are sent. */
  flushMs: number;
  itemsMax?: number;
  bytesMax?: number;
  parallel?: number;
  /** First and longest pause while the API cannot be reached. */
  retryMs?: number;
  retryMaxMs?: number;
  /** Pause while the API refuses us. */
  deniedMs?: number;
}

const TOO_LARGE = 'payload_too_large';

/** Empties the spool into the API: in batches, again and again until each item is taken or known to be unacceptable. */
export class Delivery {
  /** What the last contact with the API showed; `null` before the first. */
  apiUp: boolean | null = null;
  /** When that was, on the clock of `performance.now()`. */
  contactAt = -Infinity;

  private readonly options: Required<DeliveryOptions>;
  private timer: NodeJS.Timeout | null = null;
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
      parallel: 2,
      retryMs: 200,
      retryMaxMs: 5_000,
      deniedMs: 10_000,
      ...options,
    };
  }

  /** There is something to deliver. */
  wake(): void {
    if (this.closed || this.timer) return;
    if (
      this.spool.waiting >= this.options.itemsMax &&
      this.underWay < this.options.parallel &&
      performance.now() >= this.pausedUntil
    ) {
      this.pump();
      return;
    }
    const waitMs = Math.max(this.options.flushMs, this.pausedUntil - performance.now());
    this.timer = setTimeout(() => {
      this.timer = null;
      this.pump();
    }, waitMs).unref();
  }

  /** Sends what there is without waiting. @returns true when all was delivered in time. */
  async flush(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (this.spool.count > 0 && performance.now() < deadline) {
      this.pausedUntil = Math.min(this.pausedUntil, performance.now() + 100);
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

  private pump(): void {
    if (this.closed || performance.now() < this.pausedUntil) {
      if (this.spool.count > 0) this.wake();
      return;
    }
    // While the API is down one request at a time asks for it.
    const parallel = this.failures > 0 ? 1 : this.options.parallel;
    while (this.underWay < parallel) {
      const batch = this.spool.take(this.options.itemsMax, this.options.bytesMax);
      if (batch.length === 0) return;
      void this.deliver(batch);
    }
  }

  private async deliver(batch: SpoolItem[]): Promise<void> {
    this.underWay++;
    try {
      await this.sendOrSplit(batch);
    } catch (error) {
      batch.forEach((item) => this.spool.putBack(item));
      this.pause(this.options.deniedMs);
      this.logger.error({ err: error }, 'delivering recordings failed');
    } finally {
      this.underWay--;
      this.idleWaiters.splice(0).forEach((resolve) => resolve());
      if (this.spool.count > 0) this.wake();
    }
  }

  private async sendOrSplit(batch: SpoolItem[]): Promise<void> {
    const answer = await this.client.send(batch);
    this.noteContact(answer);
    switch (answer.kind) {
      case 'taken':
        this.settle(batch, answer.result.rejected);
        return;
      case 'too-large':
      case 'refused':
        await this.split(batch, answer);
        return;
      default:
        batch.forEach((item) => this.spool.putBack(item));
    }
  }

  /** Halves a batch the API refuses until the item at fault stands alone; that one is tried once more, cut down. */
  private async split(batch: SpoolItem[], answer: IngestAnswer & { kind: 'refused' | 'too-large' }): Promise<void> {
    if (batch.length > 1) {
      const half = batch.length >> 1;
      await this.sendOrSplit(batch.slice(0, half));
      await this.sendOrSplit(batch.slice(half));
      return;
    }
    this.reduceOrDrop(batch[0]!, answer.kind === 'refused' ? answer.message : TOO_LARGE);
  }

  private reduceOrDrop(item: SpoolItem, message: string): void {
    const reduced = reduceItem(item, message === TOO_LARGE);
    if (reduced !== null) {
      this.spool.replace(item, reduced);
      return;
    }
    this.spool.drop(item, 'rejected');
    this.logOnce(`refused ${message}`, 'the API does not take a recording', { message });
  }

  private settle(batch: SpoolItem[], rejected: readonly IngestRejection[]): void {
    const traceRejections = new Set(
      rejected.filter(({ collection }) => collection === 'traces').map(({ index }) => index),
    );
    const spanRejections = new Map(
      rejected.filter(({ collection }) => collection === 'spans').map((rejection) => [rejection.index, rejection]),
    );
    let traceIndex = 0;
    batch.forEach((item, index) => {
      const traceRejected = item.trace !== null && traceRejections.has(traceIndex++);
      const rejection = spanRejections.get(index);
      if (rejection === undefined) this.spool.delivered(item);
      // The trace was there when the call began: someone has deleted it since, and the recording with it.
      else if (rejection.code === 'trace_not_found' && item.trace === null) this.spool.drop(item, 'trace_deleted');
      else this.reduceOrDrop(item, traceRejected ? `trace: ${rejection.code}` : rejection.code);
    });
  }

  private noteContact(answer: IngestAnswer): void {
    this.contactAt = performance.now();
    const up = answer.kind !== 'unavailable';
    if (up && this.apiUp === false) this.logger.info('the API is back; delivering recordings');
    if (answer.kind === 'unavailable') {
      if (this.apiUp !== false)
        this.logger.warn({ reason: answer.message }, 'the API cannot be reached; recordings wait in the spool');
      const { retryMs, retryMaxMs } = this.options;
      const backoffMs = Math.min(retryMaxMs, retryMs * 2 ** this.failures) * (0.5 + Math.random() / 2);
      this.failures = Math.min(this.failures + 1, 20);
      this.pause(Math.max(backoffMs, Math.min(answer.retryAfterMs ?? 0, 60_000)));
    } else if (answer.kind === 'denied') {
      this.failures = Math.max(1, this.failures);
      this.logOnce(`denied ${answer.message}`, 'the API refuses recordings; check api_url and api_key', {
        message: answer.message,
      });
      this.pause(this.options.deniedMs);
    } else {
      this.failures = 0;
      this.pausedUntil = 0;
    }
    this.apiUp = up;
  }

  private pause(ms: number): void {
    this.pausedUntil = performance.now() + ms;
  }

  private logOnce(key: string, message: string, fields: Record<string, unknown>): void {
    if (this.logged.has(key) || this.logged.size > 100) return;
    this.logged.add(key);
    this.logger.error(fields, message);
  }
}
