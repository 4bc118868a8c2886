import type { Pace } from './delivery-settings.js';
import type { Answer } from './post-batch.js';
import { backoffMs } from '../api/http.js';
import type { Timers } from './timers.js';

/** Flushes ask a server that refuses the key again only after this. */
const DENIED_AGAIN_MS = 1_000;
/** After so many failures in a row it reports that nothing gets through. */
const REPORTED_FAILURES = 3;

interface PausesSettings {
  apiUrl: string;
  pace: Pace;
  timers: Timers;
  random: () => number;
  report: (sentence: string) => void;
}

/** When the server may be asked again, by how it has answered so far. */
export class Pauses {
  until = -Infinity;
  /** Why nothing gets through; `null` while it does. */
  error: string | null = null;
  /** The last answer refused the key or the address. */
  isDenied = false;
  private isAskedToWait = false;
  private reportedStatus = 0;
  private failures = 0;
  private timeouts = 0;
  private lastAnswerAt = -Infinity;

  constructor(private readonly settings: PausesSettings) {}

  get requestMs(): number {
    const { requestMs, requestMaxMs } = this.settings.pace;
    return Math.min(requestMaxMs, requestMs * 2 ** Math.min(this.timeouts, 30));
  }

  /** @param isWaitedFor somebody waits and gets further tries soon. */
  note(answer: Answer, isWaitedFor: boolean): void {
    this.lastAnswerAt = this.settings.timers.now();
    this.isDenied = answer.kind === 'denied';
    this.isAskedToWait = false;
    if (answer.kind === 'denied') this.deny(answer);
    else if (answer.kind === 'failed') this.fail(answer, isWaitedFor);
    else {
      this.until = -Infinity;
      this.error = null;
      this.failures = this.timeouts = this.reportedStatus = 0;
    }
  }

  /**
   * Somebody waits: a pause that is our own is cut short, one that the server asked for is not.
   * @returns false when waiting is of no use, as the server has refused the key just now.
   */
  hurry(): boolean {
    const { pace, random, timers } = this.settings;
    if (this.isDenied) {
      if (timers.now() < this.lastAnswerAt + DENIED_AGAIN_MS) return false;
      this.until = -Infinity;
    } else if (!this.isAskedToWait) {
      this.until = Math.min(this.until, this.lastAnswerAt + random() * pace.retryMs);
    }
    return true;
  }

  private fail({ error, retryAfterMs, timedOut }: Extract<Answer, { kind: 'failed' }>, isWaitedFor: boolean): void {
    const { apiUrl, pace, random, report } = this.settings;
    this.failures++;
    this.timeouts = timedOut ? this.timeouts + 1 : 0;
    this.error = error;
    this.isAskedToWait = retryAfterMs > 0;
    const pauseMs = backoffMs(this.failures, pace.retryMs, isWaitedFor ? pace.retryMs : pace.retryMaxMs, random);
    this.until = this.lastAnswerAt + Math.max(pauseMs, Math.min(retryAfterMs, pace.retryAfterMaxMs));
    if (this.failures === REPORTED_FAILURES)
      report(`the API at ${apiUrl} takes no spans (${error}); they wait and are sent again`);
  }

  private deny({ error, status }: Extract<Answer, { kind: 'denied' }>): void {
    const { apiUrl, pace, report } = this.settings;
    this.error = error;
    this.until = this.lastAnswerAt + pace.deniedMs;
    if (this.reportedStatus === status) return;
    this.reportedStatus = status;
    report(`the API at ${apiUrl} refuses spans (${error}): check the address and the key; the spans wait`);
  }
}

/** How delivery stands. Counts are since the start of the process; a span counts when it ended. */
export interface FlushResult {
  /** Spans and changed traces that the server has acknowledged. */
  delivered: number;
  /** What the server has not answered for: it waits and is sent again. */
  pending: number;
  /** Lost because the queue was full. */
  dropped: number;
  /** Refused by the server, one by one. */
  rejected: number;
  /** What stands in the way of delivery; else why something was lost last; `null` when all is well. */
  lastError: string | null;
}

/** The callers who wait until all that was recorded up to a place is settled. */
export class FlushWaiters {
  private readonly waiters = new Set<{ readonly place: number; readonly done: () => void }>();

  constructor(
    private readonly timers: Timers,
    private readonly result: () => FlushResult,
  ) {}

  get size(): number {
    return this.waiters.size;
  }

  /** Resolves when all up to the place is settled, or the time is up. @param holding keeps the process alive meanwhile. */
  add(place: number, timeoutMs: number, holding: boolean): Promise<FlushResult> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.timers.clear(timer);
        this.waiters.delete(waiter);
        resolve(this.result());
      };
      const waiter = { place, done };
      const timer = this.timers.set(done, Number.isFinite(timeoutMs) ? timeoutMs : 0, holding);
      this.waiters.add(waiter);
    });
  }

  /** @param firstPlace place of the oldest thing that waits; `Infinity` when nothing does. */
  settle(firstPlace: number): void {
    for (const waiter of [...this.waiters]) {
      if (firstPlace > waiter.place || firstPlace === Infinity) waiter.done();
    }
  }

  end(): void {
    for (const waiter of [...this.waiters]) waiter.done();
  }
}
