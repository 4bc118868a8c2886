/** A piece of a body and when it came, on the clock of `performance.now()`; small ones that came together are one. */
export interface Piece {
  data: Buffer;
  at: number;
}

/** What was kept of a body. */
export interface BufferedBody {
  pieces: readonly Piece[];
  /** The end of a body whose middle was left out; empty for a whole one. */
  tail: readonly Piece[];
  /** Bytes that went by, kept or not. */
  bytes: number;
}

export const NO_BODY: BufferedBody = Object.freeze({ pieces: Object.freeze([]), tail: Object.freeze([]), bytes: 0 });

/** True when something was left out. */
export function isTruncated({ pieces, bytes }: BufferedBody): boolean {
  let kept = 0;
  for (const { data } of pieces) kept += data.length;
  return kept < bytes;
}

/** The end that is kept of a body too large to keep whole: usage and end marks stand there. */
const TAIL_BYTES = 64 * 1024;

/** What all body buffers together hold. */
export class BodyBudget {
  used = 0;

  constructor(readonly max: number) {}
}

/** Pieces that come this soon after another, in milliseconds, came with it. */
const TOGETHER_MS = 1;

/** A piece that came with another is copied to it unless it is longer. */
const COPIED_BYTES_MAX = 4 * 1024;

/** The least and the most room that is made for pieces that come together. */
const ROOM_MIN = 1024;
const ROOM_MAX = 64 * 1024;

/**
 * Keeps a body as it goes by: its beginning up to a limit, then its last 64 KiB. Holds the buffers; small ones that come together are
 * gathered in one, so that a stream of very many costs no more to read than one of few.
 */
export class BodyBuffer implements BufferedBody {
  readonly pieces: Piece[] = [];
  readonly tail: Piece[] = [];
  bytes = 0;
  private kept = 0;
  private tailBytes = 0;
  private full = false;
  /** Room for what comes together with the last piece that is kept, which is its beginning. */
  private room: Buffer | null = null;

  constructor(
    private readonly bytesMax: number,
    private readonly budget: BodyBudget,
  ) {}

  add(data: Buffer, at: number): void {
    this.bytes += data.length;
    if (!this.full && this.fits(data.length)) {
      this.keep(data, at);
      return;
    }
    if (!this.full) this.fill(data, at);
    else this.addTail(data, at);
  }

  /** Lets go of what it keeps. */
  forget(): void {
    this.room = null;
    this.pieces.length = 0;
    this.tail.length = 0;
  }

  /** Gives back what it counts in the budget; the buffer is not used any more. */
  release(): void {
    this.room = null;
    this.budget.used -= this.kept + this.tailBytes;
    this.kept = 0;
    this.tailBytes = 0;
  }

  private fits(length: number): boolean {
    return this.kept + length <= this.bytesMax && this.budget.used + length <= this.budget.max;
  }

  private fill(data: Buffer, at: number): void {
    this.full = true;
    const room = Math.max(0, Math.min(this.bytesMax - this.kept, this.budget.max - this.budget.used));
    if (room > 0) this.keep(data.subarray(0, room), at);
    this.addTail(data.subarray(room), at);
  }

  private keep(data: Buffer, at: number): void {
    this.append(this.pieces, data, at);
    this.kept += data.length;
    this.budget.used += data.length;
  }

  private append(pieces: Piece[], data: Buffer, at: number): void {
    const last = pieces.at(-1);
    if (last === undefined || !this.gather(last, data, at)) pieces.push({ data, at });
  }

  /** Puts a small piece to the one that it came with. @returns false for one that came alone. */
  private gather(last: Piece, data: Buffer, at: number): boolean {
    const { length } = last.data;
    const together = length + data.length;
    if (at - last.at >= TOGETHER_MS || data.length > COPIED_BYTES_MAX || together > ROOM_MAX) return false;
    const isRoom = this.room !== null && this.room.buffer === last.data.buffer && this.room.length >= together;
    const room = isRoom ? this.room! : Buffer.allocUnsafeSlow(Math.min(ROOM_MAX, Math.max(ROOM_MIN, 2 * together)));
    if (!isRoom) last.data.copy(room);
    data.copy(room, length);
    this.room = room;
    last.data = room.subarray(0, together);
    return true;
  }

  private addTail(data: Buffer, at: number): void {
    const end = data.length > TAIL_BYTES ? Buffer.from(data.subarray(data.length - TAIL_BYTES)) : data;
    this.append(this.tail, end, at);
    this.tailBytes += end.length;
    this.budget.used += end.length;
    while (this.tailBytes - this.tail[0]!.data.length >= TAIL_BYTES) {
      const dropped = this.tail.shift()!.data.length;
      this.tailBytes -= dropped;
      this.budget.used -= dropped;
    }
  }
}
