/** Called with the failure of a hook that nobody else hears of: it logs and counts it. Must not throw. */
export type HookFailed = (error: unknown) => void;

/**
 * What is left for the end of a transaction: the one place where something follows a commit. Hooks may throw, reject or
 * never return; what was committed stands, everything else that follows it still does, and its callers are answered.
 */
export class TransactionEnd {
  private readonly before: (() => Promise<void>)[] = [];
  private readonly last: (() => Promise<void>)[] = [];
  private readonly after: (() => void | Promise<void>)[] = [];

  /**
   * Runs `work` as the last of this transaction, after everything the transaction is about: for rows that all writers
   * share and that should be locked for as short as can be. A throw loses the transaction, and so does work that does not
   * end (`TransactionWatch`).
   */
  beforeCommit(work: () => Promise<void>): void {
    this.before.push(work);
  }

  /**
   * Runs `work` behind everything that {@link beforeCommit} was given, whichever came first: work that locks rows here and there
   * locks those of here last, in all transactions. For the audit log alone, which sorts its own.
   */
  lastBeforeCommit(work: () => Promise<void>): void {
    this.last.push(work);
  }

  /**
   * Runs `work` once this transaction is durable. What it does at once happens before the callers are answered, so it must
   * be quick; nobody waits for what it returns.
   */
  afterCommit(work: () => void | Promise<void>): void {
    this.after.push(work);
  }

  /** Called by storage when the transaction's own work is done. */
  async reach(): Promise<void> {
    for (const work of this.before) await work();
    for (const work of this.last) await work();
  }

  /** Called by storage when the transaction is durable. Each piece of work fails alone. Never throws. */
  pass(failed: HookFailed): void {
    for (const work of this.after) void Promise.try(work).catch(failed);
  }
}
