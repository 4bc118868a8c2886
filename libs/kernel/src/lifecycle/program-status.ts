/** What the main thread of `spandrel serve` says about the rest of the program. */
export interface ProgramState {
  /** Whether all apps serve; none of them is ready for clients before. */
  isReady: boolean;
  /** Port of the gateway that runs beside the API. */
  gatewayPort?: number | undefined;
}

/** What an app knows of the rest of the program, which other threads run; nothing in a process of its own. */
export class ProgramStatus {
  /** Port of the gateway, once it listens. */
  gatewayPort: number | undefined;
  private listener: (isReady: boolean) => void = () => undefined;

  /**
   * Calls back when clients may use the app, and when no longer: at once where it is the whole program, in `spandrel serve`
   * while the other one serves too.
   */
  onReady(listener: (isReady: boolean) => void): void {
    this.listener = listener;
  }

  update({ isReady, gatewayPort }: ProgramState): void {
    this.gatewayPort = gatewayPort ?? this.gatewayPort;
    this.listener(isReady);
  }
}
