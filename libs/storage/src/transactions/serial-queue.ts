/** Runs asynchronous tasks one after the other, in the order they came. */
export class SerialQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private unfinished = 0;

  /** How many tasks wait behind the one that runs. */
  get waiting(): number {
    return Math.max(0, this.unfinished - 1);
  }

  /** @returns what the task returns. A task that fails does not stop those behind it. */
  run<T>(task: () => Promise<T>): Promise<T> {
    this.unfinished++;
    const result = this.tail.then(task);
    this.tail = result.then(this.finish, this.finish);
    return result;
  }

  private readonly finish = (): void => void this.unfinished--;

  /** Resolves when every task queued so far has ended. */
  async idle(): Promise<void> {
    await this.tail;
  }
}
