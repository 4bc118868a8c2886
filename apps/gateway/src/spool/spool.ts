import { CallerQueue, type SpoolItem } from './caller-queue.js';

export interface SpoolLimits {
  items: number;
  /** UTF-16 units of JSON. */
  bytes: number;
}

export const DROP_REASONS = ['spool_full', 'rejected', 'unauthorized', 'trace_deleted', 'stopped', 'failed'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** Called when an item leaves the spool. */
export interface SpoolObserver {
  onDropped(item: SpoolItem, reason: DropReason): void;
  onDelivered(item: SpoolItem): void;
}

/** The name of the queue of what is delivered with the gateway's own credential. */
const OWN = '';

/**
 * Recordings that wait for the API (docs/spec/gateway.md#when-the-api-is-down), one {@link CallerQueue} a credential, within
 * bounds that all share: when it is full the newest is dropped, of the credential that takes most. News of a call's
 * start gives way to recordings of finished calls and is never counted as lost.
 */
export class Spool {
  private readonly queues = new Map<string, CallerQueue>();
  private items = 0;
  private starts = 0;
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

  /** The queues with items, the one served longest ago first. */
  all(): Iterable<CallerQueue> {
    return this.queues.values();
  }

  /** A queue was served: it is others' turn. */
  toBack(queue: CallerQueue): void {
    const name = nameOf(queue.caller);
    if (this.queues.size > 1 && this.queues.delete(name)) this.queues.set(name, queue);
  }

  /**
   * Takes an item in.
   * @param former an item the new one makes superfluous: the start of the same call. It is let go of where it still waits.
   * @returns the queue it waits in; `null` when there was no room.
   */
  add(item: SpoolItem, former: SpoolItem | null = null): CallerQueue | null {
    const left = former && this.unlink(former);
    if (!this.makeRoom(item)) {
      if (item.finished) this.observer.onDropped(item, 'spool_full');
      return null;
    }
    const queue = this.queueFor(item, left);
    queue.append(item);
    this.tally(item, 1);
    return queue;
  }

  /** The oldest items that are not under way, as many as one delivery may hold; marks them as under way. */
  take(queue: CallerQueue, itemsMax: number, bytesMax: number): SpoolItem[] {
    const batch: SpoolItem[] = [];
    let bytes = 0;
    for (const item of queue.all()) {
      if (batch.length === itemsMax) break;
      if (item.inFlight) continue;
      bytes += item.size;
      if (batch.length > 0 && bytes > bytesMax) break;
      queue.setInFlight(item, true);
      batch.push(item);
    }
    return batch;
  }

  /** The API has the item. */
  delivered(item: SpoolItem): void {
    item.delivered = true;
    this.unlink(item);
    this.observer.onDelivered(item);
  }

  /** The delivery failed; the item waits on in its place. */
  putBack(item: SpoolItem): void {
    this.queueOf(item)?.setInFlight(item, false);
  }

  /** Gives an item a smaller span; it waits on in its place. */
  shrink(item: SpoolItem, span: string): void {
    const queue = this.queueOf(item);
    const less = item.span.length - span.length;
    item.span = span;
    if (!queue) return;
    queue.bytes -= less;
    this.size -= less;
    queue.setInFlight(item, false);
  }

  /** The API will never take the item. */
  drop(item: SpoolItem, reason: DropReason): void {
    if (this.unlink(item) === null) return;
    if (item.finished) this.observer.onDropped(item, reason);
  }

  /** No item of the queue can be delivered; those that are under way find out themselves. */
  dropQueue(queue: CallerQueue, reason: DropReason): void {
    for (const item of queue.all()) if (!item.inFlight) this.drop(item, reason);
  }

  dropAll(reason: DropReason): void {
    for (const queue of this.queues.values()) for (const item of queue.all()) this.drop(item, reason);
  }

  /** @param former the queue that the item's former has just left; its schedule goes on. */
  private queueFor({ caller }: SpoolItem, former: CallerQueue | null): CallerQueue {
    const name = nameOf(caller);
    const queue = this.queues.get(name) ?? former ?? new CallerQueue(caller);
    this.queues.set(name, queue);
    if (!queue.deliverable && caller?.authorization != null) {
      // Recordings of a former run have waited for this key.
      queue.caller = caller;
      queue.schedule.dueAt = Infinity;
    }
    return queue;
  }

  private makeRoom(item: SpoolItem): boolean {
    if (this.fits(item)) return true;
    if (!item.finished) return false;
    return this.dropStarts(item) || this.dropOfLargest(item);
  }

  private dropStarts(item: SpoolItem): boolean {
    for (const queue of this.queues.values()) {
      if (this.starts === 0) return false;
      for (const start of queue.all()) {
        if (start.finished || start.inFlight) continue;
        this.unlink(start);
        if (this.fits(item)) return true;
      }
    }
    return false;
  }

  /** One credential whose recordings pile up takes no room from the others. */
  private dropOfLargest(item: SpoolItem): boolean {
    if (this.queues.size < 2 && this.queues.has(nameOf(item.caller))) return false;
    while (!this.fits(item)) {
      const share = this.items >= this.limits.items ? itemsOf : bytesOf;
      const mine = this.queues.get(nameOf(item.caller));
      const largest = [...this.queues.values()].reduce((most, queue) => (share(queue) > share(most) ? queue : most));
      if (share(largest) <= (mine ? share(mine) : 0) + (share === itemsOf ? 1 : item.size)) return false;
      const newest = largest.newestWaiting();
      if (!newest) return false;
      this.drop(newest, 'spool_full');
    }
    return true;
  }

  private fits(item: SpoolItem): boolean {
    return this.items < this.limits.items && this.size + item.size <= this.limits.bytes;
  }

  /** The queue that an item waits in: that of its caller. None for an item that does not wait. */
  private queueOf(item: SpoolItem): CallerQueue | undefined {
    return item.queued ? this.queues.get(nameOf(item.caller)) : undefined;
  }

  /** @returns the queue it has left; `null` when it was in none. */
  private unlink(item: SpoolItem): CallerQueue | null {
    const queue = this.queueOf(item);
    if (!queue) return null;
    queue.remove(item);
    this.tally(item, -1);
    if (queue.count === 0) this.queues.delete(nameOf(queue.caller));
    return queue;
  }

  private tally(item: SpoolItem, sign: 1 | -1): void {
    this.items += sign;
    this.size += sign * item.size;
    if (!item.finished) this.starts += sign;
  }
}

const nameOf = (caller: SpoolItem['caller']): string => caller?.digest ?? OWN;
const itemsOf = (queue: CallerQueue): number => queue.count;
const bytesOf = (queue: CallerQueue): number => queue.bytes;
