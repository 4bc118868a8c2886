/** Tells slots of a run that wait for room below its cost cap when one of its samples has ended: they are woken, and poll nothing. */
export class SampleEnds {
  private count = 0;
  private isClosed = false;
  private waiting: (() => void)[] = [];

  /** How many samples have ended so far. */
  get soFar(): number {
    return this.count;
  }

  /** A sample's end is durable. */
  notify(): void {
    this.count++;
    this.wake();
  }

  /** Nobody is to wait any more: the run is left, or a sample under way will never end here. */
  close(): void {
    this.isClosed = true;
    this.wake();
  }

  /** Waits until more samples have ended than the caller has seen. @returns whether to ask again. */
  async beyond(seen: number): Promise<boolean> {
    if (!this.isClosed && this.count <= seen) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return !this.isClosed;
  }

  private wake(): void {
    const woken = this.waiting;
    this.waiting = [];
    for (const resolve of woken) resolve();
  }
}
