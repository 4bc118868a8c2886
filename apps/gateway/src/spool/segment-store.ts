import fs from 'node:fs';
import type { SpoolSync } from '../gateway.settings.js';
import { NextSegment } from './next-segment.js';
import { Segment } from './segment.js';

/** A segment that has reached this length is followed by another. */
export const SEGMENT_BYTES = 4 * 1024 * 1024;

/** From this length on the next one is made ahead, where each batch is brought to the disk. */
const PREPARE_BYTES = SEGMENT_BYTES / 4;

const SYNC_MS = 1_000;
const STUCK_MS = 1_000;

/** What the store tells the directory around it. */
export interface StoreOwner {
  onSyncError(error: unknown): void;
  /** Moves a damaged file to quarantine. @returns false when it cannot be moved now. */
  quarantine(file: string): boolean;
}

/**
 * The files of the journal, oldest first, the last of them written to. They are deleted in this order alone, so that what
 * says of a call that it is over outlives the frames of the call.
 */
export class SegmentStore {
  /** Segments that are written full, and those that a former run left. */
  readonly closed: Segment[] = [];
  current: Segment;
  /** A segment whose frames were carried over and that stays until the copies are safe. */
  held: Segment | null = null;
  /** Something was written that no sync has begun to bring to the disk. */
  dirty = false;

  private fd: number | null = null;
  private readonly next: NextSegment;
  private readonly retired: { segment: Segment; fd: number }[] = [];
  private readonly folder: number;
  private folderDirty = false;
  private timer: NodeJS.Timeout | null = null;
  private syncs = 0;
  private readonly closing: number[] = [];
  private stuck: Segment[] = [];
  private stuckTimer: NodeJS.Timeout | null = null;
  /** Files that are about to be gone. */
  private readonly removals = new Set<Promise<void>>();

  /** @param left segments of a former run, oldest first. */
  constructor(
    private readonly directory: string,
    private readonly mode: SpoolSync,
    private readonly owner: StoreOwner,
    left: readonly Segment[],
  ) {
    this.closed.push(...left);
    this.next = new NextSegment(directory, SEGMENT_BYTES);
    this.current = Segment.after(left.at(-1)?.serial ?? 0, directory);
    this.folder = fs.openSync(directory, 'r');
  }

  /** Damaged files that cannot be moved to quarantine. */
  get stuckFiles(): number {
    return this.stuck.length;
  }

  /** Bytes of all files but the one that is written to. */
  get closedBytes(): number {
    return this.closed.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get liveBytes(): number {
    return this.closed.reduce((sum, { live }) => sum + live, this.current.live);
  }

  /** Appends to the newest segment. @throws when not all can be written; then nothing of it is. */
  write(bytes: Buffer): void {
    const fd = (this.fd ??= this.open());
    const from = this.current.bytes;
    let written = 0;
    try {
      while (written < bytes.length) {
        written += fs.writeSync(fd, bytes, written, bytes.length - written, from + written);
      }
    } catch (error) {
      if (written > 0) this.cutBack(fd);
      throw error;
    }
    this.current.bytes += written;
    this.noteDirty();
    if (this.mode === 'always' && this.current.bytes > PREPARE_BYTES) this.next.prepare(this.current);
  }

  /** Begins another segment. */
  rotate(): void {
    const { current, fd } = this;
    const next = this.next.take(current);
    this.current = next?.segment ?? Segment.after(current.serial, this.directory);
    this.fd = next?.fd ?? null;
    if (next) this.folderDirty = true;
    if (fd === null) return;
    this.closed.push(current);
    if (this.dirty) this.retired.push({ segment: current, fd });
    else this.close(fd);
  }

  /** Deletes the oldest segments as far as nothing in them is needed. */
  tidy(): void {
    for (let oldest = this.closed[0]; oldest; oldest = this.closed[0]) {
      if (oldest.live > 0 || oldest.unread || oldest === this.held) return;
      this.closed.shift();
      this.remove(oldest);
    }
  }

  /** No call is kept: the newest segment goes as well. */
  clear(): void {
    this.tidy();
    if (this.closed.length > 0 || this.fd === null) return;
    this.dropNext();
    this.rotate();
    this.tidy();
  }

  /** Takes a segment that cannot be read for now out of the order, so that those behind it can go. */
  setAside(segment: Segment): void {
    const index = this.closed.indexOf(segment);
    if (index !== -1) this.closed.splice(index, 1);
  }

  takeBack(segment: Segment): void {
    const index = this.closed.findIndex(({ serial }) => serial > segment.serial);
    this.closed.splice(index === -1 ? this.closed.length : index, 0, segment);
  }

  /** Brings all that was written to the disk itself. */
  async sync(): Promise<void> {
    if (!this.dirty) return;
    this.dirty = false;
    this.syncs++;
    const retired = this.retired.splice(0);
    const { fd: newest, folderDirty } = this;
    this.folderDirty = false;
    try {
      if (folderDirty) await synced(fs.fsync, this.folder);
      for (const { segment, fd } of retired) if (segment.live > 0) await synced(fs.fdatasync, fd);
      if (newest !== null) await synced(fs.fdatasync, newest);
    } catch (error) {
      this.owner.onSyncError(error);
    } finally {
      this.closing.push(...retired.map(({ fd }) => fd));
      if (--this.syncs === 0) this.closing.splice(0).forEach((fd) => fs.close(fd, () => undefined));
    }
  }

  /** Lets go of the files; what is needed of them stays, and all else is gone when this resolves. */
  async end(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    if (this.stuckTimer) clearTimeout(this.stuckTimer);
    this.timer = null;
    this.dropNext();
    if (this.mode !== 'never') await this.sync();
    for (const { fd } of this.retired.splice(0)) this.close(fd);
    if (this.fd !== null) this.close(this.fd);
    this.fd = null;
    await Promise.all(this.removals);
    fs.closeSync(this.folder);
  }

  private open(): number {
    const fd = fs.openSync(this.current.path, 'ax', 0o600);
    this.folderDirty = true;
    return fd;
  }

  /** Takes back what was written of a batch. */
  private cutBack(fd: number): void {
    try {
      fs.ftruncateSync(fd, this.current.bytes);
    } catch {
      // Nothing more goes behind a torn frame.
      this.rotate();
    }
  }

  private noteDirty(): void {
    if (this.mode === 'never') return;
    this.dirty = true;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      void this.sync();
    }, SYNC_MS).unref();
  }

  private remove(segment: Segment): void {
    if (!segment.damaged) this.unlink(segment.path);
    else if (!this.owner.quarantine(segment.path)) {
      this.stuck.push(segment);
      this.stuckTimer ??= setTimeout(() => this.retryStuck(), STUCK_MS).unref();
    }
  }

  private unlink(path: string): void {
    this.awaitRemoval(fs.promises.unlink(path).catch(() => undefined));
  }

  private dropNext(): void {
    this.awaitRemoval(this.next.drop());
  }

  private awaitRemoval(removing: Promise<void>): void {
    const removal = removing.finally(() => this.removals.delete(removal));
    this.removals.add(removal);
  }

  private retryStuck(): void {
    this.stuckTimer = null;
    this.stuck.splice(0).forEach((segment) => this.remove(segment));
  }

  private close(fd: number): void {
    if (this.syncs > 0) this.closing.push(fd);
    else fs.close(fd, () => undefined);
  }
}

const synced = (how: typeof fs.fsync, fd: number): Promise<void> =>
  new Promise((resolve, reject) => how(fd, (error) => (error ? reject(error) : resolve())));
