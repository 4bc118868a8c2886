import type { CallerKey } from '../access/caller-key.js';
import { RetrySchedule } from './retry-schedule.js';
import type { SpoolItem } from './spool-item.js';

/**
 * The recordings that are delivered with one credential, oldest first. A list through the items themselves: what has
 * left it is not kept alive by anything in it.
 */
export class CallerQueue {
  /** Only the delivery reads and changes these. */
  readonly schedule = new RetrySchedule();
  deliveriesUnderWay = 0;
  oldest: SpoolItem | null = null;
  /** Items, those in a delivery too. */
  count = 0;
  bytes = 0;
  /** News of calls' starts among the items. */
  starts = 0;
  private newest: SpoolItem | null = null;
  private inFlight = 0;

  /** @param caller the caller's key that its items are delivered with; `null` for the gateway's own. */
  constructor(public caller: CallerKey | null) {}

  /** Items that are not in a delivery under way. */
  get waiting(): number {
    return this.count - this.inFlight;
  }

  /** Whether there is a credential to deliver with. */
  get deliverable(): boolean {
    return this.caller === null || this.caller.authorization !== null;
  }

  /** Puts an item behind another, `null` for the front. */
  link(item: SpoolItem, before: SpoolItem | null): void {
    const after = before === null ? this.oldest : before.after;
    item.queued = true;
    item.before = before;
    item.after = after;
    if (before === null) this.oldest = item;
    else before.after = item;
    if (after === null) this.newest = item;
    else after.before = item;
    this.count++;
    this.bytes += item.size;
    if (!item.finished) this.starts++;
  }

  append(item: SpoolItem): void {
    this.link(item, this.newest);
  }

  unlink(item: SpoolItem): void {
    const { before, after } = item;
    if (before === null) this.oldest = after;
    else before.after = after;
    if (after === null) this.newest = before;
    else after.before = before;
    item.before = null;
    item.after = null;
    item.queued = false;
    this.count--;
    this.bytes -= item.size;
    if (!item.finished) this.starts--;
    if (item.inFlight) this.inFlight--;
    item.inFlight = false;
  }

  setInFlight(item: SpoolItem, inFlight: boolean): void {
    if (item.inFlight === inFlight) return;
    item.inFlight = inFlight;
    this.inFlight += inFlight ? 1 : -1;
  }

  /** The newest item that is not in a delivery under way. */
  newestWaiting(): SpoolItem | null {
    let item = this.newest;
    while (item?.inFlight) item = item.before;
    return item;
  }
}
