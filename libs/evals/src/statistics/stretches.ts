import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Datapoints of one stretch: well below a millisecond of arithmetic. A request that writes to Postgres waits for a turn of the event
 * loop at each of its steps, so that one stretch holds it up several times (ADR 0046).
 */
const STRETCH = 5_000;

/** Goes over positions from 0 to `length`, a stretch at a time in their order, and lets requests have their turn before each. */
export async function inStretches(
  length: number,
  take: (from: number, to: number) => void | Promise<void>,
): Promise<void> {
  for (let from = 0; from < length; from += STRETCH) {
    await nextTurn();
    await take(from, Math.min(from + STRETCH, length));
  }
}
