import { useEffect, useReducer, useRef, useState } from 'react';
import { browserParts } from '../../live/event-stream.js';
import { reportPageStream } from '../../live/live-updates.js';
import { EventFeed } from './event-feed.js';
import { EventLog } from './event-log.js';

/** The log of events, filled while the page is looked at. @param since number after which it is replayed. */
export function useEventLog(type: string | undefined, since: string | undefined) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const log = useRef<EventLog>(null);
  const feed = useRef<EventFeed>(null);
  // Whether other tabs have all the streams that one browser may have.
  const [isQueued, setIsQueued] = useState(false);
  const asked = useRef(since);
  const startedWith = since === undefined ? null : Number(since);
  log.current ??= new EventLog(startedWith);
  useEffect(() => {
    const before = log.current!;
    const begin = asked.current === since ? before.beginAfter : startedWith;
    asked.current = since;
    log.current = new EventLog(begin);
    const opened = new EventFeed(browserParts, log.current, type, redraw);
    feed.current = opened;
    redraw();
    return keepOpen(opened, setIsQueued);
    // oxlint-disable-next-line react/exhaustive-deps -- the number is the text that is compared
  }, [type, since]);
  const isOpen = feed.current?.isOpen ?? false;
  useEffect(() => reportPageStream(isOpen), [isOpen]);
  const { events, waitingCount, droppedCount, isPaused } = log.current;
  return {
    ...{ events, waitingCount: isPaused ? waitingCount : 0, droppedCount, isPaused, isQueued },
    isRefused: feed.current?.isRefused ?? false,
    pause: (next: boolean): void => {
      log.current!.isPaused = next;
      log.current!.flush();
      redraw();
    },
    clear: (): void => {
      log.current!.clear();
      redraw();
    },
  };
}

/** Keeps a feed open while somebody looks at the page. @returns ends that. */
function keepOpen(feed: EventFeed, onQueued: (isQueued: boolean) => void): () => void {
  let place: AbortController | null = null;
  const follow = (): void => {
    const isVisible = document.visibilityState === 'visible';
    if (isVisible === (place !== null)) return;
    if (!isVisible) {
      place?.abort();
      place = null;
      feed.close();
      return;
    }
    const mine = new AbortController();
    place = mine;
    takePlace(mine.signal, onQueued).then(
      () => {
        if (!mine.signal.aborted) feed.open();
      },
      // Nobody waits any more.
      () => undefined,
    );
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    place?.abort();
    feed.close();
  };
}

/** Streams of this page that one browser has open at most: it opens six connections to one server, and other pages need some. */
const PLACES = ['spandrel.events.1', 'spandrel.events.2', 'spandrel.events.3'] as const;

/** Waits until a stream is free, and takes it until `signal` is aborted. @param onQueued whether all are taken. */
async function takePlace(signal: AbortSignal, onQueued: (isQueued: boolean) => void): Promise<void> {
  // Browsers have locks for pages that they trust alone; others go without.
  if (!('locks' in navigator)) return;
  for (const name of PLACES) if (await takeLock(name, { ifAvailable: true }, signal)) return;
  onQueued(true);
  await takeLock(PLACES[0], { signal }, signal).finally(() => onQueued(false));
}

/** Takes a lock until `signal` is aborted. @returns whether it was had. */
const takeLock = (name: string, options: LockOptions, signal: AbortSignal): Promise<boolean> =>
  new Promise((answer, refuse) => {
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      answer(lock !== null);
      return lock === null || signal.aborted ? undefined : ended(signal);
    };
    navigator.locks.request(name, options, hold).catch(refuse);
  });

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((end) => {
    signal.addEventListener('abort', () => end(), { once: true });
  });
