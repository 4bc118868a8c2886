/** What the main thread of `spandrel serve` says about the rest of the program. */
export interface WholeProgram {
  /** Whether all apps serve; none of them is ready for clients before. */
  isWhole: boolean;
  /** Port of the gateway that runs beside the API. */
  gatewayPort?: number | undefined;
}

/** What an app has been told of the rest of the program, which other threads run; nothing in a process of its own. */
export class Told {
  /** Port of the gateway, once it listens. */
  gatewayPort: number | undefined;
  private listener: (isWhole: boolean) => void = () => undefined;

  /**
   * Calls back when clients may use the app, and when no longer: at once where it is the whole program, in `spandrel serve`
   * while the other one serves too.
   */
  whenWhole(listener: (isWhole: boolean) => void): void {
    this.listener = listener;
  }

  hear({ isWhole, gatewayPort }: WholeProgram): void {
    this.gatewayPort = gatewayPort ?? this.gatewayPort;
    this.listener(isWhole);
  }
}
