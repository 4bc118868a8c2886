import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@spandrel/kernel';
import { BatchSender, type BatchSenderObserver, type IngestAnswer, type IngestClient } from './batch-sender.js';
import { type CallerQueue, type SpoolItem, CircuitBreaker, type RetryOptions } from './caller-queue.js';
import type { Spool } from './spool.js';

export interface DeliveryOptions extends Partial<RetryOptions> {
  /** How long items gather before they are sent. */
  flushMs: number;
  itemsMax?: number;
  bytesMax?: number;
  /** Deliveries of one queue under way. */
  queueParallel?: number;
  /** Deliveries under way. */
  parallel?: number;
  /** Pause while the API refuses us. */
  deniedMs?: number;
  /** How long items wait for a key that is not at hand. */
  keylessMs?: number;
  /** The API has refused a caller's credential. */
  onUnauthenticated?: (digest: string) => void;
}

/** No timer is set for longer. */
const TIMER_MS_MAX = 3_600_000;

/**
 * Empties the spool into the API: in batches, again and again until each item is taken or known to be unacceptable
 * (docs/spec/gateway.md#delivering-a-callers-recordings). Each {@link CallerQueue} has a retry schedule of its own, so that a
 * credential that the API refuses or slows down holds up no other's recordings; a {@link CircuitBreaker} holds all of them back
 * while the API is away.
 */
export class Delivery implements BatchSenderObserver {
  /** What the last contact with the API showed; `null` before the first. */
  apiUp: boolean | null = null;
  /** When that was, on the clock of `performance.now()`. */
  contactAt = -Infinity;

  private readonly options: Required<DeliveryOptions>;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private underWay = 0;
  private readonly breaker: CircuitBreaker;
  private readonly sender: BatchSender;
  private closed = false;
  private readonly logged = new Set<string>();
  private idleWaiters: (() => void)[] = [];

  constructor(
    private readonly spool: Spool,
    client: IngestClient,
    private readonly logger: Logger,
    options: DeliveryOptions,
  ) {
    this.options = {
      itemsMax: 500,
      bytesMax: 4 * 1024 * 1024,
      queueParallel: 2,
      parallel: 8,
      retryMs: 200,
      retryMaxMs: 5_000,
      deniedMs: 10_000,
      keylessMs: 24 * 3_600_000,
      onUnauthenticated: () => undefined,
      ...options,
    };
    this.breaker = new CircuitBreaker(this.options);
    this.sender = new BatchSender(spool, client, this);
  }

  /** There is something to deliver in a queue. */
  wake(queue: CallerQueue): void {
    const { schedule } = queue;
    if (this.closed || schedule.dueAt !== Infinity) return;
    const { flushMs, itemsMax, queueParallel, keylessMs } = this.options;
    const now = performance.now();
    const full = queue.waiting >= itemsMax && queue.deliveriesUnderWay < queueParallel;
    schedule.dueAt = queue.deliverable ? Math.max(full ? now : now + flushMs, schedule.pausedUntil) : now + keylessMs;
    this.planAt(schedule.dueAt);
  }

  /** Wakes every queue. */
  wakeAll(): void {
    for (const queue of this.spool.all()) this.wake(queue);
  }

  /** Sends what there is without waiting. @returns true when all was delivered in time. */
  async flush(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const queues = [...this.spool.all()].filter(({ deliverable }) => deliverable);
      if (queues.length === 0) break;
      const soon = performance.now() + 100;
      this.breaker.openUntil = Math.min(this.breaker.openUntil, soon);
      for (const { schedule } of queues) {
        schedule.pausedUntil = Math.min(schedule.pausedUntil, soon);
        schedule.dueAt = schedule.pausedUntil;
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

  private planAt(at: number): void {
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
    for (const queue of [...this.spool.all()]) {
      const dueAt = Math.max(queue.schedule.dueAt, queue.deliverable ? this.breaker.openUntil : 0);
      if (dueAt > now) next = Math.min(next, dueAt);
      else if (queue.deliverable) this.serve(queue);
      else this.giveUp(queue);
    }
    if (next !== Infinity) this.planAt(next);
  }

  /** Stays due when there is no room: the end of a delivery looks again. */
  private serve(queue: CallerQueue): void {
    // While the API is down one request at a time asks for it.
    const parallel = this.breaker.isClosed ? this.options.parallel : 1;
    const queueParallel = this.breaker.isClosed ? this.options.queueParallel : 1;
    if (this.underWay >= parallel || queue.deliveriesUnderWay >= queueParallel) return;
    queue.schedule.dueAt = Infinity;
    this.spool.toBack(queue);
    while (this.underWay < parallel && queue.deliveriesUnderWay < queueParallel) {
      const batch = this.spool.take(queue, this.options.itemsMax, this.options.bytesMax);
      if (batch.length === 0) return;
      void this.deliver(queue, batch);
    }
  }

  private async deliver(queue: CallerQueue, batch: SpoolItem[]): Promise<void> {
    this.underWay++;
    queue.deliveriesUnderWay++;
    try {
      await this.sender.send(queue, batch);
    } catch (error) {
      batch.forEach((item) => this.spool.putBack(item));
      queue.schedule.pause(this.options.deniedMs);
      this.logger.error({ err: error }, 'delivering recordings failed');
    } finally {
      this.underWay--;
      queue.deliveriesUnderWay--;
      this.idleWaiters.splice(0).forEach((resolve) => resolve());
      if (queue.waiting > 0) this.wake(queue);
      if (this.spool.count > 0) this.planAt(performance.now());
    }
  }

  /** Nobody has come with the key that these were recorded under. */
  private giveUp(queue: CallerQueue): void {
    this.logger.warn(
      { recordings: queue.count },
      'recordings of an earlier run are dropped: no caller has sent their key again',
    );
    this.spool.dropQueue(queue, 'unauthorized');
  }

  /** Notes what an answer means for the deliveries to come. */
  onAnswer(queue: CallerQueue, answer: IngestAnswer): void {
    this.contactAt = performance.now();
    const up = answer.kind !== 'unavailable';
    if (up && this.apiUp === false) this.logger.info('the API is back; delivering recordings');
    this.apiUp = up;
    const { schedule, caller } = queue;
    if (answer.kind === 'unavailable') {
      if (this.breaker.isClosed) {
        this.logger.warn({ reason: answer.message }, 'the API cannot be reached; recordings wait in the spool');
      }
      this.breaker.failed(answer.retryAfterMs ?? 0);
      // What fails by one queue's fault becomes rarer although others get through in between.
      schedule.failed(this.options);
      return;
    }
    this.breaker.succeeded();
    if (answer.kind === 'limited') schedule.failed(this.options, answer.retryAfterMs ?? 1_000);
    else schedule.succeeded();
    if (answer.kind === 'denied') this.deny(queue, answer.message);
    if (answer.kind !== 'unauthenticated') return;
    if (caller === null) this.deny(queue, 'HTTP 401');
    else this.options.onUnauthenticated(caller.digest);
  }

  onRefused(message: string): void {
    this.logOnce(`refused ${message}`, 'the API does not take a recording', { message });
  }

  private deny({ schedule, caller }: CallerQueue, message: string): void {
    const whose = caller === null ? 'recordings; check api_url and api_key' : 'recordings of a caller';
    this.logOnce(`denied ${whose} ${message}`, `the API refuses ${whose}`, { message });
    schedule.pause(this.options.deniedMs);
  }

  private logOnce(key: string, message: string, fields: Record<string, unknown>): void {
    if (this.logged.has(key) || this.logged.size > 100) return;
    this.logged.add(key);
    this.logger.error(fields, message);
  }
}
