import zlib from 'node:zlib';

/** Kinds of frames of a call's journal, in the order in which they come. */
export enum FrameType {
  Facts = 1,
  RequestChunk,
  RequestEnd,
  /** The recording as it was announced while the call ran. */
  Running,
  AnswerHead,
  /** Eight bytes of time (double, little endian), then bytes of the body. */
  AnswerChunk,
  End,
  /** The finished recording. */
  Finished,
}

export interface Frame {
  type: FrameType;
  payload: Buffer;
}

/** Length of the payload and CRC-32 of type and payload, both little endian, then the type. */
const HEAD_BYTES = 9;

/** A frame as it stands in the file. */
export function encodeFrame(type: FrameType, payload: Buffer, prefix?: Buffer): Buffer {
  const prefixLength = prefix?.length ?? 0;
  const frame = Buffer.allocUnsafe(HEAD_BYTES + prefixLength + payload.length);
  frame.writeUInt32LE(prefixLength + payload.length, 0);
  frame[8] = type;
  prefix?.copy(frame, HEAD_BYTES);
  payload.copy(frame, HEAD_BYTES + prefixLength);
  frame.writeUInt32LE(zlib.crc32(frame.subarray(8)), 4);
  return frame;
}

/** What can be read of a file. */
export interface DecodedFrames {
  /** The frames up to the first that is torn or damaged. */
  frames: Frame[];
  /** Whether these are all of the file. */
  whole: boolean;
}

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
