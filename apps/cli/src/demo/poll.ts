import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from '@spandrel/kernel/launch';

const BETWEEN_LOOKS_MS = 50;
/** What takes a second on a quiet machine may take long on a busy one. */
const PATIENCE_MS = 60_000;

/**
 * Looks again and again until there is something to see.
 * @param look answers `undefined` as long as there is not.
 * @param fault what the user reads when it never comes.
 * @throws StartError with the fault after a minute.
 */
export async function poll<Found>(look: () => Promise<Found | undefined>, fault: string): Promise<Found> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new StartError([fault]);
    await pause(BETWEEN_LOOKS_MS);
  }
}
