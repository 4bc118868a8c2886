import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { Endpoint, StreamFrame, StreamReader } from '@spandrel/plugin-api';
import type { Piece, BufferedBody } from './body-buffer.js';

/** A streamed answer as far as it has come. */
export interface ReadStream {
  reader: StreamReader;
  /** When the first token came, on the clock of the pieces; `null` when none did. */
  firstTokenAt: number | null;
  /** The end of the stream was not kept, so that nobody knows whether its end mark came. */
  isEndLost: boolean;
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
  const framer = withoutMark(framing === 'sse' ? sseFramer(push) : ndjsonFramer(push));
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

/** Takes a byte order mark off the head of a stream. */
function withoutMark(framer: Framer): Framer {
  let isAtHead = true;
  return {
    ...framer,
    feed(text) {
      if (text === '') return;
      framer.feed(isAtHead && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
      isAtHead = false;
    },
  };
}

const BYTE_ORDER_MARK = 0xfeff;

/** A field `error`, which is none of the format's, is how some servers end a stream that failed: an event of that name. */
function sseFramer(push: (frame: StreamFrame) => void): Framer {
  const parser = createParser({
    onEvent: ({ event, data }) => push({ event, data }),
    onError: ({ field, value }) => field === 'error' && push({ event: 'error', data: value ?? '' }),
  });
  const ends = new LineEnds();
  let skipping = false;
  return {
    feed(text) {
      const lines = ends.asLineFeeds(text);
      if (!skipping) {
        parser.feed(lines);
        return;
      }
      const next = lines.indexOf('\n\n');
      if (next === -1) return;
      skipping = false;
      parser.feed(lines.slice(next + 2));
    },
    finish: () => parser.feed('\n\n'),
    skipToNext() {
      parser.reset();
      skipping = true;
    },
  };
}

/** Gives all lines the same end: for each line of a text with two kinds the parser looks through all that follows. */
class LineEnds {
  private endedInReturn = false;

  asLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = this.endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.endedInReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }
}

function ndjsonFramer(push: (frame: StreamFrame) => void): Framer {
  /** The beginning of a line that is not whole, as it came. */
  let begun: string[] = [];
  let skipping = false;
  const pushLine = (data: string): void => {
    if (data.trim() !== '') push({ data });
  };
  return {
    feed(text) {
      const end = text.indexOf('\n');
      begun.push(end === -1 ? text : text.slice(0, end));
      if (end === -1) return;
      const lines = text.slice(end + 1).split('\n');
      if (skipping) skipping = false;
      else pushLine(begun.join(''));
      begun = [lines.pop()!];
      lines.forEach(pushLine);
    },
    finish() {
      if (!skipping) pushLine(begun.join(''));
      begun = [];
    },
    skipToNext() {
      begun = [];
      skipping = true;
    },
  };
}
