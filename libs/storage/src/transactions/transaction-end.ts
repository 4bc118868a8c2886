/** Called with the failure of a hook that nobody else hears of: it logs and counts it. Must not throw. */
export type HookFailed = (error: unknown) => void;

/**
 * The one place where something follows a commit. Hooks may throw or never return: what was committed stands,
 * everything else that follows it still does, and its callers are answered.
 */
export class TransactionEnd {
  private readonly before: (() => Promise<void>)[] = [];
  private readonly last: (() => Promise<void>)[] = [];
  private readonly after: (() => void | Promise<void>)[] = [];

  /**
   * Runs `work` as the last of this transaction, for rows that all writers share and that should be locked briefly. A
   * throw loses the transaction, and so does work that does not end (`TransactionWatch`).
   */
  beforeCommit(work: () => Promise<void>): void {
    this.before.push(work);
  }

  /**
   * Runs `work` behind all of {@link beforeCommit}, so that its rows are locked last in all transactions (audit log).
   */
  lastBeforeCommit(work: () => Promise<void>): void {
    this.last.push(work);
  }

  /**
   * Runs `work` once this transaction is durable, before the callers are answered; nobody waits for what it returns.
   */
  afterCommit(work: () => void | Promise<void>): void {
    this.after.push(work);
  }

  async reach(): Promise<void> {
    for (const work of this.before) await work();
    for (const work of this.last) await work();
  }

  /** Called by storage when the transaction is durable. Each piece of work fails alone. Never throws. */
  pass(failed: HookFailed): void {
    for (const work of this.after) void Promise.try(work).catch(failed);
  }
}
