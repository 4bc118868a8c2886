import { StringDecoder } from 'node:string_decoder';
import { createFramer, type Framer } from '@spandrel/kernel';
import type { Endpoint, StreamFrame, StreamReader } from '@spandrel/plugin-api';
import type { Piece, BufferedBody } from './body-buffer.js';

export interface ReadStream {
  reader: StreamReader;
  /** When the first token came, on the clock of the pieces; `null` when none did. */
  firstTokenAt: number | null;
  /** The end of the stream was not kept, so that nobody knows whether its end mark came. */
  isEndLost: boolean;
}

/**
 * Reads a streamed answer. Where its pieces are cut does not change what comes out.
 * @param framing how the answer is framed; see {@link Endpoint.framing}.
 */
export function readStream(
  endpoint: Pick<Endpoint, 'readStream'>,
  framing: Endpoint['framing'],
  body: BufferedBody,
): ReadStream {
  const reader = endpoint.readStream();
  const { pieces, tail, gap } = body;
  let isEndLost = false;
  const push = (frame: StreamFrame): void => {
    isEndLost = false;
    reader.push(frame);
  };
  const framer = createFramer(framing, push);
  const firstTokenAt = feedPieces(gap === 'none' ? [...pieces, ...tail] : pieces, framer, reader);
  if (gap !== 'none') {
    isEndLost = true;
    framer.skipToNext();
    feedPieces(tail, framer, reader);
  }
  framer.finish();
  return { reader, firstTokenAt, isEndLost };
}

/** Feeds piece by piece until the first token has shown, then the rest at once. */
function feedPieces(pieces: readonly Piece[], framer: Framer, reader: StreamReader): number | null {
  const decoder = new StringDecoder('utf8');
  let index = 0;
  let firstTokenAt: number | null = null;
  while (index < pieces.length && firstTokenAt === null) {
    const { data, at } = pieces[index++]!;
    framer.feed(decoder.write(data));
    if (reader.started) firstTokenAt = at;
  }
  if (index < pieces.length) framer.feed(decoder.write(Buffer.concat(pieces.slice(index).map(({ data }) => data))));
  return firstTokenAt;
}
