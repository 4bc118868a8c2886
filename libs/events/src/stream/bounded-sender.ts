/**
 * Sends messages as long as those on their way hold no more text than they may: behind a connection that takes nothing
 * they wait in this process's memory.
 */
export class BoundedSender {
  private onTheWay = 0;

  /**
   * @param send resolves when a message has been taken.
   * @param textMax in UTF-16 units; a message has its turn when nothing is on the way, however long it is.
   */
  constructor(
    private readonly send: (message: string) => Promise<unknown>,
    private readonly textMax: number,
  ) {}

  /** Whether everything has been taken. */
  get idle(): boolean {
    return this.onTheWay === 0;
  }

  /** @returns `false` when there is no room for it: it is not sent. @throws what sending throws. */
  async offer(message: string): Promise<boolean> {
    if (this.onTheWay > 0 && this.onTheWay + message.length > this.textMax) return false;
    this.onTheWay += message.length;
    try {
      await this.send(message);
    } finally {
      this.onTheWay -= message.length;
    }
    return true;
  }
}
