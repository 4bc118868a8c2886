import { withinMs } from './time-limit.js';

/** How long a value is shown again, and how long a reader waits for a new one, in milliseconds. */
const SHOWN_MS = 15_000;
const WAIT_MS_MAX = 1_000;

/**
 * A value for metrics that is work to read: read every 15 seconds at most, and never twice at once. While it cannot be
 * read, or that takes longer than a second, the last one stands, so that a scrape tells of everything else.
 * @returns asks for it; `undefined` as long as it could not be read.
 */
export function remembered<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  let last: Value | undefined;
  let reading: Promise<void> | undefined;
  let readAt = -Infinity;
  const again = async (): Promise<void> => {
    try {
      last = await read();
    } catch {
      // What is away shows in other metrics.
    }
  };
  return async () => {
    if (!reading && performance.now() - readAt > SHOWN_MS) {
      readAt = performance.now();
      reading = again().finally(() => (reading = undefined));
    }
    if (reading) await withinMs(WAIT_MS_MAX, reading, () => undefined);
    return last;
  };
}
