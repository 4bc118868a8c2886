/** What an app says once it serves. */
export interface AppReady {
  port: number;
}

/** Messages between an app that runs in a thread of `spandrel serve` and the main thread. */
export type AppMessage =
  | ({ type: 'ready' } & AppReady)
  | { type: 'refused'; faults: readonly string[] }
  /** The app is at its end, but the thread cannot exit: its standard error is a file whose disk keeps a write. */
  | { type: 'stuck'; exitCode: number };
export const STOP_MESSAGE = 'stop';

/** What the main thread tells an app: to stop, or the port at which the gateway beside it listens. */
export type HostMessage = typeof STOP_MESSAGE | { type: 'gateway'; port: number };
