interface Unfinished {
  /** Never rejects. */
  finish(): Promise<unknown>;
}

const unfinished = new Set<Unfinished>();
let isListening = false;

/** Calls `finish` when the process has nothing else to do. One listener serves all, so that many instances warn of no leak. */
export function finishAtExit(one: Unfinished): void {
  unfinished.add(one);
  if (isListening) return;
  const { process } = globalThis as { process?: Partial<ProcessEvents> };
  if (typeof process?.on !== 'function') return;
  isListening = true;
  process.on('beforeExit', () => {
    for (const one of [...unfinished]) {
      unfinished.delete(one);
      void one.finish();
    }
  });
}

export function nothingAtExit(one: Unfinished): void {
  unfinished.delete(one);
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

type Finish = () => Promise<unknown>;

const finishers = new Set<Finish>();
let stop: () => void = () => undefined;

/**
 * Calls `finish` on SIGTERM and SIGINT and raises the signal again, so that the process ends as it would have. A second
 * signal meanwhile ends it at once. Where the application listens to the signal too, how the process ends is its part: the
 * signal is not raised again, since the application would get it twice.
 * @param finish never rejects, and takes as long as the end may be held up.
 * @returns stops calling it. On runtimes without signals nothing happens.
 */
export function onSignals(finish: Finish): () => void {
  if (finishers.size === 0) stop = listen();
  finishers.add(finish);
  return () => {
    if (finishers.delete(finish) && finishers.size === 0) stop();
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
      void Promise.all([...finishers].map((finish) => finish())).then(() => {
        if (isOurs) signals.kill(signals.pid, signal);
      });
    };
    signals.prependListener(signal, listener);
    return () => signals.off(signal, listener);
  });
  return () => stops.forEach((off) => off());
}
