import zlib from 'node:zlib';
import type { Frame, FrameType } from './journal-frames.js';

/** Random bytes that begin every frame of a segment, so that the next one is found behind damage. */
export const MARKER_BYTES = 8;

/** Fills a segment that was made ahead, up to where frames will stand. Not zero, which a power cut leaves of lost bytes. */
export const UNWRITTEN = 0xff;

/** Marker, CRC-32 of all that follows it, length of the payload, number in the call, type, length of the id. */
const HEAD_BYTES = MARKER_BYTES + 4 + 4 + 4 + 1 + 1;
const CRC_AT = MARKER_BYTES;
const CHECKED_AT = CRC_AT + 4;
const NUMBER_AT = CHECKED_AT + 4;
const TYPE_AT = NUMBER_AT + 4;
const ID_LENGTH_AT = TYPE_AT + 1;

/** What a batch keeps of its memory when it has been written. */
const CAPACITY_BYTES = 256 * 1024;

/** The call that a frame is of. */
export interface FrameOwner {
  /** Id of the call's span. */
  id: string;
  /** Position among the frames of its call, from 0. */
  number: number;
}

/** A frame as it was found in a segment. */
export interface SegmentFrame extends FrameOwner, Frame {
  /** Where it stands, head and all. */
  start: number;
  end: number;
}

/** Frames on their way to a segment: encoded one behind the other, written in one go. */
export class FrameBatch {
  length = 0;
  private buffer = Buffer.allocUnsafeSlow(CAPACITY_BYTES);

  /** @param prefix stands before the payload. @returns bytes of the frame. */
  add(marker: Buffer, owner: FrameOwner, type: FrameType, payload: Buffer | string, prefix?: Buffer): number {
    const start = this.length;
    const text = typeof payload === 'string';
    const prefixBytes = prefix?.length ?? 0;
    this.reserve(HEAD_BYTES + owner.id.length + prefixBytes + (text ? 3 * payload.length : payload.length));
    const { buffer } = this;
    let at = start + HEAD_BYTES;
    at += buffer.write(owner.id, at, 'latin1');
    const payloadAt = at;
    if (prefix) at += prefix.copy(buffer, at);
    at += text ? buffer.write(payload, at, 'utf8') : payload.copy(buffer, at);
    marker.copy(buffer, start);
    buffer.writeUInt32LE(at - payloadAt, start + CHECKED_AT);
    buffer.writeUInt32LE(owner.number, start + NUMBER_AT);
    buffer[start + TYPE_AT] = type;
    buffer[start + ID_LENGTH_AT] = owner.id.length;
    buffer.writeUInt32LE(zlib.crc32(buffer.subarray(start + CHECKED_AT, at)), start + CRC_AT);
    this.length = at;
    return at - start;
  }

  /** Takes a frame over as it stood in another segment. */
  addFrame(marker: Buffer, frame: Buffer): void {
    this.reserve(frame.length);
    frame.copy(this.buffer, this.length);
    marker.copy(this.buffer, this.length);
    this.length += frame.length;
  }

  /** All of it; good until the next frame is added. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    if (this.buffer.length > CAPACITY_BYTES) this.buffer = Buffer.allocUnsafeSlow(CAPACITY_BYTES);
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

/** What can be read of a segment. */
export interface DecodedSegment {
  frames: SegmentFrame[];
  /** Whether these are all of the file. */
  whole: boolean;
}

/** The frames of a segment; those behind a damaged one, too. {@link UNWRITTEN} up to the end is no damage. */
export function decodeSegment(bytes: Buffer, marker: Buffer): DecodedSegment {
  const frames: SegmentFrame[] = [];
  let whole = true;
  let at = 0;
  while (at < bytes.length) {
    const frame = frameAt(bytes, marker, at);
    if (frame) {
      frames.push(frame);
      at = frame.end;
      continue;
    }
    if (isUnwritten(bytes, at)) break;
    whole = false;
    const next = bytes.indexOf(marker, at + 1);
    if (next === -1) break;
    at = next;
  }
  return { frames, whole };
}

const ROOM = Buffer.alloc(64 * 1024, UNWRITTEN);

/** Whether nothing but room follows; no marker is that. */
function isUnwritten(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; at += ROOM.length) {
    const end = Math.min(bytes.length, at + ROOM.length);
    if (bytes.compare(ROOM, 0, end - at, at, end) !== 0) return false;
  }
  return true;
}

function frameAt(bytes: Buffer, marker: Buffer, start: number): SegmentFrame | undefined {
  if (start + HEAD_BYTES > bytes.length || bytes.compare(marker, 0, MARKER_BYTES, start, start + MARKER_BYTES) !== 0)
    return undefined;
  const idAt = start + HEAD_BYTES;
  const payloadAt = idAt + bytes[start + ID_LENGTH_AT]!;
  const end = payloadAt + bytes.readUInt32LE(start + CHECKED_AT);
  if (end > bytes.length) return undefined;
  if (zlib.crc32(bytes.subarray(start + CHECKED_AT, end)) !== bytes.readUInt32LE(start + CRC_AT)) return undefined;
  return {
    id: bytes.toString('latin1', idAt, payloadAt),
    number: bytes.readUInt32LE(start + NUMBER_AT),
    type: bytes[start + TYPE_AT]!,
    payload: bytes.subarray(payloadAt, end),
    start,
    end,
  };
}
