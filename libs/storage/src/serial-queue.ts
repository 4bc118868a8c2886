/** Runs asynchronous tasks one after the other, in the order they came. */
export class SerialQueue {
  private tail: Promise<unknown> = Promise.resolve();

  /** @returns what the task returns. A task that fails does not stop those behind it. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.tail.then(task);
    this.tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every task queued so far has ended. */
  async idle(): Promise<void> {
    await this.tail;
  }
}
