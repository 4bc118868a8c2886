/** What an app says once it serves. */
export interface AppReady {
  port: number;
}

/** Messages between an app that runs in a thread of `spandrel serve` and the main thread. */
export type AppMessage = ({ type: 'ready' } & AppReady) | { type: 'refused'; faults: readonly string[] };
export const STOP_MESSAGE = 'stop';
