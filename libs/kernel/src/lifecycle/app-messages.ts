import type { ProgramState } from './program-status.js';

/** What an app says once it serves. */
export interface AppReady {
  port: number;
}

/** Messages from an app that runs in a thread of `spandrel serve` to the main thread. */
export type AppMessage =
  | ({ type: 'ready' } & AppReady)
  | { type: 'refused'; faults: readonly string[] }
  /** The app has taken notice of an order {@link AppOrder} `status`. */
  | { type: 'acknowledged' }
  /** The app is at its end, but the thread cannot exit: its standard error is a file whose disk keeps a write. */
  | { type: 'stuck'; exitCode: number };

/** Messages from the main thread to such an app. */
export type AppOrder = { type: 'stop' } | ({ type: 'status' } & ProgramState);
