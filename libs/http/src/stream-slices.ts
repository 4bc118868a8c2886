import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { textPieces } from './text-pieces.js';

/** What stands around the slices of a text. */
export interface SliceFrame<Result> {
  head: string;
  between: string;
  /** @param result what the generator of the slices returned. */
  tail: (result: Result) => string;
}

/**
 * An answer of any size in bounded memory: slices of a text, each made when the client has taken the one before. The first
 * is made at once, so that what goes wrong with it is answered as an error; what goes wrong later cuts the answer off.
 * Others have their turn while a slice is written.
 * @param slices texts, or the texts that one is made of, which may be made as they are taken.
 * @throws what making the first slice throws.
 */
export async function streamSlices<Result>(
  slices: AsyncGenerator<string | Iterable<string>, Result>,
  frame: SliceFrame<Result>,
): Promise<Readable> {
  const first = await slices.next();
  return Readable.from(framed(first, slices, frame), { objectMode: false });
}

async function* framed<Result>(
  first: IteratorResult<string | Iterable<string>, Result>,
  rest: AsyncGenerator<string | Iterable<string>, Result>,
  { head, between, tail }: SliceFrame<Result>,
): AsyncGenerator<string> {
  let slice = first;
  let lead = head;
  try {
    for (; !slice.done; slice = await rest.next()) {
      yield* inTurns(textPieces(typeof slice.value === 'string' ? [slice.value] : slice.value, lead));
      lead = between;
    }
    const end = (first.done ? head : '') + tail(slice.value);
    if (end !== '') yield end;
  } finally {
    // The client may be gone before the end.
    await rest.return(undefined as Result);
  }
}

/** A text that is there as pieces, as a stream. */
export const streamPieces = (pieces: Iterable<string>): Readable =>
  Readable.from(inTurns(pieces), { objectMode: false });

/** Milliseconds in which pieces are made before others have their turn. */
const TURN_MS = 2;

async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  let began = performance.now();
  for (const piece of pieces) {
    yield piece;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
