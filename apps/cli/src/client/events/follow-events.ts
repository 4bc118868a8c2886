import { setTimeout as sleep } from 'node:timers/promises';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { createParser } from 'eventsource-parser';
import { decodeText } from '../command-io.js';
import { notOfSpandrel } from '../server.js';

interface ServerEvent {
  /** The number of the event; events are followed from there. */
  id: number;
  json: string;
}

/** The server says every 15 s that it is there; a connection that says nothing for so long is none. */
const SILENCE_MS_MAX = 45_000;

/** @param silent is called when the connection seems to be gone; it has to end the stream. */
async function* serverEvents(
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
    for await (const text of decodeText(body)) {
      watch.refresh();
      parser.feed(text);
      yield* waiting.splice(0);
    }
  } finally {
    clearTimeout(watch);
  }
}

export interface FollowedEvent extends ServerEvent {
  /** The connection was lost before any event had come: all that the log has is reported then. */
  mayBeOld: boolean;
}

interface FollowOptions {
  query: { types?: string; view?: 'full' | 'outline'; trace_id?: string };
  /** The number of the last event that is known; only later ones come. */
  after?: number | undefined;
  signal: AbortSignal;
  /** The stream is open, the first time or again. @param time of the server, as exact as a header has it. */
  onOpen?: (time: Date | undefined) => void;
  onCut?: (reason: string) => void;
  /** Milliseconds before it is made again; for tests. */
  pause?: (failures: number) => number;
}

const EVENT_STREAM = 'text/event-stream';
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** An open stream answers with its headers at once. */
const OPEN_MS_MAX = 20_000;

/** The events of a server without a gap: a lost connection is made again. @throws SpandrelError when it refuses. */
export async function* followEvents(
  api: Api,
  { query, after, signal, onOpen, onCut, pause = pauseMs }: FollowOptions,
): AsyncGenerator<FollowedEvent, never, undefined> {
  let last = after;
  let mayBeOld = false;
  let failures = 0;
  let connected = false;
  for (;;) {
    const connection = new AbortController();
    let reason = 'the server ended the stream';
    try {
      const answer = await api.raw('GET', '/api/events', {
        query,
        headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': String(last) }) },
        signal: AbortSignal.any([signal, connection.signal]),
        timeoutMs: OPEN_MS_MAX,
        retry: false,
      });
      if (answer.headers.get('content-type')?.startsWith(EVENT_STREAM) !== true) throw notOfSpandrel(answer);
      onOpen?.(timeOf(answer.headers));
      connected = true;
      const silent = (): void => connection.abort(new Error('nothing came for a while'));
      for await (const event of serverEvents(answer.body!, silent)) {
        failures = 0;
        last = event.id;
        yield { ...event, mayBeOld };
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!connected || isRefusal(error)) throw error;
      reason = error instanceof SpandrelError ? error.detail : (error as Error).message;
    } finally {
      // Also when anyone who follows has seen enough.
      connection.abort();
    }
    if (failures === 0) onCut?.(reason);
    failures++;
    await sleep(pause(failures), undefined, { signal }).catch(() => signal.throwIfAborted());
    if (last === undefined) {
      last = 0;
      mayBeOld = true;
    }
  }
}

const pauseMs = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);

/** Whether the same request meets it again, as opposed to a server that starts or is busy. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof SpandrelError) || error.code === 'unexpected_answer') return false;
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

function timeOf(headers: Headers): Date | undefined {
  const time = new Date(headers.get('date') ?? '');
  return Number.isNaN(time.getTime()) ? undefined : time;
}
