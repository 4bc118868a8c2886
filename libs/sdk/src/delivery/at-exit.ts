/** Something that wants to finish before the process ends by itself. */
export interface Unfinished {
  /** Never rejects. */
  finish(): Promise<unknown>;
}

interface ProcessEvents {
  on?: (event: 'beforeExit', listener: () => void) => unknown;
}

const unfinished = new Set<Unfinished>();
let isListening = false;

/**
 * Calls `finish` when the process has nothing else to do (`beforeExit`), on runtimes that say so. One listener serves
 * all, so that many instances warn of no leak.
 */
export function finishAtExit(one: Unfinished): void {
  unfinished.add(one);
  if (isListening) return;
  const { process } = globalThis as { process?: ProcessEvents };
  if (typeof process?.on !== 'function') return;
  isListening = true;
  process.on('beforeExit', () => {
    for (const one of [...unfinished]) {
      unfinished.delete(one);
      void one.finish();
    }
  });
}

/** It has nothing left to finish. */
export function nothingAtExit(one: Unfinished): void {
  unfinished.delete(one);
}
