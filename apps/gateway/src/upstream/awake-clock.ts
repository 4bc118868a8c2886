const STEP_MS = 50;

/**
 * Time during which the event loop of this process turned, in steps of 50 ms. However long the loop stands still, because
 * the machine is busy or the process is stopped, that is one step: what a socket had to say meanwhile has not been heard.
 */
export class AwakeClock {
  private steps = 0;
  private timer: NodeJS.Timeout | null = null;

  /** Milliseconds since the first call; the clock goes from then on. */
  now(): number {
    this.timer ??= setInterval(() => this.steps++, STEP_MS).unref();
    return this.steps * STEP_MS;
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}
