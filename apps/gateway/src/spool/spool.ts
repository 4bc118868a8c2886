import type { SpoolItem } from './spool-item.js';

export interface SpoolLimits {
  items: number;
  /** UTF-16 units of JSON. */
  bytes: number;
}

/** Why a recording was lost. */
export const DROP_REASONS = ['spool_full', 'rejected', 'trace_deleted', 'stopped', 'failed'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** Is told what becomes of items. */
export interface SpoolObserver {
  onDropped(item: SpoolItem, reason: DropReason): void;
  onDelivered(item: SpoolItem): void;
}

/**
 * Recordings that wait for the API, oldest first, within bounds: when it is full the newest is dropped. News of a
 * call's start gives way to recordings of finished calls and is never counted as lost.
 *
 * A list through the items themselves: what has left it is not kept alive by anything in it.
 */
export class Spool {
  private oldest: SpoolItem | null = null;
  private newest: SpoolItem | null = null;
  private items = 0;
  private starts = 0;
  private inFlight = 0;
  private size = 0;

  constructor(
    private readonly limits: SpoolLimits,
    private readonly observer: SpoolObserver,
  ) {}

  get count(): number {
    return this.items;
  }

  get bytes(): number {
    return this.size;
  }

  /** Items that are not in a delivery under way. */
  get waiting(): number {
    return this.items - this.inFlight;
  }

  /**
   * Takes an item in.
   * @param former an item the new one makes superfluous: the start of the same call. It is let go of where it still waits.
   * @returns false when there was no room.
   */
  add(item: SpoolItem, former: SpoolItem | null = null): boolean {
    if (former?.queued) this.unlink(former);
    if (!this.makeRoom(item)) {
      if (item.finished) this.observer.onDropped(item, 'spool_full');
      return false;
    }
    this.link(item, this.newest);
    return true;
  }

  /** The oldest items that are not under way, as many as one delivery may hold; marks them as under way. */
  take(itemsMax: number, bytesMax: number): SpoolItem[] {
    const batch: SpoolItem[] = [];
    let bytes = 0;
    for (let item = this.oldest; item !== null && batch.length < itemsMax; item = item.after) {
      if (item.inFlight) continue;
      bytes += item.size;
      if (batch.length > 0 && bytes > bytesMax) break;
      item.inFlight = true;
      this.inFlight++;
      batch.push(item);
    }
    return batch;
  }

  /** The API has the item. */
  delivered(item: SpoolItem): void {
    item.delivered = true;
    if (item.queued) this.unlink(item);
    this.observer.onDelivered(item);
  }

  /** The delivery failed; the item waits on in its place. */
  putBack(item: SpoolItem): void {
    if (item.queued && item.inFlight) this.inFlight--;
    item.inFlight = false;
  }

  /** Puts a smaller form in the place of an item that still waits. */
  replace(item: SpoolItem, smaller: SpoolItem): void {
    if (!item.queued) return;
    const { before } = item;
    this.unlink(item);
    this.link(smaller, before);
  }

  /** The API will never take the item. */
  drop(item: SpoolItem, reason: DropReason): void {
    if (!item.queued) return;
    this.unlink(item);
    if (item.finished) this.observer.onDropped(item, reason);
  }

  /** Drops everything. */
  dropAll(reason: DropReason): void {
    while (this.oldest !== null) this.drop(this.oldest, reason);
  }

  private makeRoom(item: SpoolItem): boolean {
    if (this.fits(item)) return true;
    if (!item.finished) return false;
    for (let start = this.oldest; start !== null && this.starts > 0;) {
      const { after } = start;
      if (!start.finished && !start.inFlight) {
        this.unlink(start);
        if (this.fits(item)) return true;
      }
      start = after;
    }
    return false;
  }

  private fits(item: SpoolItem): boolean {
    return this.items < this.limits.items && this.size + item.size <= this.limits.bytes;
  }

  /** Puts an item behind another, `null` for the front. */
  private link(item: SpoolItem, before: SpoolItem | null): void {
    const after = before === null ? this.oldest : before.after;
    item.queued = true;
    item.before = before;
    item.after = after;
    if (before === null) this.oldest = item;
    else before.after = item;
    if (after === null) this.newest = item;
    else after.before = item;
    this.items++;
    this.size += item.size;
    if (!item.finished) this.starts++;
  }

  private unlink(item: SpoolItem): void {
    const { before, after } = item;
    if (before === null) this.oldest = after;
    else before.after = after;
    if (after === null) this.newest = before;
    else after.before = before;
    item.before = null;
    item.after = null;
    item.queued = false;
    this.items--;
    this.size -= item.size;
    if (!item.finished) this.starts--;
    if (item.inFlight) this.inFlight--;
    item.inFlight = false;
  }
}
