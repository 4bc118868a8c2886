import type { ProcessOutput } from '../log/process-output.js';

/** What the output gets at least, however long the stop took. */
const OUTPUT_MS_MIN = 250;

/**
 * Ends this thread, or the process when it is the main one, once its last lines are written.
 * @param limitMs longest time that writing the lines may take.
 * @param stuck called in place of an exit that would never end: a disk keeps a write, and an exit waits for it.
 */
export async function endWithOutput(
  output: ProcessOutput,
  exitCode: number,
  limitMs: number,
  stuck: (exitCode: number) => void = killProcess,
): Promise<void> {
  const isSettled = await output.end(Math.max(limitMs, OUTPUT_MS_MIN));
  if (isSettled) process.exit(exitCode);
  stuck(exitCode);
}

/** The one way to end that waits for nothing. */
export const killProcess = (): void => void process.kill(process.pid, 'SIGKILL');

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * From now on SIGTERM and SIGINT call `stop`. Until then, while a program starts, they end it by the system's own hand, at
 * once: nothing is under way yet that an end in order would be for, and JavaScript hears of a signal only between two turns
 * of the event loop, for which a migration of SQLite or a module that loads leaves no time. In a container process 1 ends by
 * `bin/spandrel.cjs`, since the system spares it.
 */
export function stopOnSignals(stop: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal);
    process.on(signal, stop);
  }
}
