import { sizeOf, type SpoolItem } from './spool-item.js';

export interface SpoolLimits {
  items: number;
  /** UTF-16 units of JSON. */
  bytes: number;
}

/** Why a recording was lost. */
export type DropReason = 'spool_full' | 'rejected' | 'trace_deleted' | 'stopped' | 'failed';

/** Is told what becomes of items. */
export interface SpoolObserver {
  onDropped(item: SpoolItem, reason: DropReason): void;
  onDelivered(item: SpoolItem): void;
}

/**
 * Recordings that wait for the API, oldest first, within bounds: when it is full the newest is dropped. News of a
 * call's start gives way to recordings of finished calls and is never counted as lost.
 */
export class Spool {
  private readonly items = new Map<string, SpoolItem>();
  /** Ids of waiting items that only tell of a start. */
  private readonly starts = new Set<string>();
  private size = 0;

  constructor(
    private readonly limits: SpoolLimits,
    private readonly observer: SpoolObserver,
  ) {}

  get count(): number {
    return this.items.size;
  }

  get bytes(): number {
    return this.size;
  }

  /** Takes an item in; one of the same id is replaced. @returns false when there was no room. */
  add(item: SpoolItem): boolean {
    const former = this.items.get(item.id);
    if (former?.finished && !item.finished) return true;
    const growth = sizeOf(item) - (former ? sizeOf(former) : 0);
    if (!this.makeRoom(former ? 0 : 1, growth, item)) {
      if (item.finished) {
        if (former) this.remove(former);
        this.observer.onDropped(item, 'spool_full');
      }
      return false;
    }
    this.items.set(item.id, item);
    this.size += growth;
    if (item.finished) this.starts.delete(item.id);
    else this.starts.add(item.id);
    return true;
  }

  /** The oldest items that are not under way, as many as one delivery may hold; marks them as under way. */
  take(itemsMax: number, bytesMax: number): SpoolItem[] {
    const batch: SpoolItem[] = [];
    let bytes = 0;
    for (const item of this.items.values()) {
      if (item.inFlight) continue;
      bytes += sizeOf(item);
      if (batch.length > 0 && bytes > bytesMax) break;
      item.inFlight = true;
      batch.push(item);
      if (batch.length >= itemsMax) break;
    }
    return batch;
  }

  /** The API has the item. */
  delivered(item: SpoolItem): void {
    item.inFlight = false;
    item.delivered = true;
    this.forget(item);
    this.observer.onDelivered(item);
  }

  /** The delivery failed; the item waits on in its place. */
  putBack(item: SpoolItem): void {
    item.inFlight = false;
  }

  /** Puts a smaller form in an item's place. @returns false when a newer item has taken it. */
  replace(item: SpoolItem, smaller: SpoolItem): boolean {
    item.inFlight = false;
    if (this.items.get(item.id) !== item) return false;
    this.items.set(item.id, smaller);
    this.size += sizeOf(smaller) - sizeOf(item);
    return true;
  }

  /** The API will never take the item. */
  drop(item: SpoolItem, reason: DropReason): void {
    item.inFlight = false;
    this.forget(item);
    if (item.finished) this.observer.onDropped(item, reason);
  }

  /** Drops everything. */
  dropAll(reason: DropReason): void {
    for (const item of [...this.items.values()]) this.drop(item, reason);
  }

  private makeRoom(count: number, growth: number, item: SpoolItem): boolean {
    if (this.fits(count, growth)) return true;
    if (!item.finished) return false;
    for (const id of this.starts) {
      const start = this.items.get(id)!;
      if (start.inFlight || id === item.id) continue;
      this.remove(start);
      if (this.fits(count, growth)) return true;
    }
    return false;
  }

  private fits(count: number, growth: number): boolean {
    return this.items.size + count <= this.limits.items && this.size + growth <= this.limits.bytes;
  }

  /** Takes an item out unless a newer one of its id stands there. */
  private forget(item: SpoolItem): void {
    if (this.items.get(item.id) === item) this.remove(item);
  }

  private remove(item: SpoolItem): void {
    this.items.delete(item.id);
    this.starts.delete(item.id);
    this.size -= sizeOf(item);
  }
}
