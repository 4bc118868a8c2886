import type { StreamParts } from './event-stream.js';

/** The browser's own connection, clock and timer. */
export const browserParts: StreamParts = {
  open: (address) => new EventSource(address),
  now: () => performance.now(),
  later: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
