interface Unfinished {
  /** Never rejects. */
  finish(): Promise<unknown>;
}

type Finish = () => Promise<unknown>;

interface AtExit {
  unfinished: Set<Unfinished>;
  isListening: boolean;
  finishers: Set<Finish>;
  stop: () => void;
}

const KEY = Symbol.for('@spandrel/sdk exit 1');
const shared = globalThis as { [KEY]?: AtExit };

/** One for each copy of the package that is loaded, so that none takes the listeners of another for the application's. */
const atExit: AtExit = (shared[KEY] ??= {
  unfinished: new Set(),
  isListening: false,
  finishers: new Set(),
  stop: () => undefined,
});

/** Calls `finish` when the process has nothing else to do. One listener serves all, so that many instances warn of no leak. */
export function finishAtExit(one: Unfinished): void {
  atExit.unfinished.add(one);
  if (atExit.isListening) return;
  const { process } = globalThis as { process?: Partial<ProcessEvents> };
  if (typeof process?.on !== 'function') return;
  atExit.isListening = true;
  process.on('beforeExit', () => {
    for (const one of [...atExit.unfinished]) {
      atExit.unfinished.delete(one);
      void one.finish();
    }
  });
}

export function nothingAtExit(one: Unfinished): void {
  atExit.unfinished.delete(one);
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type Signal = (typeof SIGNALS)[number];

interface ProcessEvents {
  pid: number;
  on(event: 'beforeExit', listener: () => void): unknown;
  prependListener(signal: Signal, listener: () => void): unknown;
  off(signal: Signal, listener: () => void): unknown;
  listenerCount(signal: Signal): number;
  kill(pid: number, signal: Signal): unknown;
}

/**
 * Calls `finish` on SIGTERM and SIGINT and raises the signal again, so that the process ends as it would have. A second
 * signal meanwhile ends it at once. Where the application listens to the signal too, how the process ends is its part: the
 * signal is not raised again, since the application would get it twice.
 * @param finish never rejects, and takes as long as the end may be held up.
 * @returns stops calling it. On runtimes without signals nothing happens.
 */
export function onSignals(finish: Finish): () => void {
  const { finishers } = atExit;
  if (finishers.size === 0) atExit.stop = listen();
  finishers.add(finish);
  return () => {
    if (finishers.delete(finish) && finishers.size === 0) atExit.stop();
  };
}

/** One listener serves all, so that it knows whose the others are. */
function listen(): () => void {
  const { process } = globalThis as { process?: Partial<ProcessEvents> };
  if (typeof process?.prependListener !== 'function' || typeof process.kill !== 'function') return () => undefined;
  const signals = process as ProcessEvents;
  const stops = SIGNALS.map((signal) => {
    const listener = (): void => {
      signals.off(signal, listener);
      // Asked now: a listener of the application that wants the signal once is gone afterwards.
      const isOurs = signals.listenerCount(signal) === 0;
      void Promise.all([...atExit.finishers].map((finish) => finish())).then(() => {
        if (isOurs) signals.kill(signals.pid, signal);
      });
    };
    signals.prependListener(signal, listener);
    return () => signals.off(signal, listener);
  });
  return () => stops.forEach((off) => off());
}
