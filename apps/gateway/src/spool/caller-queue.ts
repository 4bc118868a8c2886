import { backoff } from '@spandrel/kernel';
import type { CallerKey } from '../access/caller-key.js';

/** A recording on its way to the API, already JSON. */
export class SpoolItem {
  /** The API has it. */
  delivered = false;
  /** Waits in the spool, perhaps in a delivery under way; the spool's own. */
  queued = false;
  inFlight = false;
  /** Has lost its content because the API would not take it. */
  reduced = false;

  constructor(
    /** The caller's key that it is delivered with; `null` for the gateway's own. */
    readonly caller: CallerKey | null,
    readonly id: string,
    /** JSON of its trace; `null` when the API is known to have it. */
    readonly trace: string | null,
    /** JSON of its span. */
    public span: string,
    /** Whether the call is over; only these count when they are lost. */
    readonly finished: boolean,
  ) {}

  /** Memory it takes, as the spool counts it: UTF-16 units of JSON. */
  get size(): number {
    return (this.trace?.length ?? 0) + this.span.length;
  }
}

/** The recordings that are delivered with one credential, oldest first. */
export class CallerQueue {
  /** Only the delivery reads and changes these. */
  readonly schedule = new RetrySchedule();
  deliveriesUnderWay = 0;
  bytes = 0;
  private readonly items = new Set<SpoolItem>();
  private inFlight = 0;

  /** @param caller the caller's key that its items are delivered with; `null` for the gateway's own. */
  constructor(public caller: CallerKey | null) {}

  /** Items, those in a delivery too. */
  get count(): number {
    return this.items.size;
  }

  /** Items that are not in a delivery under way. */
  get waiting(): number {
    return this.count - this.inFlight;
  }

  /** Whether there is a credential to deliver with. */
  get deliverable(): boolean {
    return this.caller === null || this.caller.authorization !== null;
  }

  /** The items; those that are removed meanwhile are left out. */
  all(): Iterable<SpoolItem> {
    return this.items;
  }

  append(item: SpoolItem): void {
    this.items.add(item);
    item.queued = true;
    this.bytes += item.size;
  }

  remove(item: SpoolItem): void {
    this.setInFlight(item, false);
    this.items.delete(item);
    item.queued = false;
    this.bytes -= item.size;
  }

  setInFlight(item: SpoolItem, inFlight: boolean): void {
    if (item.inFlight === inFlight) return;
    item.inFlight = inFlight;
    this.inFlight += inFlight ? 1 : -1;
  }

  /** Has an item wait behind all others. */
  toBack(item: SpoolItem): void {
    if (this.items.delete(item)) this.items.add(item);
  }

  /** The newest item that is not in a delivery under way. */
  newestWaiting(): SpoolItem | undefined {
    return [...this.items].findLast(({ inFlight }) => !inFlight);
  }
}

export interface RetryOptions {
  /** First and longest pause after failures in a row. */
  retryMs: number;
  retryMaxMs: number;
}

const RETRY_AFTER_MS_MAX = 60_000;

/** When the next batch of a queue is sent. Times are on the clock of `performance.now()`. */
class RetrySchedule {
  /** Time of the next attempt; `Infinity`: nothing is planned. */
  dueAt = Infinity;
  pausedUntil = 0;
  /** How much of a full batch is sent: half after one that the API could not take, as in time; more after others. */
  part = 1;
  private failures = 0;

  /** The API has taken a batch or refused it for good. */
  succeeded(): void {
    this.part = Math.min(1, this.part + 1 / 16);
    this.failures = 0;
    this.pausedUntil = 0;
  }

  /** The API has not taken a batch. @param leastMs how long it asks to be left alone, at least. */
  failed(options: RetryOptions, leastMs = 0): void {
    this.pause(pauseAfter(++this.failures, options, leastMs));
  }

  pause(ms: number): void {
    this.pausedUntil = performance.now() + ms;
    this.dueAt = Infinity;
  }
}

/** How long to wait after failures in a row. @param leastMs of `Retry-After`, a minute of which counts. */
const pauseAfter = (failures: number, { retryMs, retryMaxMs }: RetryOptions, leastMs: number): number =>
  Math.max(backoff(failures, retryMs, retryMaxMs), Math.min(leastMs, RETRY_AFTER_MS_MAX));

/**
 * Holds all deliveries back while the API cannot be reached. It opens with a failure; when its pause is over it is half open:
 * one delivery at a time asks for the API, until one gets an answer.
 */
export class CircuitBreaker {
  /** On the clock of `performance.now()`; no delivery before that. */
  openUntil = 0;
  private failures = 0;

  constructor(private readonly options: RetryOptions) {}

  get isClosed(): boolean {
    return this.failures === 0;
  }

  /** The API has answered. */
  succeeded(): void {
    this.failures = 0;
    this.openUntil = 0;
  }

  /** The API was not reached. @param retryAfterMs how long it asks to be left alone. */
  failed(retryAfterMs: number): void {
    // Deliveries that fail at once fail together.
    if (performance.now() < this.openUntil) return;
    this.openUntil = performance.now() + pauseAfter(++this.failures, this.options, retryAfterMs);
  }
}
