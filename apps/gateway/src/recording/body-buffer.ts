import { BodyDecoder } from './decode-body.js';
import { BodyBudget, JSON_FORM, LongBody, type BodyForm, type Gap } from './long-body.js';

/** A piece of a body and when it came, on the clock of `performance.now()`; small ones that came together are one. */
export interface Piece {
  data: Buffer;
  at: number;
}

export interface BufferedBody {
  pieces: readonly Piece[];
  /** The end of a body that is too long to keep; empty for others. */
  tail: readonly Piece[];
  /** What is missing between the two. */
  gap: Gap;
  /** Bytes that went by, kept or not. */
  bytes: number;
}

export const NO_BODY: BufferedBody = Object.freeze({
  pieces: Object.freeze([]),
  tail: Object.freeze([]),
  gap: 'none',
  bytes: 0,
});

/** True when something was left out. */
export function isTruncated({ pieces, tail, bytes }: BufferedBody): boolean {
  let kept = 0;
  for (const { data } of pieces) kept += data.length;
  for (const { data } of tail) kept += data.length;
  return kept < bytes;
}

/** What a body is, as far as its keeping goes. */
export interface BodyNature {
  /** Content codings, outermost last. */
  codings: readonly string[];
  /** What it is without them. */
  form: BodyForm;
}

const PLAIN_JSON: BodyNature = Object.freeze({ codings: [], form: JSON_FORM });

/** The end of a long body that is kept as it is: usage, end marks and the last messages stand there. */
const TAIL_BYTES = 256 * 1024;
/** How much of the end is kept where all bodies together take what they may. */
const TAIL_BYTES_MIN = 64 * 1024;

/** Pieces that come this soon after another, in milliseconds, came with it. */
const TOGETHER_MS = 1;

/** A piece that came with another is copied to it unless it is longer. */
const COPIED_BYTES_MAX = 4 * 1024;

/** The least and the most room that is made for pieces that come together. */
const ROOM_MIN = 1024;
const ROOM_MAX = 64 * 1024;

/**
 * Keeps a body as it goes by: its beginning up to a limit, what {@link LongBody} keeps of the rest, and the end as it is. One that is
 * encoded and gets that long is decoded as it goes by. Holds the buffers; small ones that come together are gathered in one, so that a
 * stream of very many costs no more to read than one of few.
 */
export class BodyBuffer implements BufferedBody {
  readonly pieces: Piece[] = [];
  readonly tail: Piece[] = [];
  bytes = 0;
  /** Says what the body is; asked when that begins to matter. */
  describe = (): BodyNature => PLAIN_JSON;
  private kept = 0;
  private tailBytes = 0;
  /** What is kept behind the beginning; reads that first, from half of its length on. */
  private long: LongBody | null = null;
  /** The body without its codings, once it has that length. */
  private decoding: Decoding | null = null;
  /** How many of the pieces {@link long} has read. */
  private followed = 0;
  private isFull = false;
  private isFinished = false;
  private isReleased = false;
  /** Room for what comes together with the last piece that is kept, which is its beginning. */
  private room: Buffer | null = null;

  constructor(
    private readonly bytesMax: number,
    private readonly budget: BodyBudget,
  ) {}

  /** Whether it has content codings. */
  get isEncoded(): boolean {
    return this.describe().codings.length > 0;
  }

  get gap(): Gap {
    return this.long?.gap ?? 'none';
  }

  add(data: Buffer, at: number): void {
    if (this.isReleased) return;
    this.bytes += data.length;
    if (this.isFull || !this.fits(data.length)) {
      this.addLong(this.isFull ? data : this.fill(data, at), at);
      return;
    }
    this.keep(data, at);
    if (this.kept > this.bytesMax / 2 && !this.isEncoded) this.follow(this.pieces.length - 1, 2 * data.length);
  }

  /** The body is over, as far as it has come. @returns itself: beginning and rest are in {@link pieces}. */
  finish(): this {
    const { long, tail } = this;
    if (!this.isFull || long === null || this.isFinished) return this;
    this.isFinished = true;
    while (tail.length > 0 && long.isMidCharacter(tail[0]!.data[0]!)) this.pushToLong(1);
    if (long.kept.length > 0) this.pieces.push({ data: long.kept, at: this.pieces.at(-1)?.at ?? 0 });
    return this;
  }

  /**
   * The body without its content codings, as far as it has come.
   * @param bytesMax the most of it that is kept whole.
   */
  async decode(bytesMax: number): Promise<BufferedBody> {
    if (!this.isEncoded || this.bytes === 0) return this.finish();
    if (this.decoding !== null) return endOf(this.decoding);
    // Only what grows while calls go on counts in the budget.
    const decoding = this.beginDecoding(this.pieces[0]!.data, bytesMax, new BodyBudget(Infinity));
    for (const { data, at } of this.pieces) await decoding.decoder.write(data, at);
    return endOf(decoding);
  }

  forget(): void {
    this.room = null;
    this.pieces.length = 0;
    this.tail.length = 0;
  }

  /** Gives back what it counts in the budget; the buffer is not used any more. */
  release(): void {
    this.room = null;
    this.long?.release();
    if (this.decoding !== null) {
      this.decoding.body.release();
      void this.decoding.decoder.end();
    }
    this.isReleased = true;
    this.budget.used -= this.kept + this.tailBytes;
    this.kept = 0;
    this.tailBytes = 0;
  }

  private fits(length: number): boolean {
    return this.kept + length <= this.bytesMax && this.budget.fits(length);
  }

  /** Keeps what there is room for. @returns the rest. */
  private fill(data: Buffer, at: number): Buffer {
    this.isFull = true;
    const room = Math.max(0, Math.min(this.bytesMax - this.kept, this.budget.max - this.budget.used));
    if (room > 0) this.keep(data.subarray(0, room), at);
    if (this.isEncoded) {
      this.decoding = this.beginDecoding(this.pieces[0]?.data ?? data, this.bytesMax, this.budget);
      for (const piece of this.pieces) void this.decoding.decoder.write(piece.data, piece.at);
      this.pieces.length = 0;
    } else {
      this.follow(this.pieces.length, Infinity);
    }
    this.room = null;
    return data.subarray(room);
  }

  /** Has the beginning read that is kept: pieces before such a one, until so many bytes were. */
  private follow(end: number, bytes: number): void {
    this.long ??= new LongBody(this.describe().form, this.budget);
    for (let left = bytes; left > 0 && this.followed < end; this.followed++) {
      const { data } = this.pieces[this.followed]!;
      this.long.follow(data);
      left -= data.length;
    }
  }

  private beginDecoding(first: Buffer, bytesMax: number, budget: BodyBudget): Decoding {
    const { codings, form } = this.describe();
    const body = new BodyBuffer(bytesMax, budget);
    body.describe = () => ({ codings: [], form });
    return { body, decoder: new BodyDecoder(codings, first, bytesMax, (data, at) => body.add(data, at)) };
  }

  private addLong(data: Buffer, at: number): void {
    if (this.decoding !== null) {
      void this.decoding.decoder.write(data, at);
      return;
    }
    this.append(this.tail, data, at);
    this.tailBytes += data.length;
    this.budget.used += data.length;
    const tailMax = this.budget.fits(0) ? TAIL_BYTES : TAIL_BYTES_MIN;
    if (this.tailBytes > tailMax) this.pushToLong(this.tailBytes - tailMax);
  }

  /** Has the first bytes of the tail read. */
  private pushToLong(bytes: number): void {
    const { tail } = this;
    this.tailBytes -= bytes;
    this.budget.used -= bytes;
    let whole = 0;
    let left = bytes;
    for (; left > 0 && tail[whole]!.data.length <= left; whole++) {
      this.long!.push(tail[whole]!.data);
      left -= tail[whole]!.data.length;
    }
    tail.splice(0, whole);
    if (left === 0) return;
    const first = tail[0]!;
    this.long!.push(first.data.subarray(0, left));
    first.data = first.data.subarray(left);
    if (tail.length === 1) this.room = null;
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
}

interface Decoding {
  decoder: BodyDecoder;
  /** What has come out. */
  body: BodyBuffer;
}

async function endOf({ decoder, body }: Decoding): Promise<BufferedBody> {
  await decoder.end();
  const { pieces, tail, gap, bytes } = body.finish();
  return { pieces, tail, gap, bytes: decoder.isCut ? bytes + 1 : bytes };
}
