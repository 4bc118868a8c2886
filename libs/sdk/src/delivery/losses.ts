import type { Timers } from './timers.js';

/** Counts what is lost for good and reports it, the first time at once and then once a minute at most. */
export class Losses {
  /** Recorded while the queue was full, or after the end. */
  dropped = 0;
  rejected = 0;
  lastReason: string | null = null;
  private reportedDropped = 0;
  private reportedRejected = 0;
  private timer: unknown = null;

  constructor(
    private readonly report: (sentence: string) => void,
    private readonly timers: Timers,
    private readonly reportMs: number,
  ) {}

  drop(reason: string): void {
    this.dropped++;
    this.note(reason);
  }

  reject(reason: string): void {
    this.rejected++;
    this.note(reason);
  }

  end(): void {
    this.reportNew();
    this.stop();
  }

  private note(reason: string): void {
    this.lastReason = reason;
    if (this.timer === null) this.reportNew();
  }

  reportNew(): void {
    const dropped = this.dropped - this.reportedDropped;
    const rejected = this.rejected - this.reportedRejected;
    if (dropped + rejected === 0) return;
    this.reportedDropped = this.dropped;
    this.reportedRejected = this.rejected;
    const lost = [dropped > 0 ? `${dropped} dropped` : '', rejected > 0 ? `${rejected} refused by the server` : ''];
    this.report(`spans or traces are lost: ${lost.filter(Boolean).join(', ')} (last reason: ${this.lastReason})`);
    this.stop();
    this.timer = this.timers.set(
      () => {
        this.timer = null;
        this.reportNew();
      },
      this.reportMs,
      false,
    );
  }

  private stop(): void {
    if (this.timer !== null) this.timers.clear(this.timer);
    this.timer = null;
  }
}
