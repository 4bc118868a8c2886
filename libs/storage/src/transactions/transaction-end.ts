/** What is left for the end of a transaction. */
export class TransactionEnd {
  private readonly before: (() => Promise<void>)[] = [];
  private readonly after: (() => void)[] = [];

  /**
   * Runs `work` as the last of this transaction, after everything the transaction is about: for rows that all writers
   * share and that should be locked for as short as can be. A throw loses the transaction.
   */
  beforeCommit(work: () => Promise<void>): void {
    this.before.push(work);
  }

  /** Runs `work` once this transaction is durable, before its callers are answered. Must not throw and must be quick. */
  afterCommit(work: () => void): void {
    this.after.push(work);
  }

  /** Called by storage when the transaction's own work is done. */
  async reach(): Promise<void> {
    for (const work of this.before) await work();
  }

  /** Called by storage when the transaction is durable. @param failed told of work that fails: it fails alone. */
  pass(failed: (error: unknown) => void): void {
    for (const work of this.after) {
      try {
        work();
      } catch (error) {
        failed(error);
      }
    }
  }
}
