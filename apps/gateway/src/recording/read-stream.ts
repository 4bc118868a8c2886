import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { Endpoint, StreamFrame, StreamReader } from '@spandrel/plugin-api';
import type { Piece, TapedBody } from './body-tape.js';

/** A streamed answer as far as it has come. */
export interface ReadStream {
  reader: StreamReader;
  /** When the first token came, on the clock of the pieces; `null` when none did. */
  firstTokenAt: number | null;
}

/** Cuts a stream's text into frames. */
interface Framer {
  feed(text: string): void;
  /** The stream is over: what stands there without its end is a frame as well. */
  finish(): void;
  /** Goes on behind a gap: what follows up to the next frame's start is no frame. */
  skipToNext(): void;
}

/**
 * Reads a streamed answer. Where its pieces are cut does not change what comes out.
 * @param framing how the answer is framed; see {@link Endpoint.framing}.
 */
export function readStream(endpoint: Endpoint, framing: Endpoint['framing'], body: TapedBody): ReadStream {
  const reader = endpoint.readStream();
  const push = (frame: StreamFrame): void => reader.push(frame);
  const framer = framing === 'sse' ? sseFramer(push) : ndjsonFramer(push);
  const firstTokenAt = feedPieces(body.pieces, framer, reader);
  if (body.tail.length > 0) {
    framer.skipToNext();
    feedPieces(body.tail, framer, reader);
  }
  framer.finish();
  return { reader, firstTokenAt };
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

function sseFramer(push: (frame: StreamFrame) => void): Framer {
  const parser = createParser({ onEvent: ({ event, data }) => push({ event, data }) });
  let skipping = false;
  return {
    feed(text) {
      if (!skipping) {
        parser.feed(text);
        return;
      }
      const next = /\r?\n\r?\n/.exec(text);
      if (!next) return;
      skipping = false;
      parser.feed(text.slice(next.index + next[0].length));
    },
    finish: () => parser.feed('\n\n'),
    skipToNext() {
      parser.reset();
      skipping = true;
    },
  };
}

function ndjsonFramer(push: (frame: StreamFrame) => void): Framer {
  let line = '';
  let skipping = false;
  const pushLine = (data: string): void => {
    if (data.trim() !== '') push({ data });
  };
  return {
    feed(text) {
      const lines = (line + text).split('\n');
      line = lines.pop()!;
      if (skipping && lines.length > 0) {
        lines.shift();
        skipping = false;
      }
      lines.forEach(pushLine);
    },
    finish() {
      if (!skipping) pushLine(line);
      line = '';
    },
    skipToNext() {
      line = '';
      skipping = true;
    },
  };
}
