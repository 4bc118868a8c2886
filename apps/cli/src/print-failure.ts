import { StartError } from '@spandrel/kernel/launch';

/**
 * Says on standard error why a command did not do its work, a line a fault; the program ends with 1.
 * @param during put before an error that does not say by itself what it is about.
 */
export function printFailure(error: unknown, during = ''): void {
  const faults =
    error instanceof StartError ? error.faults : [during + (error instanceof Error ? error.message : String(error))];
  process.stderr.write(faults.map((fault) => `spandrel: ${fault}\n`).join(''));
  process.exitCode = 1;
}
