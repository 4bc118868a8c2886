import type { RecordingMasking } from '@spandrel/contract';
import type { Piece, BufferedBody } from './body-buffer.js';
import type { Gap } from './long-body.js';
import type { FinalRecording } from './build-recording.js';
import type { AnswerFacts, CallFacts, Outcome } from './call-facts.js';

/** A body as it goes to another thread: its bytes in one, which move there. */
export interface PackedBody {
  data: Uint8Array<ArrayBuffer>;
  /** Length and time of each piece, in turn. */
  pieces: Float64Array<ArrayBuffer>;
  /** How many of the pieces are no tail. */
  before: number;
  gap: Gap;
  bytes: number;
}

/** All that a recording is made of, as plain data. */
export interface PackedCall {
  facts: CallFacts;
  /** Name of the endpoint of {@link CallFacts.wire}. */
  endpoint: string;
  request: PackedBody;
  answer: AnswerFacts | null;
  response: PackedBody;
  outcome: Outcome;
  endedTick: number;
  /** The masking rules of the call's project; `null` where it has none. */
  rules: RecordingMasking | null;
  secrets: readonly string[];
}

/** What comes back of a {@link PackedCall}. */
export interface ReadCall extends FinalRecording {
  /** Maskers that failed, once for each text. */
  failedMaskers: string[];
}

/** Copies a body, piece by piece; the body may let go of its lists once this has begun. */
export function* packBody({ pieces, tail, gap, bytes }: BufferedBody): Generator<void, PackedBody, void> {
  const all = [...pieces, ...tail];
  const data = new Uint8Array(all.reduce((sum, piece) => sum + piece.data.length, 0));
  const places = new Float64Array(2 * all.length);
  const before = pieces.length;
  let at = 0;
  for (const [index, piece] of all.entries()) {
    data.set(piece.data, at);
    at += piece.data.length;
    places[2 * index] = piece.data.length;
    places[2 * index + 1] = piece.at;
    yield;
  }
  return { data, pieces: places, before, gap, bytes };
}

/** The body as it was, on the same bytes. */
export function unpackBody({ data, pieces: places, before, gap, bytes }: PackedBody): BufferedBody {
  const whole = Buffer.from(data.buffer);
  const all: Piece[] = [];
  let start = 0;
  for (let index = 0; index < places.length; index += 2) {
    const end = start + places[index]!;
    all.push({ data: whole.subarray(start, end), at: places[index + 1]! });
    start = end;
  }
  return { pieces: all.slice(0, before), tail: all.slice(before), gap, bytes };
}
