/** Streams of this page that one browser has open at most: it opens six connections to one server, and other pages need some. */
const PLACES = ['spandrel.events.1', 'spandrel.events.2', 'spandrel.events.3'] as const;

/**
 * Waits until one of the streams is free, and takes it until `signal` is aborted.
 * @param onQueued told whether all are taken.
 * @throws what the signal was aborted with, while waiting.
 */
export async function takePlace(signal: AbortSignal, onQueued: (isQueued: boolean) => void): Promise<void> {
  // Browsers have locks for pages that they trust alone; others go without.
  if (!('locks' in navigator)) return;
  for (const name of PLACES) {
    if (await takeNow(name, signal)) {
      onQueued(false);
      return;
    }
  }
  onQueued(true);
  try {
    await new Promise<void>((taken, refused) => {
      navigator.locks
        .request(PLACES[0], { signal }, () => {
          taken();
          return ended(signal);
        })
        .catch(refused);
    });
  } finally {
    onQueued(false);
  }
}

function takeNow(name: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((answer) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      answer(lock !== null);
      return lock === null || signal.aborted ? undefined : ended(signal);
    });
  });
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((end) => {
    signal.addEventListener('abort', () => end(), { once: true });
  });
