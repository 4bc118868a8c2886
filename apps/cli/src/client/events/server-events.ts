import { createParser } from 'eventsource-parser';
import { decodedText } from '../decoded-text.js';

/** One event of a stream. */
export interface ServerEvent {
  /** The number of the event; events are followed from there. */
  id: number;
  /** The JSON of its `data:` line. */
  json: string;
}

/** The server says every 15 s that it is there; a connection that says nothing for so long is none. */
const SILENCE_MS_MAX = 45_000;

/**
 * Reads the events of an answer as they come.
 * @param silent is called when the connection seems to be gone; it has to end the stream.
 * @throws what ends the stream but its end.
 */
export async function* serverEvents(
  body: ReadableStream<Uint8Array>,
  silent: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  const waiting: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      if (id !== undefined) waiting.push({ id: Number(id), json: data });
    },
  });
  const watch = setTimeout(silent, SILENCE_MS_MAX);
  try {
    for await (const text of decodedText(body)) {
      watch.refresh();
      parser.feed(text);
      yield* waiting.splice(0);
    }
  } finally {
    clearTimeout(watch);
  }
}
