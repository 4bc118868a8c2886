import fs from 'node:fs';
import { UNWRITTEN } from './segment-frames.js';
import { Segment } from './segment.js';

/** How much is written at a time. */
const PIECE_BYTES = 1024 * 1024;

/** A segment that is open for writing. */
export interface OpenSegment {
  segment: Segment;
  fd: number;
}

/**
 * The segment after the one that is written to, made ahead and filled with {@link UNWRITTEN}. Bringing bytes to the disk that stand
 * within a file costs half of what it costs where the file grows with them, since its length and its blocks are there
 * already (ADR 0044). A help only: where it cannot be made, segments grow.
 */
export class NextSegment {
  private ready: OpenSegment | null = null;
  private making: Promise<void> | null = null;
  private tried: Segment | null = null;

  constructor(
    private readonly directory: string,
    private readonly bytes: number,
  ) {}

  /** Begins to make the one after another, once for each. */
  prepare(after: Segment): void {
    if (this.tried === after || this.making !== null) return;
    this.tried = after;
    // One that came too late has its place before the one that is written to.
    this.making = this.dropReady()
      .then(() => this.make(Segment.after(after.serial, this.directory)))
      .finally(() => (this.making = null));
  }

  /** The one that was made, whose place is behind another; `null` when there is none. The taker closes it. */
  take(after: Segment): OpenSegment | null {
    const { ready } = this;
    if (ready === null || ready.segment.serial <= after.serial) return null;
    this.ready = null;
    return ready;
  }

  /** Removes what was made and not taken, and what is being made once it is. */
  async drop(): Promise<void> {
    await Promise.all([this.dropReady(), this.making?.then(() => this.dropReady())]);
  }

  private async dropReady(): Promise<void> {
    const { ready } = this;
    this.ready = null;
    if (ready !== null) await removed(ready.segment.path, ready.fd);
  }

  private async make(segment: Segment): Promise<void> {
    let fd: number | null = null;
    try {
      fd = await new Promise<number>((resolve, reject) =>
        fs.open(segment.path, 'wx', 0o600, (error, opened) => (error ? reject(error) : resolve(opened))),
      );
      const room = Buffer.alloc(Math.min(PIECE_BYTES, this.bytes), UNWRITTEN);
      for (let at = 0; at < this.bytes;) at += await written(fd, room, at, Math.min(room.length, this.bytes - at));
      await new Promise<void>((resolve, reject) => fs.fsync(fd!, (error) => (error ? reject(error) : resolve())));
      this.ready = { segment, fd };
    } catch {
      if (fd !== null) await removed(segment.path, fd);
    }
  }
}

const written = (fd: number, bytes: Buffer, at: number, length: number): Promise<number> =>
  new Promise((resolve, reject) =>
    fs.write(fd, bytes, 0, length, at, (error, count) => (error ? reject(error) : resolve(count))),
  );

function removed(path: string, fd: number): Promise<void> {
  fs.close(fd, () => undefined);
  return fs.promises.unlink(path).catch(() => undefined);
}
