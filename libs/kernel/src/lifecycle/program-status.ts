/** What the main thread of `spandrel serve` says about the rest of the program. */
export interface ProgramState {
  /** Whether all apps serve; none of them is ready for clients before. */
  isReady: boolean;
  gatewayPort?: number | undefined;
}

/** What an app knows of the rest of the program, which other threads run; nothing in a process of its own. */
export class ProgramStatus {
  gatewayPort: number | undefined;
  private listener: (isReady: boolean) => void = () => undefined;

  /** Calls back when clients may use the app, and when no longer: in `spandrel serve` once the other one serves too. */
  onReady(listener: (isReady: boolean) => void): void {
    this.listener = listener;
  }

  update({ isReady, gatewayPort }: ProgramState): void {
    this.gatewayPort = gatewayPort ?? this.gatewayPort;
    this.listener(isReady);
  }
}

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
