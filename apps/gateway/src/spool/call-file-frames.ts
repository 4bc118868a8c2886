import zlib from 'node:zlib';
import type { Frame } from './journal-frames.js';

/** Length of the payload and CRC-32 of type and payload, both little endian, then the type. */
const HEAD_BYTES = 9;

/** What can be read of a file. */
export interface DecodedFrames {
  /** The frames up to the first that is torn or damaged. */
  frames: Frame[];
  /** Whether these are all of the file. */
  whole: boolean;
}

/** The frames of a file that a gateway before ADR 0036 kept for one call. */
export function decodeFrames(bytes: Buffer): DecodedFrames {
  const frames: Frame[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at);
    if (end > bytes.length || zlib.crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) break;
    frames.push({ type: bytes[at + 8]!, payload: bytes.subarray(at + HEAD_BYTES, end) });
    at = end;
  }
  return { frames, whole: at === bytes.length };
}
