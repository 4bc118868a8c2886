import fs from 'node:fs';
import type { SpoolSync } from '../gateway.settings.js';
import { FrameType } from './journal-frames.js';
import { decodeSegment, FrameBatch } from './segment-frames.js';
import { SEGMENT_BYTES, SegmentStore, type StoreOwner } from './segment-store.js';
import { KeptCall, type Segment } from './segment.js';

/** Notifications of the journal to the directory that it is in. */
export interface JournalOwner extends StoreOwner {
  /** Calls cannot be kept. @param calls how many. */
  onJournalError(error: unknown, calls: number): void;
}

/** A frame that a former run has left. */
export interface LeftFrame {
  segment: Segment;
  number: number;
  type: FrameType;
  bytes: number;
}

const NOTHING = Buffer.alloc(0);

/** A batch this long is written at once. */
const BATCH_BYTES_MAX = 1024 * 1024;

/** How long a frame may wait that nothing waits for. */
const LATER_MS = 5;

/** How long files without anything needed stay when there are no calls. */
const IDLE_MS = 100;

/** How much more than twice what is needed the files may have. */
const SLACK_BYTES = 4 * SEGMENT_BYTES;

/**
 * The journal of all calls: what all of them tell in one turn of the event loop is written in one go, and only then do the
 * steps happen that waited for it (ADR 0036). So after a kill nothing has been passed on that is not in the files.
 */
export class SharedJournal {
  private readonly calls = new Map<string, KeptCall>();
  private readonly store: SegmentStore;
  private readonly batch = new FrameBatch();
  /** The calls with frames in the batch. */
  private touched: KeptCall[] = [];
  /** Calls of whom a part is in the files and the rest is not: nobody must recover them. */
  private owed: { id: string; number: number }[] = [];
  private steps: (() => void)[] = [];
  private scheduled = false;
  private syncing = false;
  private laterTimer: NodeJS.Timeout | null = null;
  private idleTimer: NodeJS.Timeout | null = null;
  private carrying: Promise<void> | null = null;
  private closed = false;
  private quietWaiters: (() => void)[] = [];

  /** @param left segments of a former run, oldest first. */
  constructor(
    directory: string,
    private readonly mode: SpoolSync,
    private readonly owner: JournalOwner,
    left: readonly Segment[],
  ) {
    this.store = new SegmentStore(directory, mode, owner, left);
  }

  /** Damaged files that cannot be moved to quarantine. */
  get stuckFiles(): number {
    return this.store.stuckFiles;
  }

  begin(id: string): KeptCall {
    const call = new KeptCall(id);
    this.calls.set(id, call);
    return call;
  }

  /**
   * Adds a frame to what is written next.
   * @param soon something waits for it ({@link whenKept}).
   * @param prefix stands before the payload.
   */
  append(call: KeptCall, type: FrameType, payload: Buffer | string, soon: boolean, prefix?: Buffer): void {
    if (call.lost || this.closed) return;
    const { current } = this.store;
    const bytes = this.batch.add(current.marker, call, type, payload, prefix);
    call.number++;
    call.add(current, bytes, type === FrameType.Facts, type === FrameType.Finished);
    if (this.touched.at(-1) !== call) this.touched.push(call);
    if (this.batch.length > BATCH_BYTES_MAX) this.write();
    if (soon) this.schedule();
    else this.later();
  }

  /** Has a step of a call happen when all that it has told is written, each call's in order. @returns whether it has. */
  whenKept(step: () => void): boolean {
    if (this.isSettled) {
      step();
      return true;
    }
    this.steps.push(step);
    this.schedule();
    return false;
  }

  /** Waits until every step has happened. */
  async quiet(): Promise<void> {
    while (this.steps.length > 0 || this.syncing) await new Promise<void>((resolve) => this.quietWaiters.push(resolve));
  }

  /** The recording of a call is delivered or lost for good. */
  done(id: string): void {
    const call = this.calls.get(id);
    if (call === undefined || this.closed) return;
    this.calls.delete(id);
    call.leave();
    this.batch.add(this.store.current.marker, call, FrameType.Done, NOTHING);
    this.later();
    this.tidy();
  }

  /** A call of a former run is recovered: its frames stay until it is {@link done}. */
  adopt(id: string, frames: readonly LeftFrame[]): void {
    const call = this.calls.get(id) ?? this.begin(id);
    for (const { segment, number, type, bytes } of frames) {
      call.number = Math.max(call.number, number + 1);
      call.add(segment, bytes, type === FrameType.Facts, type === FrameType.Finished);
    }
  }

  /** Nothing can be made of a call of a former run. */
  abandon(id: string): void {
    this.calls.get(id)?.leave();
    this.calls.delete(id);
  }

  /** A segment of a former run has been looked through. */
  read(segment: Segment, bytes: number): void {
    if (!this.store.closed.includes(segment)) this.store.takeBack(segment);
    segment.bytes = bytes;
    segment.unread = false;
  }

  /** A segment of a former run cannot be read for now. */
  setAside(segment: Segment): void {
    this.store.setAside(segment);
  }

  /** Deletes files that are not needed. */
  tidy(): void {
    this.store.tidy();
    if (this.calls.size === 0) this.idleTimer ??= setTimeout(() => this.idle(), IDLE_MS).unref();
  }

  /** Lets go of the files once all that was told is written; what is undelivered stays in them. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.flush();
    await this.quiet();
    this.closed = true;
    if (this.laterTimer) clearTimeout(this.laterTimer);
    if (this.idleTimer) clearTimeout(this.idleTimer);
    await this.carrying;
    if (this.calls.size === 0) this.store.clear();
    await this.store.end();
  }

  /** Everything that was told is kept as safely as the settings ask for. */
  private get isSettled(): boolean {
    const { batch, steps, syncing, mode, store } = this;
    return batch.length === 0 && steps.length === 0 && !syncing && (mode !== 'always' || !store.dirty);
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  private later(): void {
    this.laterTimer ??= setTimeout(() => {
      this.laterTimer = null;
      this.flush();
    }, LATER_MS).unref();
  }

  private flush(): void {
    if (this.syncing) return;
    this.write();
    const { steps } = this;
    this.steps = [];
    if (this.mode !== 'always' || steps.length === 0) {
      this.run(steps);
      return;
    }
    this.syncing = true;
    void this.store.sync().then(() => {
      this.syncing = false;
      this.run(steps);
      if (this.batch.length > 0 || this.steps.length > 0) this.schedule();
    });
  }

  private run(steps: readonly (() => void)[]): void {
    for (const step of steps) {
      try {
        step();
      } catch (error) {
        // A fault of one call's step is nobody else's.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
    if (this.quietWaiters.length > 0) this.quietWaiters.splice(0).forEach((resolve) => resolve());
  }

  private write(): void {
    if (this.batch.length === 0 || this.closed) return;
    const { touched } = this;
    this.touched = [];
    try {
      for (const owner of this.owed) this.batch.add(this.store.current.marker, owner, FrameType.Done, NOTHING);
      this.store.write(this.batch.bytes());
      this.owed = [];
    } catch (error) {
      this.lose(touched, error);
    } finally {
      this.batch.clear();
    }
    if (this.store.current.bytes < SEGMENT_BYTES) return;
    this.store.rotate();
    this.tidy();
    this.carryOver();
  }

  private lose(calls: readonly KeptCall[], error: unknown): void {
    let lost = 0;
    for (const call of calls) {
      if (call.lost || !this.calls.delete(call.id)) continue;
      lost++;
      call.lost = true;
      call.leave();
      this.owed.push({ id: call.id, number: call.number });
    }
    this.owner.onJournalError(error, lost);
    this.tidy();
  }

  private idle(): void {
    this.idleTimer = null;
    if (this.calls.size > 0 || this.carrying || this.syncing) return;
    this.write();
    this.store.clear();
  }

  /** A call that goes on for long must not hold the files of all that came after it. */
  private carryOver(): void {
    const { store } = this;
    const [oldest] = store.closed;
    if (this.carrying || this.closed || !oldest || oldest.unread) return;
    if (store.closedBytes <= 2 * store.liveBytes + SLACK_BYTES) return;
    this.carrying = this.carry(oldest)
      .catch((error: unknown) => this.owner.onSyncError(error))
      .finally(() => {
        this.carrying = null;
        store.held = null;
        this.tidy();
      });
  }

  private async carry(oldest: Segment): Promise<void> {
    const { store } = this;
    const bytes = await fs.promises.readFile(oldest.path);
    const { frames, whole } = decodeSegment(bytes, oldest.marker);
    if (!whole) oldest.damaged = true;
    this.write();
    const copies = new FrameBatch();
    const moved = new Map<KeptCall, number>();
    for (const { id, type, start, end } of frames) {
      const call = this.calls.get(id);
      if (!call?.isIn(oldest) || (call.finished && type !== FrameType.Facts && type !== FrameType.Finished)) continue;
      copies.addFrame(store.current.marker, bytes.subarray(start, end));
      moved.set(call, (moved.get(call) ?? 0) + end - start);
    }
    if (copies.length > 0) store.write(copies.bytes());
    store.held = oldest;
    for (const [call, length] of moved) call.move(oldest, store.current, length);
    // The copies are safe before the originals go.
    if (this.mode !== 'never') await store.sync();
  }
}
