import type { Pace } from './delivery-settings.js';

/** A batch is never cut below this, however small a body the server takes. */
const BYTES_MIN = 65_536;

/** How large a batch may be: smaller while the item is looked for that made the server refuse one. */
export class BatchLimits {
  items: number;
  bytes: number;
  /** The oldest so many hold an item at fault. */
  private suspects = 0;

  constructor(private readonly pace: Pace) {
    this.items = pace.batchItems;
    this.bytes = pace.batchBytes;
  }

  get isSearching(): boolean {
    return this.suspects > 0;
  }

  /** So many of the oldest are settled. */
  settled(count: number): void {
    this.suspects = Math.max(0, this.suspects - count);
    if (this.suspects === 0) this.items = this.pace.batchItems;
  }

  found(): void {
    this.settled(this.suspects);
  }

  /** A batch of several items was refused. @param tooLargeBytes its size when that is why: later ones stay below half of it. */
  refused(count: number, tooLargeBytes: number | null): void {
    this.items = count >> 1;
    this.suspects = count;
    if (tooLargeBytes !== null) this.bytes = Math.max(BYTES_MIN, Math.min(this.bytes, tooLargeBytes / 2));
  }
}
