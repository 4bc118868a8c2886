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
