/**
 * Wakes slots of a run that wait for room below its cost cap when one of its samples has ended. An end wakes one of them, and each
 * that found room two more: so many ask as can begin, about, and nobody polls.
 */
export class SampleEnds {
  private count = 0;
  private isClosed = false;
  private readonly waiting: (() => void)[] = [];

  /** How many samples have ended so far. */
  get soFar(): number {
    return this.count;
  }

  /** A sample's end is durable. */
  notify(): void {
    this.count++;
    this.wake(1);
  }

  /** A slot that had waited found room: there may be more of it. */
  foundRoom(): void {
    this.wake(2);
  }

  /** Nobody is to wait any more: the run is left, or a sample under way will never end here. */
  close(): void {
    this.isClosed = true;
    this.wake(this.waiting.length);
  }

  /** Waits until it is woken, unless more samples have ended already than the caller has seen. @returns whether to ask again. */
  async beyond(seen: number): Promise<boolean> {
    if (!this.isClosed && this.count <= seen) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return !this.isClosed;
  }

  private wake(count: number): void {
    for (const resolve of this.waiting.splice(0, count)) resolve();
  }
}
