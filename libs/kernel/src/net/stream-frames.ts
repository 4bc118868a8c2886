import { createParser } from 'eventsource-parser';
import type { Endpoint, StreamFrame } from '@spandrel/plugin-api';

export interface Framer {
  feed(text: string): void;
  /** The stream is over: what stands there without its end is a frame as well. */
  finish(): void;
  /** Goes on behind a gap: what follows up to the next frame's start is no frame. */
  skipToNext(): void;
}

/** Cuts the text of a streamed answer into frames. @param framing see {@link Endpoint.framing}. @param push takes each frame. */
export const createFramer = (framing: Endpoint['framing'], push: (frame: StreamFrame) => void): Framer =>
  withoutMark(framing === 'sse' ? sseFramer(push) : ndjsonFramer(push));

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
