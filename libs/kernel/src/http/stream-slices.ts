import { Readable } from 'node:stream';

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
 * @throws what making the first slice throws.
 */
export async function streamSlices<Result>(
  slices: AsyncGenerator<string, Result>,
  frame: SliceFrame<Result>,
): Promise<Readable> {
  const first = await slices.next();
  return Readable.from(framed(first, slices, frame), { objectMode: false });
}

async function* framed<Result>(
  first: IteratorResult<string, Result>,
  rest: AsyncGenerator<string, Result>,
  { head, between, tail }: SliceFrame<Result>,
): AsyncGenerator<string> {
  let slice = first;
  let lead = head;
  try {
    for (; !slice.done; slice = await rest.next()) {
      yield lead + slice.value;
      lead = between;
    }
    const end = (first.done ? head : '') + tail(slice.value);
    if (end !== '') yield end;
  } finally {
    // The client may be gone before the end.
    await rest.return(undefined as Result);
  }
}
