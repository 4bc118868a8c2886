import type { ProcessOutput } from '../log/process-output.js';

/** What the output gets at least, however long the stop took. */
const OUTPUT_MS_MIN = 250;

/**
 * Ends this thread, or the process when it is the main one, once its last lines are written.
 * @param stuck in place of an exit that would wait for ever for a disk.
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

/** From now on SIGTERM and SIGINT call `stop`. While a program starts they end it at once: nothing is under way yet. */
export function stopOnSignals(stop: (signal: NodeJS.Signals) => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, stop);
  }
}
